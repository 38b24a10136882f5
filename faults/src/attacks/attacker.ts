import { setPriority } from 'node:os';
import type { AttackOptions } from './attack.js';
import { ATTACKS, type AttackName } from './attacks.js';

const NICE = 10;

const [name = '', json = '{}'] = process.argv.slice(2);
const options = JSON.parse(json) as AttackOptions;
const ending = new AbortController();
process.on('SIGTERM', () => ending.abort());
setPriority(NICE);
process.stdout.write('STARTED\n');
const result = await ATTACKS[name as AttackName](options, ending.signal);
process.stdout.write(`RESULT ${JSON.stringify(result)}\n`, () => process.exit(0));
