import { LayoutError } from './layout-error.js';
import type { SqlSession } from './sql-session.js';

/** Table name to the columns the gateway uses. */
export type NeededColumns = ReadonlyMap<string, readonly string[]>;

// Mapped for the demo world, never read from a database that is not ours.
const DISPENSABLE = new Set(['addons.parameters']);

type RuntimeField = { name: string; kind: string; dbName?: string | null };
type RuntimeModel = { dbName?: string | null; fields: RuntimeField[] };

/**
 * What the Prisma client will ask for. Read from the client itself, which keeps its map of models in this one property:
 * a list by hand would fall behind the first time a column is added.
 */
export const neededColumns = (client: object): NeededColumns => {
  const { models } = Reflect.get(client, '_runtimeDataModel') as {
    models: Record<string, RuntimeModel>;
  };
  return new Map(
    Object.entries(models).map(([name, model]) => {
      const table = model.dbName ?? name;
      const columns = model.fields
        .filter((field) => field.kind !== 'object')
        .map((field) => field.dbName ?? field.name)
        .filter((column) => !DISPENSABLE.has(`${table}.${column}`));
      return [table, columns];
    }),
  );
};

// pg_attribute rather than information_schema: the latter hides what the current user has no rights on.
const COLUMNS = `
  SELECT c.relname AS table_name, a.attname AS column_name
  FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND a.attnum > 0 AND NOT a.attisdropped`;

/** Throws an error that names every table and column missing from a database somebody else migrates. */
export const checkLayout = async (session: SqlSession, needed: NeededColumns): Promise<void> => {
  const { rows } = await session.query<{ table_name: string; column_name: string }>(COLUMNS);
  const tables = new Set(rows.map((row) => row.table_name));
  const columns = new Set(rows.map((row) => `${row.table_name}.${row.column_name}`));

  const missing = [...needed].flatMap(([table, names]) =>
    tables.has(table)
      ? names.map((name) => `${table}.${name}`).filter((name) => !columns.has(name))
      : [`table ${table}`],
  );
  if (missing.length === 0) return;

  throw new LayoutError(
    `The database is migrated by another service (its table "migrations" is there), but its layout is not one the gateway knows. Missing: ${missing.join(', ')}. Attach the gateway to a database of version 6.6 or newer, or let that service finish its own migrations first.`,
  );
};
