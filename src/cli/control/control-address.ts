import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { readLockToken } from '../../data/embedded/folder-lock.js';

/** Where the server that holds a data folder accepts commands, and the credential that it requires. */
export type ControlAddress = {
  /** Unix domain socket in the data folder, or a named pipe on Windows. */
  path: string;
  /** The token of the folder lock, which only the user who started the server can read. */
  token: string;
};

export const SOCKET_NAME = /^control-[0-9a-f]{12}\.sock$/;

/** Null while no process holds the folder. Each holder has an address of its own, so a stale one is never reused. */
export const controlAddress = (dataDir: string): ControlAddress | null => {
  const folder = resolve(dataDir);
  const token = readLockToken(folder);
  if (token === null) return null;
  const id = createHash('sha256').update(`${folder}\n${token}`).digest('hex').slice(0, 12);
  const path =
    process.platform === 'win32'
      ? `\\\\.\\pipe\\flaggraph-${id}`
      : join(folder, `control-${id}.sock`);
  return { path, token };
};
