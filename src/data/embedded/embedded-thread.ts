import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { DriverAdapterError, type SqlQuery } from '@prisma/driver-adapter-utils';

export type ThreadOptions = {
  /** Folder of the database, or `memory://`. */
  dataDir: string;
  /** Packed data folder to create a new database from. */
  template?: Blob | undefined;
  /** The lock file of the folder, and the token it must contain. */
  lock?: { path: string; token: string } | undefined;
  /** PGlite's compiled WebAssembly. */
  wasm?: object | undefined;
};

export type ThreadRequest =
  | { kind: 'queryRaw' | 'executeRaw'; query: SqlQuery }
  | { kind: 'query'; sql: string; params: unknown[] }
  | { kind: 'exec'; sql: string }
  | { kind: 'close' };

type PackedError = { message: string; fields: Record<string, string>; driverCause?: unknown };
type Reply = { value: unknown } | { error: PackedError; isFatal: boolean };

/** The thread has exited, and its running statement with it. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
}

export type EmbeddedThread = {
  /** Requests run one at a time, in the order they are sent. */
  send(request: ThreadRequest): Promise<unknown>;
  /** Terminates the thread at once, even mid-statement. Committed data stays in the folder. */
  terminate(): Promise<void>;
  /** False once it has exited or hit an error that would have ended PostgreSQL. */
  isUsable(): boolean;
};

const WORKER = new URL('./embedded-worker.js', import.meta.url);
// Available in Node, but declared only in the DOM type library.
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { compile(bytes: Uint8Array): Promise<object> };
};
let compiled: Promise<object> | undefined;

/** Compiled once per process, which halves the time to restart a thread. */
const wasmModule = (): Promise<object> => {
  compiled ??= readFile(
    createRequire(import.meta.url)
      .resolve('@electric-sql/pglite')
      .replace(/[^/\\]+$/, 'pglite.wasm'),
  ).then((bytes) => WebAssembly.compile(bytes));
  return compiled;
};

/** Opens the database in its own thread: WASM can't be interrupted and would block the event loop. */
export const startThread = async (options: ThreadOptions): Promise<EmbeddedThread> => {
  const workerData: ThreadOptions = { ...options, wasm: await wasmModule() };
  const worker = new Worker(WORKER, { workerData, execArgv: [] });
  const waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
  let failure: Error | undefined;
  let isBroken = false;

  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const ready = new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.on('error', (error) => {
      failure = error;
      reject(error);
    });
    worker.once('exit', () => {
      failure = new ThreadEndedError('The embedded database has ended.', { cause: failure });
      reject(failure);
      for (const { reject: rejectWaiting } of waiting.splice(0)) rejectWaiting(failure);
    });
  });
  await ready;

  worker.on('message', (reply: Reply) => {
    const sent = waiting.shift();
    if (waiting.length === 0) worker.unref();
    if ('error' in reply) {
      isBroken ||= reply.isFatal;
      sent?.reject(unpack(reply.error));
    } else sent?.resolve(reply.value);
  });
  // The worker keeps the process alive only while a statement is in flight.
  worker.unref();
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure);
        waiting.push({ resolve, reject });
        worker.ref();
        worker.postMessage(request);
      }),
    terminate: async () => {
      await worker.terminate();
      await exited;
    },
    isUsable: () => !failure && !isBroken,
  };
};

const unpack = ({ message, fields, driverCause }: PackedError): Error =>
  driverCause
    ? new DriverAdapterError(driverCause as DriverAdapterError['cause'])
    : Object.assign(new Error(message), fields);
