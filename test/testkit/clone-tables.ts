import type { Db } from '../../src/data/db.js';

export type Row = Record<string, unknown>;

/** All rows of all tables, by table. */
export type Tables = ReadonlyMap<string, readonly Row[]>;

const queries = new WeakMap<object, string>();

const readAllQuery = async (db: Db): Promise<string> => {
  const names = await db.$queryRaw<{ name: string }[]>`
    select table_name::text as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`;
  const parts = names.map(
    ({ name }) =>
      `select '${name}' as name, (select coalesce(jsonb_agg(to_jsonb(t)), '[]') from "${name}" t) as rows`,
  );
  return parts.join(' union all ');
};

/** Reads every table, so that unexpected rows are found as well. */
export const readTables = async (db: Db): Promise<Tables> => {
  const query = queries.get(db) ?? (await readAllQuery(db));
  queries.set(db, query);
  const tables = await db.$queryRawUnsafe<{ name: string; rows: Row[] }[]>(query);
  return new Map(tables.map(({ name, rows }) => [name, rows]));
};

const without = (rows: readonly Row[], others: readonly Row[]): Row[] => {
  const known = new Set(others.map((row) => JSON.stringify(row)));
  return rows.filter((row) => !known.has(JSON.stringify(row)));
};

/** The added and removed rows, of changed tables only. */
export const changesBetween = (before: Tables, after: Tables) => {
  const added: Record<string, Row[]> = {};
  const removed: Record<string, Row[]> = {};
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name) ?? [], after.get(name) ?? []];
    const [addedRows, removedRows] = [without(now, old), without(old, now)];
    if (addedRows.length > 0) added[name] = addedRows;
    if (removedRows.length > 0) removed[name] = removedRows;
  }
  return { added, removed };
};

export const NO_CHANGE = { added: {}, removed: {} };

/** The rows that some work changes in the database. */
export const changesOf = async (db: Db, work: () => Promise<unknown>) => {
  const before = await readTables(db);
  await work();
  return changesBetween(before, await readTables(db));
};

/** The number of rows added to each table. */
export const countsOf = (rows: Record<string, readonly Row[]>): Record<string, number> =>
  Object.fromEntries(Object.entries(rows).map(([name, list]) => [name, list.length]));

/** Tables that a clone of `addFullSource` writes to. */
export const CLONE_WRITES = [
  'features',
  'feature_environments',
  'feature_strategies',
  'feature_strategy_segment',
  'dependent_features',
  'events',
  'stat_environment_updates',
] as const;
