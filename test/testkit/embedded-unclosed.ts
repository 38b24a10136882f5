// Opens the embedded database of a folder, reads from it, and neither closes it nor ends the process.
import { openDatabase } from '../../src/data/connect.js';

const [dataDir = ''] = process.argv.slice(2);
const { client } = await openDatabase({ dataDir });
process.stdout.write(`${await client.tagType.count()} tag types\n`);
