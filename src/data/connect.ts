import type { Connection, PoolState } from './connection.js';
import { countedAdapter } from './counted-adapter.js';
import { databaseFailure } from './database-failure.js';
import { createDatabaseTimes } from './database-times.js';
import { PrismaClient } from './db.js';
import { openEmbedded } from './embedded/embedded.js';
import { createHealthCheck } from './health-check.js';
import { warningsOf } from './layout/access-messages.js';
import { checkLayout, neededColumns } from './layout/layout.js';
import type { LayoutError } from './layout/layout-error.js';
import { assertUsable, type PrepareOptions, prepareTables } from './layout/prepare-tables.js';
import type { SessionTable } from './layout/session-table.js';
import { createUnleashLayout, type UnleashLayoutReader } from './layout/unleash-layout.sql.js';
import { openPostgres } from './postgres.js';
import { cancelledOn, openReplicas, poolOf } from './replicas/open-replicas.js';
import type { Replicas } from './replicas/replica-set.js';
import { routedAdapter } from './replicas/routed-adapter.js';
import type { ReplicaState } from './replicas/watch-replica.js';
import { withClampedTimestamps } from './sql/clamp-timestamps.sql.js';
import { prismaSession, type SqlSession } from './sql-session.js';
import { responseTimeout } from './work/single-flight.js';
import { runDetached } from './work/work.js';

export type DatabaseOptions = PrepareOptions & {
  /** PostgreSQL connection URL. Without it, the embedded database is opened. */
  databaseUrl?: string | undefined;
  /** URLs of read replicas. Default: none. */
  replicaUrls?: readonly string[] | undefined;
  /** Called when a replica is taken into or out of use. */
  onReplicaChange?: ((place: string, state: ReplicaState) => void) | undefined;
  /** Folder of the embedded database, or `memory://`. */
  dataDir: string;
  /** Maximum connections to PostgreSQL. Default: 10. */
  poolSize?: number | undefined;
  /** Statement timeout in milliseconds. Default: 15000. */
  statementTimeoutMs?: number | undefined;
  /** Packed data folder to create a new embedded database from. */
  embeddedTemplate?: Blob | undefined;
  /** Called with every SQL statement the client sends after opening. */
  onQuery?: ((sql: string) => void) | undefined;
};

export type Database = {
  client: PrismaClient;
  kind: 'embedded' | 'postgres';
  /** Whether the gateway or Unleash creates and migrates the tables. */
  ownership: 'flaggraph' | 'unleash';
  /** The tables were created by this call. */
  isNew: boolean;
  /** Schema version on opening: an Unleash version, or the latest of our migrations. Null if unknown. */
  layoutVersion: string | null;
  /** Layout of the Unleash version that owns the tables. Unleash may be upgraded while the gateway runs. */
  layout: UnleashLayoutReader;
  /** Whether Unleash's sign-in sessions were readable on opening. */
  sessionTable: SessionTable;
  /** Warnings for the operator, such as unavailable operations, one sentence each. */
  warnings: readonly string[];
  /**
   * Resolves if the database responded recently and still had its tables. Rejects on failure or timeout. Concurrent
   * pings share one statement.
   */
  ping(timeoutMs: number): Promise<void>;
  /** The connection below Prisma, for inspecting the database. */
  connection: Connection;
  /** Empty without PostgreSQL. */
  replicas: Replicas;
  /** SQL statements sent so far. */
  statementCount(): number;
  /** Statements cancelled because no caller waited for them any more. */
  cancelledCount(): number;
  /** Reports the duration of statements, and of waits for a connection. */
  observe: Connection['observe'];
  /** Absent for the embedded database. */
  pool?: () => PoolState;
  /** Resolves when the embedded database is lost, for example because another process took over its folder. */
  lost?: Promise<LayoutError>;
  close(): Promise<void>;
};

/** Opens the database. Migrates the tables if they are ours, and validates them if Unleash owns them. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const { databaseUrl, poolSize, statementTimeoutMs, dataDir, embeddedTemplate, onProgress } =
    options;
  const times = createDatabaseTimes();
  const shared = { poolSize, statementTimeoutMs, times };
  const connection = databaseUrl
    ? await openPostgres({ databaseUrl, ...shared })
    : await openEmbedded({ dataDir, template: embeddedTemplate, statementTimeoutMs, onProgress });
  const replicas = openReplicas(connection, { ...options, ...shared });

  let onUnknownObject = () => {};
  const { adapter, statementCount } = countedAdapter(
    withClampedTimestamps(routedAdapter(connection.adapter, replicas)),
    { onUnknownObject: () => onUnknownObject() },
  );
  const client = new PrismaClient({
    adapter,
    log: options.onQuery ? [{ emit: 'event', level: 'query' }] : [],
    // Embedded transactions run one at a time, so waiting for one is normal.
    transactionOptions: { maxWait: 5_000, timeout: statementTimeoutMs ?? 15_000 },
  });
  const servers = () => [connection, ...replicas.connections()];
  let stopProbes = () => {};
  const close = once(async () => {
    stopProbes();
    // `$disconnect` hangs on an unresponsive database until its connections are closed.
    const disconnected = client.$disconnect();
    if (connection.kind === 'embedded') await disconnected;
    await Promise.all([disconnected, connection.close(), replicas.close()]);
  });

  try {
    const { ownership, isNew, access, layoutVersion, sessionTable } = await prepareTables(
      connection,
      options,
    );
    assertUsable(access);
    await warmUp(client);
    const layout = createUnleashLayout(client, {
      isUnleash: ownership === 'unleash',
      limitMs: responseTimeout(statementTimeoutMs),
    });
    await layout.current();
    const health = createHealthCheck({
      query: () => pingServer(connection, client),
      checkLayout: ownership === 'unleash' ? () => checkTables(connection, client) : undefined,
    });
    onUnknownObject = health.suspectLayout;
    stopProbes = health.close;
    const { onQuery } = options;
    if (onQuery) client.$on('query', (event) => onQuery(event.query));
    const { kind } = connection;
    return {
      client,
      kind,
      ownership,
      isNew,
      layoutVersion,
      sessionTable,
      layout,
      warnings: [...(connection.warnings ?? []), ...warningsOf(access)],
      ping: health.ping,
      connection,
      replicas,
      statementCount,
      cancelledCount: () => cancelledOn(servers()),
      observe: connection.observe,
      ...(connection.pool && { pool: () => poolOf(servers()) }),
      ...(connection.lost && { lost: connection.lost }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Loads Prisma's query compiler at startup instead of in the first request. */
const warmUp = async (client: PrismaClient): Promise<void> => {
  try {
    await client.environment.findFirst({ select: { name: true } });
  } catch (error) {
    // The compiler is loaded anyway, and startup reports the missing privilege.
    if (databaseFailure(error) !== 'privilege') throw error;
  }
};

const onProbeSession = <Result>(
  { probe }: Connection,
  client: PrismaClient,
  query: (session: Pick<SqlSession, 'query'>) => Promise<Result>,
): Promise<Result> => (probe ? probe(query) : runDetached(() => query(prismaSession(client))));

const TOO_MANY_CONNECTIONS = '53300';

const pingServer = async (connection: Connection, client: PrismaClient): Promise<void> => {
  try {
    await onProbeSession(connection, client, (session) => session.query('SELECT 1'));
  } catch (error) {
    // A server at its connection limit is alive, and open connections still serve requests.
    const isFull = (error as { code?: unknown }).code === TOO_MANY_CONNECTIONS;
    if (!isFull || !connection.pool || connection.pool().open === 0) throw error;
  }
};

/** An Unleash migration can remove tables or columns while the gateway runs. */
const checkTables = (connection: Connection, client: PrismaClient): Promise<void> =>
  onProbeSession(connection, client, (session) => checkLayout(session, neededColumns()));

const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let result: Promise<void> | undefined;
  return () => {
    result ??= work();
    return result;
  };
};
