import { databaseFailure } from '../database-failure.js';
import type { SqlSession } from '../sql-session.js';

export type ServerFacts = {
  version: string;
  encoding: string;
  collation: string;
  ctype: string;
  /** Case-insensitive comparison works beyond the letters A to Z. */
  foldsAllLetters: boolean;
};

export type EventCount = { count: number; isExact: boolean };

// Larger tables are estimated: a full count would take longer than the figure is worth.
const COUNTED_UP_TO = 1_000_000;
// Assumed size of an event, for a table that was never analyzed.
const BYTES_PER_EVENT = 500;

const PROVIDERS: Readonly<Record<string, string>> = { b: 'builtin', c: 'libc', i: 'icu' };

// Read as one object, because the locale columns differ between server versions.
const SERVER = `
  SELECT current_setting('server_version') AS version, to_jsonb(d) - 'datacl' AS database,
    pg_encoding_to_char(d.encoding)::text AS encoding
  FROM pg_database d WHERE d.datname = current_database()`;

type DatabaseRow = {
  datcollate: string;
  datctype: string;
  datlocprovider?: string;
  daticulocale?: string | null;
  datlocale?: string | null;
};

export const readServerFacts = async (session: SqlSession): Promise<ServerFacts> => {
  const { rows } = await session.query<{
    version: string;
    encoding: string;
    database: DatabaseRow;
  }>(SERVER);
  const [row] = rows;
  if (!row) throw new Error('The database is missing from pg_database.');

  const { version, encoding, database } = row;
  const { datlocprovider = 'c', datlocale, daticulocale, datcollate, datctype } = database;
  const locale = datlocale ?? daticulocale;
  const named = locale ? `${locale} (${PROVIDERS[datlocprovider] ?? datlocprovider})` : null;
  return {
    version: version.split(' ')[0] ?? version,
    encoding,
    collation: named ?? datcollate,
    ctype: named ?? datctype,
    foldsAllLetters: named !== null || !['C', 'POSIX'].includes(datctype),
  };
};

const EVENTS = `
  SELECT c.reltuples::float8 AS estimate, pg_relation_size(c.oid)::float8 AS bytes
  FROM pg_class c
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relname = 'events'`;

/** The number of events. Null if they can't be counted. */
export const countEvents = async (session: SqlSession): Promise<EventCount | null> => {
  const [table] = (await session.query<{ estimate: number; bytes: number }>(EVENTS)).rows;
  if (!table) return null;
  // Negative, or zero for a table that has pages: never analyzed.
  const isMeasured = table.estimate > 0 || (table.estimate === 0 && table.bytes === 0);
  const estimate = isMeasured ? table.estimate : table.bytes / BYTES_PER_EVENT;
  if (estimate > COUNTED_UP_TO) return { count: Math.round(estimate), isExact: false };

  try {
    const { rows } = await session.query<{ count: number }>(
      'SELECT count(*)::float8 AS count FROM events',
    );
    return { count: rows[0]?.count ?? 0, isExact: true };
  } catch (error) {
    if (databaseFailure(error) === 'privilege') return null;
    throw error;
  }
};
