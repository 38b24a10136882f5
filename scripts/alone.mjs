import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './stale.mjs';

const LOCK = join(root, 'node_modules/.flaggraph-build');
const PAUSE_MS = 100;

const isRunning = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Removes the lock of a builder that was killed. */
const clearAbandoned = () => {
  try {
    const pid = Number(readFileSync(LOCK, 'utf8'));
    if (pid > 0 && !isRunning(pid)) rmSync(LOCK, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
};

/** Does something that no other process may do meanwhile: two builds at once would delete each other's files. */
export const alone = (work) => {
  for (;;) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      clearAbandoned();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
  try {
    work();
  } finally {
    rmSync(LOCK, { force: true });
  }
};
