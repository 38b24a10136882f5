import pg from 'pg';
import { buildingBlocks } from '../../../bench/src/world/building-blocks.js';
import { insertEvents } from '../../../bench/src/world/events.js';
import { createScope } from '../scope.js';
import { startGateway } from '../servers/gateway.js';
import { insertTokens, TOKENS } from './tokens.js';

const CHUNK = 100_000;

/** The gateway creates its tables in an empty database when it starts. */
const createTables = async (url: string): Promise<void> => {
  const scope = createScope();
  try {
    const gateway = await startGateway(scope, url);
    await gateway.terminate(30_000);
  } finally {
    await scope.close();
  }
};

const fillEvents = async (client: pg.Client, events: number): Promise<void> => {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where schemaname = 'public' and tablename = 'events' and indexname <> 'events_pkey'`,
  );
  await client.query('alter table events disable trigger user');
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (let from = 1; from <= events; from += CHUNK) {
    await client.query(insertEvents(events, from, Math.min(events, from + CHUNK - 1)));
  }
  for (const { definition } of indexes) await client.query(definition);
  await client.query(`select setval('events_id_seq', ${events})`);
  await client.query('alter table events enable trigger user');
};

/** Fills an empty database with the benchmark's world and this many events. */
export const fillWorld = async (url: string, events: number): Promise<void> => {
  await createTables(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`set timezone = 'UTC'`);
    await client.query(`set synchronous_commit = off`);
    for (const statement of [...buildingBlocks(TOKENS.admin), insertTokens()]) {
      await client.query(statement);
    }
    await fillEvents(client, events);
    await client.query('vacuum (analyze)');
  } finally {
    await client.end();
  }
};
