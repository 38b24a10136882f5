import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { placeText } from './place.js';
import { type Sink, toOutputError, writeAll } from './sink.js';

const howToResume: Sink['howToResume'] = (place) =>
  `The same command goes on there with --after ${placeText(place)}`;

/** A reader who does not read may not keep an interrupted process alive for longer. */
const GRACE_MS = 1_000;

/** Waits for a write; after an interrupt only for a moment. */
const unlessInterrupted = async (written: Promise<void>, signal: AbortSignal): Promise<void> => {
  const ended = new AbortController();
  const giveUp = async () => {
    if (!signal.aborted) await once(signal, 'abort', { signal: ended.signal });
    await delay(GRACE_MS, undefined, { signal: ended.signal });
    signal.throwIfAborted();
  };
  const givenUp = giveUp();
  givenUp.catch(() => undefined);
  return Promise.race([written, givenUp]).finally(() => ended.abort());
};

/** Writes to a stream and waits until it has taken everything. */
const writeTo = (stream: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });

/**
 * Writes to the standard output, no faster than it is read. A file behind it is written by ourselves: Node would not
 * notice that only a part was taken.
 */
export const createStandardWriter = (
  signal: AbortSignal,
  stdout: Writable & { fd: number } = process.stdout,
) => {
  const isFile = fstatSync(stdout.fd).isFile();
  // Told to whoever writes; unheard, it would end the process.
  stdout.on('error', () => undefined);

  return async (text: string): Promise<void> => {
    if (text === '') return;
    const written = isFile ? writeAll(stdout.fd, Buffer.from(text), null) : writeTo(stdout, text);
    const told = written.catch((error: unknown) => {
      throw toOutputError('The standard output', error);
    });
    await unlessInterrupted(told, signal);
  };
};

/** Files and pipes get what was recorded; a terminal would take some of it for commands. */
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
    howToResume,
  };
};

/** A device or a named pipe: what went there cannot be taken back. */
export const openDeviceSink = async (path: string): Promise<Sink> => {
  const failed = (error: unknown): never => {
    throw toOutputError(path, error);
  };
  const handle: FileHandle = await open(path, 'w').catch(failed);
  return {
    write: (text) => writeAll(handle.fd, Buffer.from(text), null).catch(failed),
    finish: async () => undefined,
    close: () => handle.close(),
    // Only the standard output takes --after; a shell leads it to the same device.
    howToResume: (place) =>
      `Without --output, and with > ${path}, the same command goes on there with --after ${placeText(place)}`,
  };
};
