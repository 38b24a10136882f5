import { write } from 'node:fs';
import { promisify } from 'node:util';
import type { ExportPosition } from './export-position.js';

/** Destination of an export. */
export type Sink = {
  /** Resolves when the text is written completely and the position after it is saved. */
  write: (text: string, position: ExportPosition) => Promise<void>;
  /** The export is complete. */
  finish: () => Promise<void>;
  /** Closes the output, complete or not. */
  close: () => Promise<void>;
  /** How to resume from there. `more` are further options that the command needs then. */
  resumeHint: (position: ExportPosition, more: string) => string;
};

/** A write failed. Everything written before is complete. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** The reader of the pipe has closed it. */
export class ClosedPipeError extends Error {
  override readonly name = 'ClosedPipeError';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file size limit is reached',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'the name is taken, perhaps by a broken link',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
};

/** Describes a failed write. */
export const toOutputError = (name: string, error: unknown): Error => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'EPIPE') return new ClosedPipeError();
  return new OutputError(`${name} cannot be written: ${REASONS[code] ?? message} (${code}).`);
};

const writeSome = promisify(write);

/** Writes all bytes despite partial writes. A null position continues after the last write. */
export const writeAll = async (fd: number, bytes: Buffer, position: number | null) => {
  for (let done = 0; done < bytes.length; ) {
    const from = position === null ? null : position + done;
    const { bytesWritten } = await writeSome(fd, bytes, done, bytes.length - done, from);
    done += bytesWritten;
  }
};
