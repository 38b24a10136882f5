import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/data/connect.js';
import { type Gateway, startGateway } from './app.js';
import { addCloneWorld } from './clone-world.js';
import { createMigratedDatabase } from './database.js';

export type PostgresWorld = {
  url: string;
  database: Database;
  db: Database['client'];
  gateway: Gateway;
  /** Another session on the same database. */
  connect: () => Promise<pg.Client>;
  /** Runs after the suite, before the database is dropped. */
  onClose: (cleanUp: () => Promise<unknown>) => void;
  close: () => Promise<void>;
};

/** The clone world on PostgreSQL, for tests that need a second session. */
export const openPostgresWorld = async (): Promise<PostgresWorld> => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  const onClose = (cleanUp: () => Promise<unknown>) => {
    cleanUps.push(cleanUp);
  };
  const { url, drop } = await createMigratedDatabase();
  onClose(drop);
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  onClose(database.close);
  await addCloneWorld(database.client);
  const gateway = await startGateway(database);
  onClose(gateway.stop);

  return {
    url,
    database,
    db: database.client,
    gateway,
    connect: async () => {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      await client.connect();
      onClose(() => client.end());
      return client;
    },
    onClose,
    close: async () => {
      for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
    },
  };
};

/** Waits until a condition is true. */
export const until = async (
  description: string,
  condition: () => Promise<boolean>,
): Promise<void> => {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`It did not come true that ${description}.`);
    await delay(20);
  }
};

const countWaiting = async (session: pg.Client): Promise<number> => {
  const { rows } = await session.query<{ count: number }>(`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return rows[0]?.count ?? 0;
};

/** Waits until a number of sessions of the database wait for a lock. */
export const untilWaiting = (session: pg.Client, count = 1): Promise<void> =>
  until(`${count} sessions wait`, async () => (await countWaiting(session)) >= count);
