import type { Prisma } from './db.js';
import { LayoutError } from './layout-error.js';
import { NEEDS } from './needs.js';
import type { SqlSession } from './sql-session.js';

/** Table name to the columns the gateway uses. */
export type NeededColumns = ReadonlyMap<string, readonly string[]>;

/** A table and columns of it. */
export type MappedTable = { table: string; columns: readonly string[] };

/** Where the database keeps a model, and which of the columns there the client asks for. */
export type TableOf = (model: Prisma.ModelName) => MappedTable;

// Mapped for the demo world, never read from a database that is not ours.
const DISPENSABLE = new Set(['addons.parameters']);

// Newer originals keep something to verify a token by in place of the token.
const REPLACED_BY: Readonly<Record<string, readonly string[]>> = {
  'personal_access_tokens.secret': ['selector', 'verifier'],
};

type RuntimeField = { name: string; kind: string; dbName?: string | null };
type RuntimeModel = { dbName?: string | null; fields: RuntimeField[] };

/**
 * What the Prisma client will ask for. Read from the client itself, which keeps its map of models in this one property:
 * a list by hand would fall behind the first time a column is added.
 */
export const mapOfTables = (client: object): TableOf => {
  const { models } = Reflect.get(client, '_runtimeDataModel') as {
    models: Record<string, RuntimeModel>;
  };
  return (name) => {
    const { dbName, fields } = models[name] ?? { fields: [] };
    const table = dbName ?? name;
    const columns = fields
      .filter((field) => field.kind !== 'object')
      .map((field) => field.dbName ?? field.name)
      .filter((column) => !DISPENSABLE.has(`${table}.${column}`));
    return { table, columns };
  };
};

/** All that any operation needs; what is mapped for the demo world alone is not among it. */
export const neededColumns = (client: object): NeededColumns => {
  const tableOf = mapOfTables(client);
  const models = new Set(
    Object.values(NEEDS).flatMap(({ reads, inserts }) => [...reads, ...inserts]),
  );
  return new Map(
    [...models].map((model) => {
      const { table, columns } = tableOf(model);
      return [table, columns];
    }),
  );
};

/** A column that is there, and what the user of the database may do with it. */
export type FoundColumn = {
  table: string;
  column: string;
  SELECT: boolean;
  INSERT: boolean;
  UPDATE: boolean;
};

// pg_attribute rather than information_schema: the latter hides what the current user has no rights on.
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

/** What is not there of a table: the whole of it, or single columns. */
export const missingOf = (found: readonly FoundColumn[], { table, columns }: MappedTable) => {
  const present = new Set(found.filter((row) => row.table === table).map((row) => row.column));
  const isReplaced = (column: string) =>
    REPLACED_BY[`${table}.${column}`]?.every((other) => present.has(other)) ?? false;
  const isAbsent = (column: string) => !present.has(column) && !isReplaced(column);
  return {
    isTableMissing: present.size === 0,
    columns: present.size === 0 ? [] : columns.filter(isAbsent),
  };
};

/** Throws an error that names every table and column missing from a database somebody else migrates. */
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
    `The database is migrated by another service (its table "migrations" is there), but its layout is not one the gateway knows. Missing: ${missing.join(', ')}. Attach the gateway to a database of version 6.6 or newer, or let that service finish its own migrations first.`,
  );
};
