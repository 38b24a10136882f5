import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './is-stale.mjs';
import { report } from './report.mjs';

const LOCK = join(root, 'node_modules/.flaggraph-build');
const PAUSE_MS = 100;
/** Creating the lock and writing the process ID into it are two steps; a build can be killed in between. */
const EMPTY_LOCK_LIMIT_MS = 5_000;

const isRunning = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

const isAbandoned = (lock) => {
  const pid = Number(readFileSync(lock, 'utf8'));
  if (pid > 0) return !isRunning(pid);
  return Date.now() - statSync(lock).mtimeMs > EMPTY_LOCK_LIMIT_MS;
};

/** Removes the lock of a build that was killed. */
const clearAbandoned = (lock) => {
  try {
    if (isAbandoned(lock)) rmSync(lock, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
};

const takeLock = (lock) => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
};

/** Runs work under an exclusive lock: two concurrent builds would delete each other's files. */
export const withBuildLock = async (work, lock = LOCK) => {
  clearAbandoned(lock);
  for (let attempt = 0; !takeLock(lock); attempt += 1) {
    if (attempt === 0) report('Waiting for another build …');
    clearAbandoned(lock);
    await delay(PAUSE_MS);
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
};
