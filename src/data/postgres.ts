import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import type { Connection } from './connection.js';
import { LayoutError } from './layout-error.js';
import { pgSession } from './sql-session.js';

export type PostgresOptions = {
  databaseUrl: string;
  /** Connections held at most. Default: 10. */
  poolSize?: number | undefined;
  /** A statement that runs longer is ended by the server, in milliseconds. Default: 15000. */
  statementTimeoutMs?: number | undefined;
};

// Also how long a caller waits for a connection when all are taken.
const CONNECT_TIMEOUT_MS = 5_000;

/** A pool on a PostgreSQL server; nothing is sent before the first session or query. */
export const openPostgres = ({
  databaseUrl,
  poolSize = 10,
  statementTimeoutMs = 15_000,
}: PostgresOptions): Connection => {
  const { config, schema, place } = readUrl(databaseUrl);

  const withSession: Connection['withSession'] = async (work) => {
    const client = new pg.Client({ ...config, statement_timeout: 0 });
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

  const pool = new pg.Pool({ ...config, max: poolSize, statement_timeout: statementTimeoutMs });
  pool.on('error', ignore);
  return {
    kind: 'postgres',
    adapter: new PrismaPg(pool, { schema }),
    withSession,
    close: () => pool.end(),
  };
};

// A connection that breaks while idle is dropped by the pool itself; unheard, the event would end the process.
const ignore = () => undefined;

const readUrl = (databaseUrl: string) => {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new LayoutError(
      'DATABASE_URL is not an address of a PostgreSQL database. It looks like postgresql://user:password@host:5432/database.',
    );
  }

  const schema = url.searchParams.get('schema') ?? 'public';
  if (!/^[A-Za-z_][A-Za-z0-9_$]*$/.test(schema)) {
    throw new LayoutError('The schema in DATABASE_URL is not a plain name.');
  }
  // Columns without a zone hold UTC, and raw SQL names no schema: both are settled per session, by us.
  const settings = [
    url.searchParams.get('options') ?? '',
    '-c timezone=UTC',
    `-c search_path="${schema}"`,
  ];
  url.searchParams.delete('schema');
  url.searchParams.delete('options');

  const config: pg.ClientConfig = {
    connectionString: url.href,
    options: settings.join(' ').trim(),
    application_name: 'flaggraph',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
  return { config, schema, place: `${url.host}${url.pathname}` };
};

const reason = (error: unknown): string => {
  // A name with several addresses fails with one error per address and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reason).join('; ');
  return error instanceof Error ? error.message : String(error);
};
