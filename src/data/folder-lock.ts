import { randomUUID } from 'node:crypto';
import {
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LayoutError } from './layout-error.js';
import { currentProcess, isRunning, isVisible, type ProcessIdentity } from './process-identity.js';

export type FolderLock = { release(): void };

type Holder = { token: string; beatAt: number; identity: ProcessIdentity | null };

const HEARTBEAT_MS = 2_000;
const STALE_MS = 10_000;

/** Takes the folder for this process alone, or throws an error that says who has it. */
export const lockFolder = (folder: string): FolderLock => {
  const path = join(folder, 'lock');
  const taken = take(path);
  if ('holder' in taken) throw inUse(folder, path, taken.holder);

  const heartbeat = setInterval(() => touch(path), HEARTBEAT_MS);
  heartbeat.unref();
  const release = () => {
    clearInterval(heartbeat);
    process.off('exit', release);
    drop(path, taken.token);
  };
  process.once('exit', release);
  return { release };
};

/**
 * Puts a complete lock file in place, or answers who is in the way. A dead holder's file is replaced only under a second
 * lock named after its token: of several processes that find it dead, one replaces it and the others see the new one.
 */
const take = (path: string): { token: string } | { holder: Holder } => {
  const token = randomUUID();
  const mine = `${path}.${token}`;
  writeFileSync(mine, JSON.stringify({ ...currentProcess(), token }), { mode: 0o600 });
  try {
    for (;;) {
      if (placeFirst(mine, path)) return { token };
      const holder = readHolder(path);
      if (!holder) continue;
      if (!isDead(holder)) return { holder };

      const successor = `${path}.after-${holder.token}`;
      const guard = take(successor);
      if ('holder' in guard) return guard;
      try {
        if (readHolder(path)?.token !== holder.token) continue;
        renameSync(mine, path);
        return { token };
      } finally {
        drop(successor, guard.token);
      }
    }
  } finally {
    rmSync(mine, { force: true });
  }
};

/** Gives the file its name if no other file has it; a link does so at one stroke, with the content already there. */
const placeFirst = (mine: string, path: string): boolean => {
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP')) throw error;
  }
  // A file system without links: the file is empty for an instant, and young empty files count as held.
  try {
    writeFileSync(path, readFileSync(mine), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
};

const readHolder = (path: string): Holder | null => {
  try {
    const { ino, mtimeMs } = statSync(path);
    const content = readFileSync(path, 'utf8');
    const identity = parseIdentity(content);
    const token = identity?.token ?? `unreadable-${ino}-${Math.trunc(mtimeMs)}`;
    return { token, beatAt: mtimeMs, identity };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
};

const parseIdentity = (content: string): (ProcessIdentity & { token: string }) | null => {
  try {
    const value = JSON.parse(content);
    const isIdentity =
      Number.isInteger(value.pid) && typeof value.host === 'string' && /^[\w-]+$/.test(value.token);
    return isIdentity ? value : null;
  } catch {
    return null;
  }
};

const isDead = ({ identity, beatAt }: Holder): boolean => {
  if (identity && isVisible(identity)) return !isRunning(identity);
  return Date.now() - beatAt > STALE_MS;
};

const touch = (path: string): void => {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // The folder was removed under us; the database will notice by itself.
  }
};

const drop = (path: string, token: string): void => {
  if (readHolder(path)?.token === token) rmSync(path, { force: true });
};

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

const inUse = (folder: string, path: string, { identity }: Holder): LayoutError => {
  const holder = identity ? `process ${identity.pid} on ${identity.host}` : 'another process';
  return new LayoutError(
    `The folder ${folder} is in use by ${holder}: an embedded database serves one process only. Stop that process, or give this one a folder of its own with DATA_DIR. If no such process exists, remove ${path}.`,
  );
};
