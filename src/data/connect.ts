import { setTimeout as delay } from 'node:timers/promises';
import { type Access, isPossible, readAccess } from './access.js';
import { grantsFor, obstaclesOf, warningsOf } from './access-words.js';
import type { Connection, PoolState } from './connection.js';
import { countedAdapter } from './counted-adapter.js';
import { databaseFailure } from './database-failure.js';
import { PrismaClient } from './db.js';
import { type FoundLayout, findLayout } from './doctor/find-layout.js';
import { openEmbedded } from './embedded.js';
import { checkLayout, mapOfTables, neededColumns } from './layout.js';
import { LayoutError } from './layout-error.js';
import { type MigrateResult, migrate } from './migrate.js';
import { OPERATIONS } from './needs.js';
import { openPostgres } from './postgres.js';
import { prismaSession } from './sql-session.js';
import { withTellableTimes } from './tellable-times.js';

export type DatabaseOptions = {
  /** A PostgreSQL server; without it the embedded database is opened. */
  databaseUrl?: string | undefined;
  /** Folder of the embedded database, or `memory://`. */
  dataDir: string;
  /** Connections to PostgreSQL at most. Default: 10. */
  poolSize?: number | undefined;
  /** Time limit of a statement on PostgreSQL, in milliseconds. Default: 15000. The embedded database knows none. */
  statementTimeoutMs?: number | undefined;
  /** False: refuse a database that lacks migrations instead of applying them. Default: true. */
  migrate?: boolean | undefined;
  /** Packed data folder that a new embedded database starts from. */
  embeddedTemplate?: Blob | undefined;
  /** Told what is happening while opening takes seconds. */
  onProgress?: ((message: string) => void) | undefined;
  /** Told every SQL statement the client sends after opening. */
  onQuery?: ((sql: string) => void) | undefined;
};

export type Database = {
  client: PrismaClient;
  kind: 'embedded' | 'postgres';
  /** Whether we lay the tables, or only found them. */
  ownership: 'ours' | 'original';
  /** The tables were laid by this very call. */
  isNew: boolean;
  /** How far the tables were migrated when they were opened: a version of the original or a migration of ours; null when not to be found out. */
  layoutVersion: string | null;
  /** What will be refused on this database and why, a sentence each. */
  warnings: readonly string[];
  /** Resolves when the database answers and still has the tables it was opened with; rejects when not, or not in time. */
  ping(timeoutMs: number): Promise<void>;
  /** SQL statements sent to it so far. */
  statementCount(): number;
  /** The connections to it; absent for the embedded database, which needs none. */
  pool?: () => PoolState;
  close(): Promise<void>;
};

/** Opens the database, brings its tables up to date where they are ours, and checks them where they are not. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const { databaseUrl, poolSize, statementTimeoutMs, dataDir, embeddedTemplate, onProgress } =
    options;
  const connection = databaseUrl
    ? await openPostgres({ databaseUrl, poolSize, statementTimeoutMs })
    : await openEmbedded({ dataDir, template: embeddedTemplate, onProgress });

  const { adapter, statementCount } = countedAdapter(withTellableTimes(connection.adapter));
  const client = new PrismaClient({
    adapter,
    log: options.onQuery ? [{ emit: 'event', level: 'query' }] : [],
    // Embedded transactions take turns, so waiting for one is no sign of trouble yet.
    transactionOptions: { maxWait: 5_000, timeout: statementTimeoutMs ?? 15_000 },
  });
  const close = once(async () => {
    await client.$disconnect();
    await connection.close();
  });

  try {
    const { ownership, isNew, access, layoutVersion } = await settle(connection, client, options);
    assertUsable(access);
    await warmUp(client);
    const { onQuery } = options;
    if (onQuery) client.$on('query', (event) => onQuery(event.query));
    const { kind } = connection;
    return {
      client,
      kind,
      ownership,
      isNew,
      layoutVersion,
      warnings: warningsOf(access),
      ping: ping(() => askForLife(client, ownership)),
      statementCount,
      ...(connection.pool && { pool: connection.pool }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const settle = async (
  connection: Connection,
  client: PrismaClient,
  options: DatabaseOptions,
): Promise<MigrateResult & { access: Access; layoutVersion: string | null }> => {
  try {
    return await connection.withSession(async (session) => {
      const result = await migrate(session, {
        isAllowed: options.migrate,
        onProgress: options.onProgress,
      });
      if (result.ownership === 'original') await checkLayout(session, neededColumns(client));
      const layoutVersion = versionOf(await findLayout(session));
      return { ...result, access: await readAccess(session, mapOfTables(client)), layoutVersion };
    });
  } catch (error) {
    if (error instanceof LayoutError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LayoutError(`The tables of the database cannot be prepared: ${reason}.`, {
      cause: error,
    });
  }
};

const versionOf = (layout: FoundLayout): string | null => {
  if (layout.owner === 'original') return layout.original?.version ?? null;
  return layout.owner === 'ours' ? (layout.applied.at(-1) ?? null) : null;
};

/** Refuses a database on which nothing could be answered; where some of it works, that is worth serving. */
const assertUsable = (access: Access): void => {
  const { authentication, ...others } = access.operations;
  const isUsable = isPossible(authentication) && Object.values(others).some(isPossible);
  if (isUsable) return;

  const operation = OPERATIONS.find((name) => !isPossible(access.operations[name]));
  const reasons = operation ? obstaclesOf(access, operation) : [];
  const grants = grantsFor(access);
  const help = grants.length > 0 ? ` Its owner can mend that: ${grants.join(' ')}` : '';
  throw new LayoutError(`The gateway cannot work here: ${reasons.join('; ')}.${help}`);
};

/** The first query of a client loads its query compiler; better now than in somebody's request. */
const warmUp = async (client: PrismaClient): Promise<void> => {
  try {
    await client.environment.findFirst({ select: { name: true } });
  } catch (error) {
    // The compiler is loaded all the same, and the start has told of the missing right.
    if (databaseFailure(error) !== 'privilege') throw error;
  }
};

/** What somebody else migrates may lose, while we run, what the start found there. */
const askForLife = async (
  client: PrismaClient,
  ownership: Database['ownership'],
): Promise<unknown> =>
  ownership === 'original'
    ? checkLayout(prismaSession(client), neededColumns(client))
    : client.$queryRaw`SELECT 1`;

const ping = (ask: () => Promise<unknown>) => async (timeoutMs: number) => {
  const timer = new AbortController();
  const answer = ask();
  const limit = delay(timeoutMs, 'late', { signal: timer.signal });
  // An answer that fails after the limit has nobody left to tell.
  answer.catch(() => undefined);
  limit.catch(() => undefined);

  const first = await Promise.race([answer, limit]).finally(() => timer.abort());
  if (first === 'late') throw new Error(`The database did not answer within ${timeoutMs} ms.`);
};

const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let result: Promise<void> | undefined;
  return () => {
    result ??= work();
    return result;
  };
};
