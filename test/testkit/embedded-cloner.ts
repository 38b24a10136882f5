// Opens the embedded database of a folder, reports the rows of every copy in it, then clones until it is killed, and
// prints each name once the clone is acknowledged.
import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/data/connect.js';
import { createOperations } from '../../src/domain/operations.js';
import { adminActor } from './actors.js';
import { readCopies } from './copies.js';

const [dataDir = ''] = process.argv.slice(2);
const database = await openDatabase({ dataDir });
const { cloneFeature } = createOperations(database, loadConfig({}));
process.stdout.write(`${JSON.stringify(await readCopies(database.client))}\n`);
for (let number = 0; ; number++) {
  const name = `copy-${process.pid}-${Date.now()}-${number}`;
  await cloneFeature(adminActor, { source: 'origin', targetProject: 'shop', name });
  process.stdout.write(`${name}\n`);
}
