import type { Connection } from '../connection.js';
import { databaseFailure } from '../database-failure.js';
import { type Access, readAccess, readSequences } from '../layout/access.js';
import type { TableOf } from '../layout/layout.js';
import { LayoutError } from '../layout/layout-error.js';
import { readSessionTable, type SessionTable } from '../layout/session-table.js';
import type { SqlSession } from '../sql-session.js';
import { type FoundLayout, findLayout } from './find-layout.js';
import { readIndexCatalogue } from './index-catalogue.js';
import { type FoundIndex, inspectIndexes } from './index-state.js';
import { countEvents, type EventCount, readServerFacts, type ServerFacts } from './server-facts.js';
import { readTextIndex, type TextIndex } from './text-index.js';

const LOCK_LIMIT = '5s';

/** Everything the doctor found out about a database. */
export type Findings = {
  kind: Connection['kind'];
  place: string;
  schema: string;
  server: ServerFacts;
  /** Whether this user may create tables in the schema. */
  mayLayTables: boolean;
  /** The default time zone of sessions, and the one the gateway sets for its own. */
  timeZone: { server: string; gateway: string };
  layout: FoundLayout;
  access: Access;
  events: EventCount | null;
  /** The sequence that generates event IDs. Null if they don't come from a sequence. */
  sequence: { name: string; cache: number } | null;
  /** Whether Unleash's sign-in sessions are readable. */
  sessionTable: SessionTable;
  /** Number of private projects, which Unleash hides from Viewers. Null if they can't be counted. */
  privateProjects: number | null;
  /** Tables where row-level security hides rows from this user. */
  filteredTables: string[];
  indexes: FoundIndex[];
  textIndex: TextIndex;
};

/** Inspects a database without changing it. */
export const examine = async (connection: Connection, tableOf: TableOf): Promise<Findings> => {
  try {
    return await inspectConnection(connection, tableOf);
  } catch (error) {
    if (databaseFailure(error) !== 'conflict') throw error;
    throw new LayoutError(
      'Another session has locked the tables. Run the doctor again when it has finished.',
      { cause: error },
    );
  }
};

const inspectConnection = async (connection: Connection, tableOf: TableOf): Promise<Findings> => {
  const { kind, place, schema } = connection;
  const serverZone = await connection.serverTimeZone();
  return connection.withSession(async (session) => {
    await session.exec(`SET lock_timeout = '${LOCK_LIMIT}'`);
    const findings = {
      kind,
      place,
      schema,
      mayLayTables: await readMayCreateTables(session),
      server: await readServerFacts(session),
      timeZone: { server: serverZone, gateway: await readTimeZone(session) },
      layout: await findLayout(session),
      access: await readAccess(session, tableOf),
      events: await countEvents(session),
      sequence: await readEventSequence(session),
      sessionTable: await readSessionTable(session),
      privateProjects: await countPrivateProjects(session),
      filteredTables: await readFilteredTables(session),
      ...(await examineIndexes(session, schema)),
    };
    // A running server shares the embedded database's only session.
    await session.exec('RESET lock_timeout');
    return findings;
  });
};

const readMayCreateTables = async (session: SqlSession): Promise<boolean> => {
  const { rows } = await session.query<{ may: boolean }>(
    "SELECT has_schema_privilege(current_schema(), 'CREATE') AS may",
  );
  return rows[0]?.may ?? false;
};

const readTimeZone = async (session: SqlSession): Promise<string> => {
  const { rows } = await session.query<{ zone: string }>(
    "SELECT current_setting('timezone') AS zone",
  );
  return rows[0]?.zone ?? 'unknown';
};

const readEventSequence = async (session: SqlSession): Promise<Findings['sequence']> => {
  const found = (await readSequences(session)).find(({ table }) => table === 'events');
  return found ? { name: found.name, cache: found.cache } : null;
};

const countPrivateProjects = async (session: SqlSession): Promise<number | null> => {
  try {
    const { rows } = await session.query<{ count: number }>(
      "SELECT count(*)::float8 AS count FROM project_settings WHERE project_mode = 'private'",
    );
    return rows[0]?.count ?? 0;
  } catch (error) {
    const failure = databaseFailure(error);
    if (failure === 'privilege' || failure === 'unknown-object') return null;
    throw error;
  }
};

const FILTERED = `
  SELECT c.relname::text AS name FROM pg_class c
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace
    AND c.relkind IN ('r', 'p') AND row_security_active(c.oid)
  ORDER BY 1`;

const readFilteredTables = async (session: SqlSession): Promise<string[]> =>
  (await session.query<{ name: string }>(FILTERED)).rows.map(({ name }) => name);

const examineIndexes = async (session: SqlSession, schema: string) => {
  const catalogue = await readIndexCatalogue(session);
  return {
    indexes: inspectIndexes(catalogue, schema),
    textIndex: await readTextIndex(session, catalogue, schema),
  };
};
