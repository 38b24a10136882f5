import { createHash } from 'node:crypto';
import { ADMIN_TOKEN, migrateUpstream } from '../../../parity/src/upstream.js';
import { pauseBackgroundWork } from '../../../parity/src/world/pause-background-work.js';
import { openSql, type Sql } from '../../../parity/src/world/sql.js';
import { buildingBlocks } from './building-blocks.js';
import { insertEvents } from './events.js';

export const UNLEASH_VERSION = '6.6.0';

const CHUNK = 100_000;

/** Changes whenever the generator's output changes. */
export const recipeOf = (events: number): string =>
  createHash('sha256')
    .update(
      [UNLEASH_VERSION, ...buildingBlocks(ADMIN_TOKEN), insertEvents(events, 1, events)].join(),
    )
    .digest('hex')
    .slice(0, 16);

type Index = { name: string; definition: string };

/** Indexes of the event log, which are dropped while it is filled, because that is faster. */
const indexesOfEvents = (sql: Sql): Promise<Index[]> =>
  sql.query<Index>(
    `select indexname as name, indexdef as definition from pg_indexes
     where schemaname = 'public' and tablename = 'events' and indexname <> 'events_pkey' order by 1`,
  );

/** Runs work that writes most of the log, without the indexes and triggers of the log. */
export const withoutIndexes = async (sql: Sql, work: () => Promise<void>): Promise<void> => {
  const indexes = await indexesOfEvents(sql);
  await sql.query('alter table events disable trigger user');
  for (const { name } of indexes) await sql.query(`drop index ${name}`);
  await work();
  for (const { definition } of indexes) await sql.query(definition);
  await sql.query('alter table events enable trigger user');
};

const fillEvents = async (
  sql: Sql,
  events: number,
  step: (done: number) => void,
): Promise<void> => {
  await sql.query('alter table events disable trigger user');
  await sql.query('truncate events cascade');
  await withoutIndexes(sql, async () => {
    for (let from = 1; from <= events; from += CHUNK) {
      const to = Math.min(events, from + CHUNK - 1);
      await sql.query(insertEvents(events, from, to));
      step(to);
    }
  });
  await sql.query(`select setval('events_id_seq', ${events})`);
};

const CHECKED_TABLES = [
  'projects',
  'features',
  'feature_environments',
  'feature_strategies',
  'feature_strategy_segment',
  'feature_tag',
  'integration_events',
  'segments',
];

/** A checksum over all rows of the filled tables. */
const checksumOf = async (sql: Sql): Promise<string> => {
  const hash = (table: string) =>
    `select bit_xor(('x' || left(md5(t::text), 16))::bit(64)::bigint)::text as sum, count(*) as found from ${table} t`;
  const sums: string[] = [];
  for (const table of ['events', ...CHECKED_TABLES]) {
    const { sum, found } = await sql.one<{ sum: string; found: string }>(hash(table));
    sums.push(`${table}:${found}:${sum}`);
  }
  return createHash('sha256').update(sums.join()).digest('hex').slice(0, 16);
};

/** Creates the tables of an empty database, fills them and returns their checksum. */
export const fillWorld = async (
  url: string,
  events: number,
  { onProgress, step }: { onProgress: (message: string) => void; step: (done: number) => void },
): Promise<string> => {
  onProgress(`Creating the tables of ${UNLEASH_VERSION}`);
  await migrateUpstream(UNLEASH_VERSION, url, onProgress);

  const sql = await openSql(url);
  try {
    await sql.query(`set timezone = 'UTC'`);
    await sql.query(`set max_parallel_workers_per_gather = 0`);
    for (const statement of buildingBlocks(ADMIN_TOKEN)) await sql.query(statement);
    await fillEvents(sql, events, step);
    await pauseBackgroundWork(sql);
    onProgress('Vacuuming');
    await sql.query('vacuum (freeze, analyze)');
    onProgress('Computing the checksum');
    return await checksumOf(sql);
  } finally {
    await sql.close();
  }
};
