import type { Command } from 'commander';
import { ConfigError, loadConfig } from '../config/config.js';
import { type Database, openDatabase } from '../data/connect.js';
import { LayoutError } from '../data/layout-error.js';
import { DemoRefusedError } from '../demo/load-demo-world.js';

/** A command that cannot do what it was asked; the message tells the person at the terminal why. */
export class CommandRefusedError extends Error {
  override readonly name = 'CommandRefusedError';
}

/** Where a command reads its settings and writes its output; the process's own unless a test says otherwise. */
export type Terminal = { env: NodeJS.ProcessEnv; print: (line: string) => void };
export const processTerminal: Terminal = { env: process.env, print: (line) => console.log(line) };

const EXPECTED = [CommandRefusedError, ConfigError, DemoRefusedError, LayoutError];
const LOCKED =
  'While a server runs on the embedded database nothing else can open it: stop that server for a moment, or keep the data in PostgreSQL and set DATABASE_URL.';

type OpenOptions = {
  env: NodeJS.ProcessEnv;
  /** False: refuse a database without tables instead of laying them. */
  migrate: boolean;
  onProgress?: (message: string) => void;
};

/** Runs a command on the database that the settings name; a refusal is told as a sentence, not as a crash. */
export const onDatabase = async (
  command: Command,
  { env, migrate, onProgress }: OpenOptions,
  work: (database: Database) => Promise<void>,
): Promise<void> => {
  try {
    const { databaseUrl, dataDir } = loadConfig(env);
    const database = await openDatabase({ databaseUrl, dataDir, migrate, onProgress });
    try {
      await work(database);
    } finally {
      await database.close();
    }
  } catch (error) {
    const isExpected = EXPECTED.some((kind) => error instanceof kind);
    if (!isExpected || !(error instanceof Error)) throw error;

    const hint = error.message.includes('is in use by') ? `\n${LOCKED}` : '';
    command.error(`error: ${error.message}${hint}`);
  }
};
