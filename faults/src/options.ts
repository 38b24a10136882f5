import { parseArgs } from 'node:util';
import type { Form } from './experiment.js';
import { EXPERIMENTS } from './experiments.js';

const NAMES = EXPERIMENTS.map(({ name }) => name);
const WIDTH = 12;

const HELP = `Attacks the gateway, breaks its dependencies, and measures the effect on clients.

  npm run faults -- [options]

  --quick           the short form: fewer events and requests, under eight minutes (also --short)
  --only <name>     only this experiment; repeatable
  --case <text>     only cases of fairness and websockets whose title contains this text, also those of the long form
  --events <n>      events in the log; default 1000000 (quick: 100000)
  --seed <n>        seed of everything random; default 1
  --report <file>   also write the table into this Markdown file, between its two markers
  --help

${EXPERIMENTS.map(({ name, summary }) => `  ${name.padEnd(WIDTH)} ${summary}`).join('\n')}

Needs PostgreSQL, PgBouncer, nginx and HAProxy; as root on Debian missing ones are installed with apt-get.
`;

export type Options = {
  form: Form;
  only: readonly string[];
  titlePart: string;
  events: number;
  seed: number;
  report: string | undefined;
};

const fail = (message: string): never => {
  process.stderr.write(`${message}\n\n${HELP}`);
  process.exit(2);
};

const readArguments = () => {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        short: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        case: { type: 'string', default: '' },
        events: { type: 'string' },
        seed: { type: 'string', default: '1' },
        report: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
};

const readCount = (name: string, text: string): number => {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : fail(`--${name} must be positive`);
};

export const readOptions = (): Options => {
  const { quick, short, only, case: titlePart, events, seed, report, help } = readArguments();
  if (help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const unknown = only.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) fail(`--only takes one of: ${NAMES.join(', ')} (got ${unknown})`);
  const form: Form = quick || short ? 'short' : 'long';
  return {
    form,
    only,
    titlePart,
    events: readCount('events', events ?? (form === 'short' ? '100000' : '1000000')),
    seed: readCount('seed', seed),
    report,
  };
};
