import { type Access, readAccess, readSequences } from '../access.js';
import type { Connection } from '../connection.js';
import { databaseFailure } from '../database-failure.js';
import type { TableOf } from '../layout.js';
import { LayoutError } from '../layout-error.js';
import type { SqlSession } from '../sql-session.js';
import { type FoundLayout, findLayout } from './find-layout.js';
import { readIndexCatalogue } from './index-catalogue.js';
import { type FoundIndex, judgeIndexes } from './index-state.js';
import { countEvents, type EventCount, readServerFacts, type ServerFacts } from './server-facts.js';
import { readTextIndex, type TextIndex } from './text-index.js';

const LOCK_LIMIT = '5s';

/** Everything the doctor found out about a database. */
export type Findings = {
  kind: Connection['kind'];
  place: string;
  schema: string;
  server: ServerFacts;
  /** Whether this user may make tables in the schema. */
  mayLayTables: boolean;
  /** The zone sessions have by themselves, and the one the gateway gives its own. */
  timeZone: { server: string; gateway: string };
  layout: FoundLayout;
  access: Access;
  events: EventCount | null;
  /** Where events get their numbers. Null: from something that is no sequence. */
  sequence: { name: string; cache: number } | null;
  /** Tables of which a policy shows this user only some rows. */
  filteredTables: string[];
  indexes: FoundIndex[];
  textIndex: TextIndex;
};

/** Looks at a database without changing anything in it. */
export const examine = async (connection: Connection, tableOf: TableOf): Promise<Findings> => {
  try {
    return await lookAt(connection, tableOf);
  } catch (error) {
    if (databaseFailure(error) !== 'conflict') throw error;
    throw new LayoutError(
      'Another session has locked the tables, so they cannot be examined now. Ask again when it has finished.',
      { cause: error },
    );
  }
};

const lookAt = async (connection: Connection, tableOf: TableOf): Promise<Findings> => {
  const { kind, place, schema } = connection;
  const serverZone = await connection.serverTimeZone();
  return connection.withSession(async (session) => {
    await session.exec(`SET lock_timeout = '${LOCK_LIMIT}'`);
    return {
      kind,
      place,
      schema,
      mayLayTables: await readMayLayTables(session),
      server: await readServerFacts(session),
      timeZone: { server: serverZone, gateway: await readTimeZone(session) },
      layout: await findLayout(session),
      access: await readAccess(session, tableOf),
      events: await countEvents(session),
      sequence: await readEventSequence(session),
      filteredTables: await readFilteredTables(session),
      ...(await examineIndexes(session, schema)),
    };
  });
};

const readMayLayTables = async (session: SqlSession): Promise<boolean> => {
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
    indexes: judgeIndexes(catalogue, schema),
    textIndex: await readTextIndex(session, catalogue, schema),
  };
};
