// @ts-check
// Worker thread of the embedded database. Plain JavaScript, so that it starts without a TypeScript loader, also in
// tests.
import { fstatSync, fsyncSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { readToken } from './lock-token.js';

/** @typedef {import('./embedded-thread.js').ThreadOptions} ThreadOptions */
/** @typedef {import('./embedded-thread.js').ThreadRequest} ThreadRequest */
/** @typedef {Record<string, (...args: unknown[]) => unknown>} FileOperations */
/**
 * @typedef {{ tryFSOperation: (run: () => unknown) => unknown, node_ops: FileOperations, stream_ops: FileOperations }} NodeFiles
 */

const LOCK_CHECK_MS = 1_000;
const CLOCK_SLACK_MS = 1_000;
// PGlite has no checkpointer process and keeps all WAL until it is closed: crash recovery and the folder would grow.
const CHECKPOINT_BYTES = 48 * 1024 * 1024;
const WRITES = /** @type {const} */ ({
  stream_ops: ['write', 'setattr'],
  node_ops: ['mknod', 'rename', 'unlink', 'rmdir', 'setattr', 'symlink'],
});

// fsync is on, so commits survive a power failure. fdatasync is a no-op in PGlite, so WAL is synced with fsync.
const DURABLE = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'wal_sync_method=fsync', '-c', 'min_wal_size=32MB', '-c', 'max_wal_size=128MB'],
];

let writtenBytes = 0;

/** Adds fsync to PGlite's folder, and stops all writes once another process holds the folder lock. */
class LockedFolder extends NodeFS {
  #verifiedAt = 0;
  /** Files last modified before this time need no fsync. */
  #syncedUntil;

  /** @param {string} folder */
  constructor(folder) {
    super(folder);
    // After a crash PostgreSQL syncs every file, which takes seconds. Files older than the last checkpoint were synced
    // by it. A new database is synced as a whole by the thread that requested it.
    const checkpoint = statSync(join(folder, 'global', 'pg_control'), { throwIfNoEntry: false });
    this.#syncedUntil = checkpoint ? checkpoint.mtimeMs - CLOCK_SLACK_MS : Number.POSITIVE_INFINITY;
  }

  hasStarted() {
    this.#syncedUntil = 0;
  }

  /** @override @param {PGlite} pg @param {Parameters<NodeFS['init']>[1]} options */
  async init(pg, options) {
    const { emscriptenOpts } = await super.init(pg, options);
    const preRun = [
      ...(emscriptenOpts.preRun ?? []),
      (/** @type {unknown} */ mod) => this.#guard(mod),
    ];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }

  /** @param {unknown} mod */
  #guard(mod) {
    const { NODEFS } = /** @type {{ NODEFS: NodeFiles }} */ (mod);
    for (const kind of /** @type {const} */ (['stream_ops', 'node_ops'])) {
      for (const name of WRITES[kind]) {
        const write = NODEFS[kind][name];
        if (!write) throw new Error(`PGlite has no file operation '${name}'.`);
        NODEFS[kind][name] = (...args) => {
          this.#assertLocked();
          const result = write(...args);
          if (name === 'write') writtenBytes += Number(result);
          return result;
        };
      }
    }
    NODEFS.stream_ops['fsync'] = (stream) => {
      const { nfd } = /** @type {{ nfd: number }} */ (stream);
      NODEFS.tryFSOperation(() => {
        if (this.#syncedUntil > 0 && fstatSync(nfd).mtimeMs < this.#syncedUntil) return;
        fsyncSync(nfd);
      });
      return 0;
    };
  }

  #assertLocked() {
    const now = performance.now();
    if (now - this.#verifiedAt < LOCK_CHECK_MS) return;
    const token = lock && readToken(lock.path);
    // Exits this thread only. The process learns the reason when it checks the lock itself.
    if (token !== undefined && token !== lock?.token) process.exit(1);
    this.#verifiedAt = now;
  }
}

const { dataDir, template, lock, wasm } = /** @type {ThreadOptions} */ (workerData);

const folder = dataDir === 'memory://' ? undefined : new LockedFolder(dataDir);
// PostgreSQL's reason for failing to start. PGlite itself only reports that it failed.
let fatalMessage = '';
const db = await PGlite.create({
  onStderr: (text) => {
    fatalMessage = /(?:FATAL|PANIC): +(.*)/.exec(text)?.[1] ?? fatalMessage;
    return false;
  },
  ...(folder ? { fs: folder, startParams: DURABLE } : { dataDir }),
  ...(template && { loadDataDir: template }),
  ...(wasm && { pgliteWasmModule: wasm }),
}).catch((error) => {
  throw fatalMessage ? new Error(fatalMessage, { cause: error }) : error;
});
folder?.hasStarted();
await db.exec("SET TIME ZONE 'UTC'");
const adapter = await new PrismaPGlite(db).connect();

/** @param {ThreadRequest} request */
const handle = async (request) => {
  switch (request.kind) {
    case 'queryRaw':
      return adapter.queryRaw(request.query);
    case 'executeRaw':
      return adapter.executeRaw(request.query);
    case 'query':
      return (await db.query(request.sql, request.params)).rows;
    case 'exec':
      await db.exec(request.sql);
      return undefined;
    case 'close':
      return db.close();
  }
};

const FIELDS = ['code', 'severity', 'detail', 'hint', 'column', 'constraint', 'table', 'schema'];

/** Errors lose their class and most of their fields when posted to another thread. @param {unknown} error */
const pack = (error) => {
  const { message, name, cause, ...fields } = /** @type {Record<string, unknown>} */ ({
    message: String(error),
    ...(error instanceof Error && { name: error.name, message: error.message, cause: error.cause }),
    ...(error instanceof Object && error),
  });
  const present = FIELDS.filter((field) => typeof fields[field] === 'string');
  return {
    message,
    fields: Object.fromEntries(present.map((field) => [field, fields[field]])),
    ...(name === 'DriverAdapterError' && { driverCause: cause }),
  };
};

/**
 * Whether PostgreSQL would have exited on this error. PGlite keeps running, in an undefined state.
 * @param {unknown} error
 */
const isFatal = async (error) => {
  const { severity, cause } = /** @type {{ severity?: string, cause?: { severity?: string } }} */ (
    error
  );
  const known = severity ?? cause?.severity;
  if (known) return known === 'PANIC' || known === 'FATAL';
  if (error instanceof Error && error.name === 'DriverAdapterError') return false;
  try {
    await db.query('SELECT 1');
    return false;
  } catch (probeError) {
    // In a failed transaction the probe is rejected too, with severity ERROR.
    return /** @type {{ severity?: string }} */ (probeError).severity !== 'ERROR';
  }
};

const checkpoint = async () => {
  if (writtenBytes < CHECKPOINT_BYTES || db.closed || db.isInTransaction()) return;
  writtenBytes = 0;
  // If it fails, the next write fails for the same reason and reports it to its caller.
  await db.exec('CHECKPOINT').catch(() => undefined);
};

/** @type {Promise<void>} */
let queue = Promise.resolve();
parentPort?.on('message', (/** @type {ThreadRequest} */ request) => {
  queue = queue.then(async () => {
    try {
      parentPort?.postMessage({ value: await handle(request) });
    } catch (error) {
      parentPort?.postMessage({ error: pack(error), isFatal: await isFatal(error) });
    }
    await checkpoint();
  });
});
parentPort?.postMessage('ready');
