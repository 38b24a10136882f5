import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Connection } from '../connection.js';
import { createDatabaseTimes } from '../database-times.js';
import { LayoutError } from '../layout/layout-error.js';
import type { SqlSession } from '../sql-session.js';
import { createEmbeddedAdapter } from './embedded-adapter.js';
import { createSession, type EmbeddedSession } from './embedded-session.js';
import { startThread } from './embedded-thread.js';
import { type FolderLock, lockFolder } from './folder-lock.js';

export type EmbeddedOptions = {
  /** Folder of the database, or `memory://` for one that is lost on exit. */
  dataDir: string;
  /** Packed data folder to create a new database from. */
  template?: Blob | undefined;
  /** Statement timeout in milliseconds. Default: 15000. */
  statementTimeoutMs?: number | undefined;
  onProgress?: ((message: string) => void) | undefined;
};

const SYNCED_AT_ONCE = 16;

/** Runs PostgreSQL in a thread of this process. The folder is locked: two writers would corrupt each other's rows. */
export const openEmbedded = async (options: EmbeddedOptions): Promise<Connection> => {
  const { statementTimeoutMs = 15_000, template } = options;
  let onLost = (_error: LayoutError) => {};
  const lost = new Promise<LayoutError>((resolve) => {
    onLost = resolve;
  });
  if (options.dataDir === 'memory://') {
    const start = () => startThread({ dataDir: 'memory://', template });
    const session = await createSession({
      open: start,
      isVolatile: true,
      onLost,
      statementTimeoutMs,
    });
    return connect(session, 'memory', { lost });
  }

  const folder = resolve(options.dataDir);
  prepareFolder(folder);
  const lock = lockFolder(folder, onLost);
  try {
    prepareDatabase(folder, options);
    const openAgain = () => openFolder(folder, lock, template);
    const session = await createSession({ open: openAgain, isVolatile: false, statementTimeoutMs });
    lost.then(session.fail);
    return connect(session, folder, { lock, lost });
  } catch (error) {
    lock.release();
    const reason = error instanceof Error ? error.message : String(error);
    throw new LayoutError(
      `The embedded database in ${folder} cannot be opened: ${reason}. Set DATA_DIR to another folder, or delete this one to start over.`,
      { cause: error },
    );
  }
};

/** Whether the folder holds a database whose creation was not interrupted. */
export const hasEmbedded = (dataDir: string): boolean => {
  const folder = resolve(dataDir);
  return existsSync(join(folder, 'database')) && !existsSync(join(folder, 'creating'));
};

/** Marks a new database as incomplete until it has been opened once. */
const prepareDatabase = (folder: string, { onProgress }: EmbeddedOptions): void => {
  const database = join(folder, 'database');
  const creating = join(folder, 'creating');
  // The marker outlived its process: creation was interrupted before anything could be stored.
  if (existsSync(creating)) rmSync(database, { recursive: true, force: true });
  if (existsSync(database)) return;

  onProgress?.(`Creating the embedded database in ${folder}`);
  writeFileSync(creating, '');
};

const openFolder = async (folder: string, lock: FolderLock, template?: Blob) => {
  lock.assertHeld();
  const database = join(folder, 'database');
  const creating = join(folder, 'creating');
  const isNew = existsSync(creating);
  const { path, token } = lock;
  const thread = await startThread({
    dataDir: database,
    template: isNew ? template : undefined,
    lock: { path, token },
  });
  if (isNew) {
    await syncFolder(database);
    rmSync(creating);
  }
  return thread;
};

const connect = (
  session: EmbeddedSession,
  location: string,
  { lock, lost }: { lock?: FolderLock; lost: Promise<LayoutError> },
): Connection => {
  // Keeps the lock mid-statement: the thread may write slightly longer than this process handles its exit.
  const onExit = () => {
    if (session.isIdle()) lock?.release();
  };
  process.once('exit', onExit);
  const times = createDatabaseTimes();
  return {
    kind: 'embedded',
    place: location,
    schema: 'public',
    adapter: createEmbeddedAdapter(session, times),
    observe: times.observe,
    withSession: (work) => withTurn(session, work),
    serverTimeZone: () =>
      withTurn(session, async ({ query }) => {
        const { rows } = await query<{ zone: string }>(
          "SELECT reset_val AS zone FROM pg_settings WHERE name = 'TimeZone'",
        );
        return rows[0]?.zone ?? 'unknown';
      }),
    lost,
    close: async () => {
      await session.close();
      process.off('exit', onExit);
      lock?.release();
    },
  };
};

const withTurn = async <Result>(
  session: EmbeddedSession,
  work: (session: SqlSession) => Promise<Result>,
): Promise<Result> => {
  const lease = await session.take({ isUnlimited: true });
  try {
    return await work({
      query: async <Row>(sql: string, params: unknown[] = []) => ({
        rows: (await lease.send({ kind: 'query', sql, params })) as Row[],
      }),
      exec: async (sql) => {
        await lease.send({ kind: 'exec', sql });
      },
    });
  } finally {
    lease.release();
  }
};

/** A new database is copied into its folder as plain files, which PostgreSQL does not sync. */
const syncFolder = async (folder: string): Promise<void> => {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const paths = [folder, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
  const syncers = Array.from({ length: SYNCED_AT_ONCE }, async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) await sync(path);
  });
  await Promise.all(syncers);
};

const sync = async (path: string): Promise<void> => {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
};

// One level at a time: below /proc, Node's recursive mkdir never returns.
const makeFolder = (folder: string): void => {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
};

const prepareFolder = (folder: string): void => {
  try {
    makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LayoutError(
      `The embedded database cannot be stored in ${folder}: ${reason}. Set DATA_DIR to a folder that this user can write to.`,
      { cause: error },
    );
  }
};
