import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { Connection } from './connection.js';
import { createEmbeddedAdapter } from './embedded-adapter.js';
import { type FolderLock, lockFolder } from './folder-lock.js';
import { LayoutError } from './layout-error.js';
import { pgliteSession } from './sql-session.js';

export type EmbeddedOptions = {
  /** Folder of the database, or `memory://` for one that goes with the process. */
  dataDir: string;
  /** A packed data folder that a new database starts from, instead of being made from nothing. */
  template?: Blob | undefined;
  onProgress?: ((message: string) => void) | undefined;
};

/** PostgreSQL inside this process. Nobody else may open the folder meanwhile: two writers would destroy each other's rows. */
export const openEmbedded = async (options: EmbeddedOptions): Promise<Connection> => {
  if (options.dataDir === 'memory://') {
    return connect(await create('memory://', options.template), 'memory');
  }

  const folder = resolve(options.dataDir);
  prepareFolder(folder);
  const lock = lockFolder(folder);
  try {
    return connect(await openFolder(folder, options), folder, lock);
  } catch (error) {
    lock.release();
    const reason = error instanceof Error ? error.message : String(error);
    throw new LayoutError(
      `The embedded database in ${folder} cannot be opened: ${reason}. Point DATA_DIR at another folder, or remove this one to start afresh.`,
      { cause: error },
    );
  }
};

/** Whether the folder holds a database already, one whose creation was not cut short. */
export const hasEmbedded = (dataDir: string): boolean => {
  const folder = resolve(dataDir);
  return existsSync(join(folder, 'database')) && !existsSync(join(folder, 'creating'));
};

const openFolder = async (folder: string, { template, onProgress }: EmbeddedOptions) => {
  const database = join(folder, 'database');
  const creating = join(folder, 'creating');
  // The mark outlived its process: creation was cut short, before anything could be stored.
  if (existsSync(creating)) rmSync(database, { recursive: true, force: true });
  if (existsSync(database)) return create(database);

  onProgress?.(`Creating the embedded database in ${folder}`);
  writeFileSync(creating, '');
  const db = await create(database, template);
  rmSync(creating);
  return db;
};

const create = async (dataDir: string, template?: Blob): Promise<PGlite> => {
  const db = await PGlite.create({ dataDir, ...(template && { loadDataDir: template }) });
  await db.exec("SET TIME ZONE 'UTC'");
  return db;
};

const connect = (db: PGlite, place: string, lock?: FolderLock): Connection => ({
  kind: 'embedded',
  place,
  schema: 'public',
  adapter: createEmbeddedAdapter(db),
  withSession: (work) => work(pgliteSession(db)),
  serverTimeZone: async () => {
    const { rows } = await db.query<{ zone: string }>(
      "SELECT reset_val AS zone FROM pg_settings WHERE name = 'TimeZone'",
    );
    return rows[0]?.zone ?? 'unknown';
  },
  close: async () => {
    await db.close();
    lock?.release();
  },
});

// Step by step: below /proc, Node never returns from making all of a path at once.
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
      `The embedded database cannot be kept in ${folder}: ${reason}. Point DATA_DIR at a folder this user may write to.`,
      { cause: error },
    );
  }
};
