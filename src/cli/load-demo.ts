import { Command } from 'commander';
import { ConfigError, loadConfig } from '../config/config.js';
import { type Database, openDatabase } from '../data/connect.js';
import { LayoutError } from '../data/layout-error.js';
import { DemoRefusedError, loadDemoWorld } from '../demo/load-demo-world.js';
import { DEMO_TOKENS } from '../demo/tokens.js';

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

/** `flaggraph demo`: fills an empty database of ours with the demo world. */
export const demoCommand = ({ env, print }: Terminal = processTerminal): Command => {
  const command = new Command('demo').description('load the demo world into an empty database');
  command.action(() =>
    onDatabase(command, { env, migrate: true, onProgress: print }, async (database) => {
      if (database.ownership === 'original') {
        throw new CommandRefusedError(
          'This database belongs to another service; the demo world goes into one of our own only.',
        );
      }

      await loadDemoWorld(database.client, { now: new Date(), onProgress: print });
      print(`Done. An admin token of the demo world: ${DEMO_TOKENS.admin}`);
    }),
  );
  return command;
};
