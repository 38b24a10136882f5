import { PrismaPg } from '@prisma/adapter-pg';
import type { Connection } from './connection.js';
import { createDatabaseTimes, type DatabaseTimes } from './database-times.js';
import { findSchema } from './layout/find-schema.js';
import { readDatabaseUrl } from './pool/database-url.js';
import type { Guard, GuardedClient } from './pool/guarded-client.js';
import { type LeasedSession, withClient } from './pool/leased-session.js';
import { createPool } from './pool/pool.js';
import { createProbe } from './pool/probe.js';
import {
  assertPooledSettings,
  prepareSession,
  readFacts,
  searchPathSetting,
} from './pool/session-settings.js';
import { createStatementNames } from './pool/statement-names.js';
import type { SqlSession } from './sql-session.js';

export type PostgresOptions = {
  databaseUrl: string;
  /** Maximum connections. Default: 10. */
  poolSize?: number | undefined;
  /** Statement timeout in milliseconds, enforced by the server. Default: 15000. */
  statementTimeoutMs?: number | undefined;
  /** The server may be read-only, even if it was not before. */
  isReplica?: boolean | undefined;
  /** Measures the statements. Default: separately. */
  times?: DatabaseTimes | undefined;
};

/** Wait beyond the server's own timeout before the connection is considered dead. */
const DEADLINE_MARGIN_MS = 2_000;
/** Timeout of the statements that inspect the server before the gateway starts. */
const START_DEADLINE_MS = 20_000;

/** A pool on a PostgreSQL server whose sessions are bound to the schema that holds the tables. */
export const openPostgres = async ({
  databaseUrl,
  poolSize = 10,
  statementTimeoutMs = 15_000,
  isReplica = false,
  times = createDatabaseTimes(),
}: PostgresOptions): Promise<Connection> => {
  const { config, namedSchema, place, warnings } = readDatabaseUrl(databaseUrl);
  const withGuard = <Result>(guard: Guard, work: (session: LeasedSession) => Promise<Result>) =>
    withClient({ place, config, guard }, work);

  const { facts, schema } = await withGuard(
    { deadlineMs: START_DEADLINE_MS },
    async ({ client, session }) => {
      const found = await readFacts(client);
      if (namedSchema !== undefined && !found.isPooled) {
        await session.exec(searchPathSetting(namedSchema));
      }
      const name = await findSchema(session, namedSchema);
      if (found.isPooled) assertPooledSettings(found, namedSchema ?? name);
      return { facts: found, schema: name };
    },
  );
  const { isPooled } = facts;
  const mustBeWritable = !isReplica && !facts.isReadOnly;

  // Behind a pooler, a connection may lead to another server process, which does not know the statement.
  const nameOf = createStatementNames();
  const prepare = (client: GuardedClient, limitMs: number) =>
    prepareSession(client, { schema, isPooled, statementTimeoutMs: limitMs });
  const guard: Guard = {
    deadlineMs: statementTimeoutMs + DEADLINE_MARGIN_MS,
    ...(isPooled && { cancelAfterMs: statementTimeoutMs }),
    isPooled,
    mustBeWritable,
  };
  const { pool, state, dropAll, cancelledCount, noteServer, close } = createPool({
    config,
    size: poolSize,
    guard,
    times,
    prepare: (client) => prepare(client, statementTimeoutMs),
    onSilence: () => probe.reset(),
  });
  const probe = createProbe({
    config,
    guard: { isPooled, mustBeWritable },
    prepare: async (client) => {
      await prepare(client, 0);
      noteServer(client.serverEpoch);
    },
  });

  return {
    kind: 'postgres',
    place,
    schema,
    warnings,
    isPooled,
    adapter: new PrismaPg(pool, {
      schema,
      ...(!isPooled && { statementNameGenerator: ({ sql }) => nameOf(sql) }),
    }),
    // No timeout: migrations and index builds can take long. TCP keep-alive detects a dead peer.
    withSession: (work) =>
      withGuard({}, async ({ client, session }) => {
        await prepare(client, 0);
        return work(session);
      }),
    serverTimeZone: () =>
      withGuard({ deadlineMs: START_DEADLINE_MS, timeZone: null }, ({ session }) =>
        readTimeZone(session),
      ),
    probe: probe.run,
    pool: state,
    dropAll,
    observe: times.observe,
    cancelledCount,
    close: async () => {
      await Promise.all([probe.close(), close()]);
    },
  };
};

const readTimeZone = async (session: SqlSession): Promise<string> => {
  const { rows } = await session.query<{ zone: string }>(
    "SELECT current_setting('timezone') AS zone",
  );
  return rows[0]?.zone ?? 'unknown';
};
