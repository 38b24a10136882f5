// Tries to take a folder each time its standard input names one, and says whether it got it. Several of these at once
// show whether a lock lets in more than one process.
import { createInterface } from 'node:readline';
import { type FolderLock, lockFolder } from '../../src/data/folder-lock.js';

let held: FolderLock | undefined;
process.stdout.write('ready\n');
for await (const folder of createInterface({ input: process.stdin })) {
  held?.release();
  held = undefined;
  try {
    held = lockFolder(folder);
    process.stdout.write('taken\n');
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.name : error}\n`);
  }
}
