// Opens the embedded database of a folder and adds tag types forever, printing each name after the database has
// acknowledged it. Runs in its own process, to be killed.
import { openDatabase } from '../../src/data/connect.js';

const [dataDir = ''] = process.argv.slice(2);
try {
  const { client } = await openDatabase({ dataDir });
  process.stdout.write('open\n');
  for (let number = 0; ; number++) {
    const { name } = await client.tagType.create({ data: { name: `${process.pid}-${number}` } });
    process.stdout.write(`${name}\n`);
  }
} catch (error) {
  process.stdout.write(`${error}\n`);
  process.exitCode = 1;
}
