import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type ExportPosition, formatPosition } from './export-position.js';
import { type Sink, toOutputError, writeAll } from './sink.js';

const resumeOptions = (position: ExportPosition, more: string): string =>
  [more, `--after ${formatPosition(position)}`].filter((part) => part !== '').join(' ');

const resumeHint: Sink['resumeHint'] = (position, more) =>
  `To resume, repeat the command with ${resumeOptions(position, more)}`;

/** A stalled reader may not keep an interrupted process alive for longer. */
const GRACE_MS = 1_000;

/** Waits for a write. After an interrupt it waits only briefly. */
const unlessInterrupted = async (written: Promise<void>, signal: AbortSignal): Promise<void> => {
  const ended = new AbortController();
  const rejectOnInterrupt = async () => {
    if (!signal.aborted) await once(signal, 'abort', { signal: ended.signal });
    await delay(GRACE_MS, undefined, { signal: ended.signal });
    signal.throwIfAborted();
  };
  const interrupted = rejectOnInterrupt();
  interrupted.catch(() => undefined);
  return Promise.race([written, interrupted]).finally(() => ended.abort());
};

/** Resolves when the stream has accepted the whole text. */
const writeTo = (stream: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });

/**
 * Writes to standard output with backpressure. If it is a file, writes directly: Node would not notice partial writes.
 */
export const createStandardWriter = (
  signal: AbortSignal,
  stdout: Writable & { fd: number } = process.stdout,
) => {
  const isFile = fstatSync(stdout.fd).isFile();
  // The error is reported through `write`. Without a listener it would end the process.
  stdout.on('error', () => undefined);

  return async (text: string): Promise<void> => {
    if (text === '') return;
    const written = isFile ? writeAll(stdout.fd, Buffer.from(text), null) : writeTo(stdout, text);
    const settled = written.catch((error: unknown) => {
      throw toOutputError('Standard output', error);
    });
    await unlessInterrupted(settled, signal);
  };
};

/** Files and pipes get the text as recorded; a terminal would interpret these characters. */
const CONTROLS = /\r(?!\n)|[^\P{Cc}\t\r\n]/gu;

export const createStandardSink = (
  signal: AbortSignal,
  stdout: Writable & { fd: number; isTTY?: boolean } = process.stdout,
): Sink => {
  const write = createStandardWriter(signal, stdout);
  return {
    write: (text) => write(stdout.isTTY ? text.replace(CONTROLS, '\ufffd') : text),
    finish: async () => undefined,
    close: async () => undefined,
    resumeHint,
  };
};

/** A device or named pipe: what was written can't be undone. */
export const openDeviceSink = async (path: string): Promise<Sink> => {
  const failed = (error: unknown): never => {
    throw toOutputError(path, error);
  };
  const handle: FileHandle = await open(path, 'w').catch(failed);
  return {
    write: (text) => writeAll(handle.fd, Buffer.from(text), null).catch(failed),
    finish: async () => undefined,
    close: () => handle.close(),
    // --after works only with standard output, which a shell can redirect to the same device.
    resumeHint: (position, more) =>
      `To resume, repeat the command with > ${path} instead of --output, and with ${resumeOptions(position, more)}`,
  };
};
