import type { Command } from 'commander';
import { ConfigError, loadConfig } from '../config/config.js';
import { type Database, openDatabase } from '../data/connect.js';
import { databaseFailure, deniedObject } from '../data/database-failure.js';
import { FolderInUseError } from '../data/embedded/folder-lock.js';
import { LayoutError } from '../data/layout/layout-error.js';
import { DemoNotEmptyError } from '../demo/load-demo-data.js';
import { toDomainError } from '../domain/failures.js';
import { toPlainText } from '../domain/plain-line.js';
import { assertDatabase } from './assert-database.js';
import { CommandError } from './command-error.js';
import { type ControlClient, openOrCall } from './control/control-client.js';

const EXPECTED = [CommandError, ConfigError, DemoNotEmptyError, LayoutError];
const IN_USE_HINT =
  'Stop that server first, or keep the data in PostgreSQL and set DATABASE_URL, which any number of processes can use.';

type OpenOptions = {
  env: NodeJS.ProcessEnv;
  /** False rejects a database without tables instead of creating them. */
  migrate: boolean;
  onProgress?: (message: string) => void;
};

const open = ({ env, migrate, onProgress }: OpenOptions): Promise<Database> => {
  const config = loadConfig(env);
  if (!migrate) assertDatabase(config);
  const { databaseUrl, dataDir } = config;
  return openDatabase({ databaseUrl, dataDir, migrate, onProgress });
};

const runOn = async (database: Database, work: (database: Database) => Promise<void>) => {
  try {
    await work(database);
  } finally {
    await database.close();
  }
};

/** The message of an expected error. Null for a bug. */
const messageOf = (error: unknown): string | null => {
  if (error instanceof FolderInUseError) return `${error.message}\n${IN_USE_HINT}`;
  if (EXPECTED.some((kind) => error instanceof kind)) return (error as Error).message;
  if (databaseFailure(error) === 'privilege') {
    const object = deniedObject(error) ?? 'an object';
    return `The database user lacks a privilege on ${object} that this command requires. Use the role that owns the tables.`;
  }
  return toDomainError(error)?.message ?? null;
};

/** Prints expected errors as a message, without a stack trace. */
const reportErrors = async (command: Command, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    const message = messageOf(error);
    if (message === null) throw error;
    command.error(`error: ${toPlainText(message)}`);
  }
};

/** Runs a command on the configured database. */
export const withDatabase = (
  command: Command,
  options: OpenOptions,
  work: (database: Database) => Promise<void>,
): Promise<void> => reportErrors(command, async () => runOn(await open(options), work));

/** Runs a command on the configured database, or on the server that has the embedded one open. */
export const withDatabaseOrServer = (
  command: Command,
  env: NodeJS.ProcessEnv,
  work: {
    onDatabase: (database: Database) => Promise<void>;
    onServer: (server: ControlClient) => Promise<void>;
  },
): Promise<void> =>
  reportErrors(command, () =>
    openOrCall(loadConfig(env).dataDir, {
      open: () => open({ env, migrate: false }),
      onOpen: (database) => runOn(database, work.onDatabase),
      onServer: work.onServer,
    }),
  );
