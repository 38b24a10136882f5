import { randomUUID } from 'node:crypto';
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { LayoutError } from '../layout/layout-error.js';
import { readToken } from './lock-token.js';
import { currentProcess, isRunning, isVisible, type ProcessIdentity } from './process-identity.js';

export type FolderLock = {
  path: string;
  token: string;
  /** Throws if another process has taken over the folder. */
  assertHeld(): void;
  release(): void;
};

type Holder = { token: string; beatAt: number; identity: ProcessIdentity | null };

/** A running process holds the folder. */
export class FolderInUseError extends LayoutError {}

/** Identifies the lock's holder. Only the user who started it can read the token. */
export const readLockToken = (folder: string): string | null => readToken(lockPath(folder)) ?? null;

const lockPath = (folder: string): string => join(folder, 'lock');

const HEARTBEAT_MS = 2_000;
const STALE_MS = 10_000;

/**
 * Locks the folder for this process, or throws an error that names the holder. A holder that stalls for ten seconds (a
 * paused container, a suspended machine) can lose the lock to a process that can't see it. `onLost` reports that, and
 * nothing may be written afterwards.
 */
export const lockFolder = (
  folder: string,
  onLost: (error: LayoutError) => void = () => {},
): FolderLock => {
  const path = lockPath(folder);
  const taken = take(path);
  if ('holder' in taken) throw inUse(folder, path, taken.holder);
  const { token } = taken;
  // Writing through this descriptor never refreshes a lock file that has replaced ours.
  const file = openSync(path, 'r+');
  let isReleased = false;

  const assertHeld = () => {
    const found = readToken(path);
    if (found !== undefined && found !== token) throw takenOverError(folder, path);
  };
  const heartbeat = setInterval(() => {
    try {
      assertHeld();
      refresh(file);
    } catch (error) {
      clearInterval(heartbeat);
      onLost(error as LayoutError);
    }
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    path,
    token,
    assertHeld,
    release: () => {
      if (isReleased) return;
      isReleased = true;
      clearInterval(heartbeat);
      closeSync(file);
      drop(path, token);
    },
  };
};

/** Sets the mtime from the file system's clock, which other hosts may share. */
const refresh = (file: number): void => {
  try {
    writeSync(file, '{', 0);
  } catch {
    // Disk full or unreachable: the lock ages, and the next heartbeat detects a takeover.
  }
};

/**
 * Creates a complete lock file, or returns the current holder. A dead holder's file is replaced only under a second
 * lock named after its token: of several processes that find it dead, one replaces it and the others see the new file.
 */
const take = (path: string): { token: string } | { holder: Holder } => {
  const token = randomUUID();
  const ownPath = `${path}.${token}`;
  writeFileSync(ownPath, JSON.stringify({ ...currentProcess(), token }), { mode: 0o600 });
  try {
    for (;;) {
      if (placeFirst(ownPath, path)) return { token };
      const holder = readHolder(path);
      if (!holder) continue;
      if (!isDead(holder, statSync(ownPath).mtimeMs)) return { holder };

      const successor = `${path}.after-${holder.token}`;
      const guard = take(successor);
      if ('holder' in guard) return guard;
      try {
        if (readHolder(path)?.token !== holder.token) continue;
        renameSync(ownPath, path);
        return { token };
      } finally {
        drop(successor, guard.token);
      }
    }
  } finally {
    rmSync(ownPath, { force: true });
  }
};

/** Claims the name unless it is taken. A hard link is atomic and has the content from the start. */
const placeFirst = (ownPath: string, path: string): boolean => {
  try {
    linkSync(ownPath, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP')) throw error;
  }
  // A file system without hard links: the file is briefly empty, and recent empty files count as held.
  try {
    writeFileSync(path, readFileSync(ownPath), { flag: 'wx', mode: 0o600 });
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

/** `now` is the file system's time, as for the heartbeat. */
const isDead = ({ identity, beatAt }: Holder, now: number): boolean => {
  if (identity && isVisible(identity)) return !isRunning(identity);
  return now - beatAt > STALE_MS;
};

const drop = (path: string, token: string): void => {
  if (readHolder(path)?.token === token) rmSync(path, { force: true });
};

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

const inUse = (folder: string, path: string, { identity }: Holder): FolderInUseError => {
  const holder = identity ? `process ${identity.pid} on ${identity.host}` : 'another process';
  return new FolderInUseError(
    `The folder ${folder} is in use by ${holder}: an embedded database supports one process only. Stop that process, or set DATA_DIR to another folder. If no such process exists, delete ${path}.`,
  );
};

const takenOverError = (folder: string, path: string): LayoutError => {
  const { identity } = readHolder(path) ?? {};
  const holder = identity ? `process ${identity.pid} on ${identity.host}` : 'another process';
  return new LayoutError(
    `The folder ${folder} was taken over by ${holder} while this process was suspended, so this process no longer writes to it. An embedded database supports one process only: stop one of them, or set a separate DATA_DIR for each.`,
  );
};
