import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import type { Connection } from './connection.js';
import { findSchema } from './find-schema.js';
import { LayoutError } from './layout-error.js';
import { pgSession, type SqlSession } from './sql-session.js';

export type PostgresOptions = {
  databaseUrl: string;
  /** Connections held at most. Default: 10. */
  poolSize?: number | undefined;
  /** A statement that runs longer is ended by the server, in milliseconds. Default: 15000. */
  statementTimeoutMs?: number | undefined;
};

// Also how long a caller waits for a connection when all are taken.
const CONNECT_TIMEOUT_MS = 5_000;

/** A pool on a PostgreSQL server, with its sessions tied to the schema that holds the tables. */
export const openPostgres = async ({
  databaseUrl,
  poolSize = 10,
  statementTimeoutMs = 15_000,
}: PostgresOptions): Promise<Connection> => {
  const { config, namedSchema, givenOptions, place } = readUrl(databaseUrl);
  const configWith = (...settings: string[]): pg.ClientConfig => ({
    ...config,
    options: [givenOptions, ...settings.map((setting) => `-c ${setting}`)].join(' ').trim(),
  });

  const lookedFor = namedSchema === undefined ? [] : [searchPath(namedSchema)];
  const schema = await lend(place, configWith(...lookedFor), (session) =>
    findSchema(session, namedSchema),
  );
  // Columns without a zone hold UTC, and raw SQL names no schema: both are settled per session, by us. Compiling our
  // statements takes longer than running them.
  const ours = ['timezone=UTC', 'jit=off', searchPath(schema)];

  const pool = new pg.Pool({
    ...configWith(...ours),
    max: poolSize,
    statement_timeout: statementTimeoutMs,
  });
  pool.on('error', ignore);
  return {
    kind: 'postgres',
    place,
    schema,
    adapter: new PrismaPg(pool, { schema }),
    withSession: (work) => lend(place, configWith(...ours, 'statement_timeout=0'), work),
    serverTimeZone: () => lend(place, configWith(), readTimeZone),
    pool: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
};

const lend = async <Result>(
  place: string,
  config: pg.ClientConfig,
  work: (session: SqlSession) => Promise<Result>,
): Promise<Result> => {
  const client = new pg.Client(config);
  client.on('error', ignore);
  try {
    await client.connect();
  } catch (error) {
    throw new LayoutError(`The database at ${place} cannot be reached: ${reason(error)}.`, {
      cause: error,
    });
  }
  try {
    return await work(pgSession(client));
  } finally {
    await client.end();
  }
};

const readTimeZone = async (session: SqlSession): Promise<string> => {
  const { rows } = await session.query<{ zone: string }>(
    "SELECT current_setting('timezone') AS zone",
  );
  return rows[0]?.zone ?? 'unknown';
};

// A connection that breaks while idle is dropped by the pool itself; unheard, the event would end the process.
const ignore = () => undefined;

/** In the options of a connection, blanks and backslashes of a value are written with a backslash in front. */
const searchPath = (schema: string): string =>
  `search_path="${schema.replaceAll('"', '""')}"`.replace(/[\s\\]/g, '\\$&');

const readUrl = (databaseUrl: string) => {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new LayoutError(
      'DATABASE_URL is not an address of a PostgreSQL database. It looks like postgresql://user:password@host:5432/database.',
    );
  }

  // A password with such characters is cut at the wrong place, and a piece of it would pass for the host.
  if (`${url.pathname}${url.hash}`.includes('@') || url.hash !== '') {
    throw new LayoutError(
      'DATABASE_URL cannot be read: characters such as @ / # ? : % in its user name or password must be percent-encoded (@ is %40, / is %2F, # is %23).',
    );
  }

  const namedSchema = url.searchParams.get('schema') ?? undefined;
  if (namedSchema !== undefined && !/^[A-Za-z_][A-Za-z0-9_$]*$/.test(namedSchema)) {
    throw new LayoutError('The schema in DATABASE_URL is not a plain name.');
  }
  const givenOptions = url.searchParams.get('options') ?? '';
  url.searchParams.delete('schema');
  url.searchParams.delete('options');
  // The modes of TLS mean what they mean to every other client of PostgreSQL.
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');

  const config: pg.ClientConfig = {
    connectionString: url.href,
    application_name: 'flaggraph',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
  return { config, namedSchema, givenOptions, place: `${url.host}${url.pathname}` };
};

const reason = (error: unknown): string => {
  // A name with several addresses fails with one error per address and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reason).join('; ');
  return error instanceof Error ? error.message : String(error);
};
