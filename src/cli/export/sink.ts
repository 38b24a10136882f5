import { write } from 'node:fs';
import { promisify } from 'node:util';
import type { Place } from './place.js';

/** Where the lines of an export go. */
export type Sink = {
  /** Resolves when all of the text is there and the place behind it is remembered. */
  write: (text: string, place: Place) => Promise<void>;
  /** The export is complete. */
  finish: () => Promise<void>;
  /** Lets go of the output, complete or not. */
  close: () => Promise<void>;
  /** What to say to somebody who wants to go on from there. */
  howToResume: (place: Place) => string;
};

/** The output takes no more; what it took before is whole. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** Who read the output has seen enough. */
export class ClosedPipeError extends Error {
  override readonly name = 'ClosedPipeError';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'the file may not become larger',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EEXIST: 'the name is taken, perhaps by a link that leads nowhere',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
};

/** A failed write in words. */
export const toOutputError = (name: string, error: unknown): Error => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'EPIPE') return new ClosedPipeError();
  return new OutputError(`${name} cannot be written: ${REASONS[code] ?? message} (${code}).`);
};

const writeSome = promisify(write);

/** Writes all of the bytes, also where the system takes them in parts; null goes on where the last write ended. */
export const writeAll = async (fd: number, bytes: Buffer, position: number | null) => {
  for (let done = 0; done < bytes.length; ) {
    const from = position === null ? null : position + done;
    const { bytesWritten } = await writeSome(fd, bytes, done, bytes.length - done, from);
    done += bytesWritten;
  }
};
