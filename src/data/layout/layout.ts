import type { Prisma } from '../db.js';
import { TABLES } from '../generated/tables.js';
import type { SqlSession } from '../sql-session.js';
import { LayoutError } from './layout-error.js';
import { REQUIREMENTS, type TableColumns, UNREAD_COLUMNS } from './requirements.js';

/** Maps table names to the columns that the gateway uses. */
export type NeededColumns = ReadonlyMap<string, readonly string[]>;

/** The table of a model, and its columns that operations read. */
export type TableOf = (model: Prisma.ModelName) => TableColumns;

// Newer Unleash versions store a selector and verifier instead of the token.
const REPLACED_BY: Readonly<Record<string, readonly string[]>> = {
  'personal_access_tokens.secret': ['selector', 'verifier'],
};

export const tableOf: TableOf = (model) => {
  const { name: table, columns } = TABLES[model];
  const isRead = (column: string) => !UNREAD_COLUMNS.has(`${table}.${column}`);
  return { table, columns: Object.values<string>(columns).filter(isRead) };
};

/** The columns that operations need, without those mapped only for the demo data. */
export const neededColumns = (): NeededColumns => {
  const models = new Set(Object.values(REQUIREMENTS).flatMap(({ reads }) => reads));
  return new Map(
    [...models].map((model) => {
      const { table, columns } = tableOf(model);
      return [table, columns];
    }),
  );
};

/** An existing column and the database user's privileges on it. */
export type FoundColumn = {
  table: string;
  column: string;
  SELECT: boolean;
  INSERT: boolean;
  UPDATE: boolean;
};

// pg_attribute instead of information_schema, which hides objects that the current user has no privileges on.
const COLUMNS = `
  SELECT c.relname::text AS "table", a.attname::text AS "column",
    has_column_privilege(c.oid, a.attnum, 'SELECT') AS "SELECT",
    has_column_privilege(c.oid, a.attnum, 'INSERT') AS "INSERT",
    has_column_privilege(c.oid, a.attnum, 'UPDATE') AS "UPDATE"
  FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace
    AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.relname, a.attnum`;

export const readColumns = async (session: Pick<SqlSession, 'query'>): Promise<FoundColumn[]> => {
  const { rows } = await session.query<FoundColumn>(COLUMNS);
  return rows;
};

/** The parts of a table that are missing: the whole table, or single columns. */
export const missingOf = (found: readonly FoundColumn[], { table, columns }: TableColumns) => {
  const present = new Set(found.filter((row) => row.table === table).map((row) => row.column));
  const isReplaced = (column: string) =>
    REPLACED_BY[`${table}.${column}`]?.every((other) => present.has(other)) ?? false;
  const isAbsent = (column: string) => !present.has(column) && !isReplaced(column);
  return {
    isTableMissing: present.size === 0,
    columns: present.size === 0 ? [] : columns.filter(isAbsent),
  };
};

/** Throws an error that names every missing table and column in a database that Unleash migrates. */
export const checkLayout = async (
  session: Pick<SqlSession, 'query'>,
  needed: NeededColumns,
): Promise<void> => {
  const found = await readColumns(session);
  const missing = [...needed].flatMap(([table, columns]) => {
    const { isTableMissing, columns: absent } = missingOf(found, { table, columns });
    return isTableMissing ? [`table ${table}`] : absent.map((column) => `${table}.${column}`);
  });
  if (missing.length === 0) return;

  throw new LayoutError(
    `The database has Unleash's table "migrations", but not the tables and columns that the gateway requires. Missing: ${missing.join(', ')}. The gateway supports Unleash 6.6 or newer, after all its migrations have run.`,
  );
};
