// Tries to lock each folder named on its standard input, and prints whether it succeeded. Several of these
// processes at once show whether a lock admits more than one.
import { createInterface } from 'node:readline';
import { type FolderLock, lockFolder } from '../../src/data/embedded/folder-lock.js';

let lock: FolderLock | undefined;
process.stdout.write('ready\n');
for await (const folder of createInterface({ input: process.stdin })) {
  lock?.release();
  lock = undefined;
  try {
    lock = lockFolder(folder);
    process.stdout.write('taken\n');
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.name : error}\n`);
  }
}
