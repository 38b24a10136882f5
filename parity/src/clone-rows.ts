import { firstDifference } from './diff.js';
import { asNow } from './view.js';
import type { Row, Sql } from './world/sql.js';

/** The rows a clone has written, without values that are new in every row. */
export type CloneRows = {
  features: Row[];
  feature_environments: Row[];
  feature_strategies: Row[];
  dependent_features: Row[];
  /** Empty before 7.x. */
  feature_link: Row[];
  events: Row[];
  /** Increase of the event count by day and environment. */
  stat_environment_updates: Record<string, number>;
  /** Change of the row count of every other table. */
  others: Record<string, number>;
};

export type Mark = {
  lastEventId: number;
  fingerprint: string;
  updates: Record<string, number>;
  /** Row count of every table. */
  counts: Record<string, number>;
};

const TABLES = [
  'features',
  'feature_environments',
  'feature_strategies',
  'feature_strategy_segment',
  'dependent_features',
  'feature_tag',
  'feature_link',
];

/** The tables of a list that exist in this version. */
const presentOf = async (sql: Sql, tables: readonly string[]): Promise<string[]> => {
  const rows = await sql.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
    [tables],
  );
  return rows.map(({ name }) => name);
};

const readUpdates = async (sql: Sql): Promise<Record<string, number>> => {
  const rows = await sql.query<{ key: string; updates: string }>(
    `select day || ' ' || environment as key, updates from stat_environment_updates where updates > 0 order by 1`,
  );
  return Object.fromEntries(rows.map(({ key, updates }) => [key, Number(updates)]));
};

const countQueries = new WeakMap<Sql, Promise<string>>();

const countQueryOf = async (sql: Sql): Promise<string> => {
  const tables = await sql.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace order by 1`,
  );
  return tables
    .map(({ name }) => `select '${name}' as name, count(*)::int as count from ${name}`)
    .join(' union all ');
};

/** Includes tables that are not compared row by row. */
const readCounts = async (sql: Sql): Promise<Record<string, number>> => {
  const query = countQueries.get(sql) ?? countQueryOf(sql);
  countQueries.set(sql, query);
  const rows = await sql.query<{ name: string; count: number }>(await query);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
};

/** Tables that are compared row by row, and tables that any request writes to. */
const COMPARED = [...TABLES, 'events', 'stat_environment_updates', 'unleash_session'];

/** The state of a database. Two equal marks mean that no row was added, removed or changed. */
export const readMark = async (sql: Sql): Promise<Mark> => {
  const sums = (await presentOf(sql, TABLES)).map(
    (table) => `(select coalesce(sum(hashtextextended(t::text, 0)), 0) from ${table} t)::text`,
  );
  const row = await sql.one<{ last: number; fingerprint: string }>(
    `select coalesce(max(id), 0)::int as last,
       concat_ws(' ', count(*), max(id), ${sums.join(', ')}) as fingerprint from events`,
  );
  const updates = await readUpdates(sql);
  return {
    lastEventId: row.last,
    fingerprint: `${row.fingerprint} ${JSON.stringify(updates)}`,
    updates,
    counts: await readCounts(sql),
  };
};

const sortRows = (rows: Row[]) =>
  rows
    .map((row): [string, Row] => [JSON.stringify(row), row])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);

const fresh = (row: Row): Row => ({ ...row, created_at: asNow(row['created_at']) });

const readTable = async (sql: Sql, table: string, column: string, name: string): Promise<Row[]> => {
  const rows = await sql.query<{ row: Row }>(
    `select to_jsonb(t) as row from ${table} t where ${column} = $1`,
    [name],
  );
  return rows.map(({ row }) => row);
};

const readStrategies = async (sql: Sql, name: string): Promise<Row[]> => {
  const rows = await sql.query<{ row: Row; segments: number[] }>(
    `select to_jsonb(s) as row, array(select segment_id from feature_strategy_segment l
       where l.feature_strategy_id = s.id order by segment_id) as segments
     from feature_strategies s where feature_name = $1`,
    [name],
  );
  return rows.map(({ row, segments }) => ({ ...fresh(row), segments }));
};

type EventRow = { id: number; created_at: Date; data_text: string | null; row: Row };

const readEvents = (sql: Sql, lastEventId: number): Promise<EventRow[]> =>
  sql.query<EventRow>(
    `select id, created_at, data::text as data_text, to_jsonb(e) - 'id' - 'data' as row
     from events e where id > $1 order by id`,
    [lastEventId],
  );

// Newer versions of upstream use ULIDs for strategies.
const UUID =
  /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|\b[0-9A-HJKMNP-TV-Z]{26}\b/;

const sorted = (ids: string) =>
  ids
    .split(',')
    .sort((a, b) => Number(a) - Number(b))
    .join();

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** Numbers groups by first occurrence, because group IDs are new each time. */
const viewGroups = (events: readonly EventRow[]) => {
  const ids = [...new Set(events.map(({ row }) => row['group_id']))];
  return (id: unknown) =>
    typeof id === 'string' && ULID.test(id) ? `<group ${ids.indexOf(id)}>` : id;
};

const readLinks = async (sql: Sql, name: string): Promise<Row[]> => {
  const [table] = await presentOf(sql, ['feature_link']);
  const rows = table ? await readTable(sql, table, 'feature_name', name) : [];
  return rows.map(({ id, ...row }) => ({ id: ULID.test(String(id)) ? '<id>' : id, ...row }));
};

/** The first event must be the feature's creation; the order of the others is arbitrary. */
const viewEvents = (events: readonly EventRow[], createdAt: unknown): Row[] => {
  const groupOf = viewGroups(events);
  const [first, ...rest] = events.map(({ data_text, row }) => ({
    ...fresh(row),
    ...('group_id' in row && { group_id: groupOf(row['group_id']) }),
    // Compares the text itself, because free-text search matches it.
    data: data_text
      ?.replace(`"id":"${UUID.exec(data_text)?.[0] ?? ''}"`, '"id":"<id>"')
      .replace(String(createdAt), '<created>')
      .replace(/"segments":\[([\d,]+)\]/, (_match, ids: string) => `"segments":[${sorted(ids)}]`),
  }));
  return [...(first ? [first] : []), ...sortRows(rest)];
};

const isAscending = (events: readonly EventRow[]) =>
  events.every((event, index) => {
    const before = events[index - 1];
    return before === undefined || before.created_at <= event.created_at;
  });

const subtract = (after: Record<string, number>, before: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(after)
      .map(([key, updates]): [string, number] => [key, updates - (before[key] ?? 0)])
      .filter(([, updates]) => updates !== 0),
  );

export type ReadClone = {
  rows: CloneRows;
  /** Event types, ordered by event ID. */
  eventTypes: string[];
  /** Errors in the IDs and timestamps themselves. */
  fault?: string;
};

/** Reads what a clone of this name has written since the mark. */
export const readClone = async (sql: Sql, name: string, mark: Mark): Promise<ReadClone> => {
  const [feature] = await sql.query<{ created_at: Date }>(
    'select created_at from features where name = $1',
    [name],
  );
  const events = await readEvents(sql, mark.lastEventId);
  const strategies = await readStrategies(sql, name);
  const rows: CloneRows = {
    features: (await readTable(sql, 'features', 'name', name)).map(fresh),
    feature_environments: sortRows(
      await readTable(sql, 'feature_environments', 'feature_name', name),
    ),
    feature_strategies: sortRows(
      strategies.map(({ id, ...row }) => ({ id: UUID.test(String(id)) ? '<id>' : id, ...row })),
    ),
    feature_link: sortRows(await readLinks(sql, name)),
    dependent_features: sortRows(await readTable(sql, 'dependent_features', 'child', name)),
    events: viewEvents(events, feature?.created_at.toISOString()),
    stat_environment_updates: subtract(await readUpdates(sql), mark.updates),
    others: Object.fromEntries(
      Object.entries(subtract(await readCounts(sql), mark.counts)).filter(
        ([table]) => !COMPARED.includes(table),
      ),
    ),
  };

  const recordedIds = new Set(
    events.map(({ data_text }) => UUID.exec(data_text ?? '')?.[0]).filter(Boolean),
  );
  const unrecorded = strategies.filter(({ id }) => !recordedIds.has(String(id)));
  return {
    rows,
    eventTypes: events.map(({ row }) => String(row['type'])),
    ...(!isAscending(events) && { fault: 'event timestamps do not ascend with the IDs' }),
    ...(unrecorded.length > 0 && { fault: 'a strategy has no event with its ID' }),
  };
};

export const compareRows = (upstream: CloneRows, gateway: CloneRows): string | undefined =>
  firstDifference(upstream, gateway, 'rows');

/** Undoes everything written since the mark, including a clone of this name. */
export const undo = async (sql: Sql, name: string | undefined, mark: Mark): Promise<void> => {
  if (name !== undefined) {
    await sql.query('delete from dependent_features where child = $1', [name]);
    await sql.query('delete from features where name = $1', [name]);
  }
  await sql.query(
    `with gone as (delete from events where id > $1 returning environment, created_at::date as day),
       counted as (select day, environment, count(*) as updates from gone where environment is not null group by 1, 2)
     update stat_environment_updates s set updates = s.updates - c.updates
     from counted c where s.day = c.day and s.environment = c.environment`,
    [mark.lastEventId],
  );
  await sql.query(`select setval('events_id_seq', greatest($1::int, 1))`, [mark.lastEventId]);
};

const COPIED: readonly [table: string, condition: string][] = [
  ['features', 'name = $1'],
  ['feature_environments', 'feature_name = $1'],
  ['feature_strategies', 'feature_name = $1'],
  [
    'feature_strategy_segment',
    'feature_strategy_id in (select id from feature_strategies where feature_name = $1)',
  ],
  ['dependent_features', 'child = $1'],
  ['feature_link', 'feature_name = $1'],
];

const copyRows = async (from: Sql, to: Sql, table: string, condition: string, value: unknown) => {
  const { rows } = await from.one<{ rows: string | null }>(
    `select json_agg(row_to_json(t))::text as rows from ${table} t where ${condition}`,
    [value],
  );
  if (rows === null) return;
  await to.query(
    `insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`,
    [rows],
  );
};

/** Replaces upstream's copy with the gateway's, including IDs and timestamps, so that both databases stay equal. */
export const adopt = async (
  upstream: Sql,
  gateway: Sql,
  name: string,
  mark: Mark,
): Promise<void> => {
  await undo(upstream, name, mark);
  const present = await presentOf(
    gateway,
    COPIED.map(([table]) => table),
  );
  for (const [table, condition] of COPIED.filter(([copied]) => present.includes(copied))) {
    await copyRows(gateway, upstream, table, condition, name);
  }
  await copyRows(gateway, upstream, 'events', 'id > $1', mark.lastEventId);
  for (const sql of [upstream, gateway]) {
    await sql.query(`select setval('events_id_seq', (select max(id) from events))`);
  }
};
