import pg from 'pg';
import { LayoutError } from '../layout/layout-error.js';

export type DatabaseUrl = {
  config: pg.ClientConfig;
  /** Schema given by `?schema=`. */
  namedSchema: string | undefined;
  /** Display location of the database, without user and password. */
  place: string;
  /** Warnings about the URL for the operator, one sentence each. */
  warnings: readonly string[];
};

// Also the maximum wait for a connection when all are in use.
const CONNECT_TIMEOUT_MS = 5_000;
// Followed by ten probes, one per second: a peer without power is detected within 20 seconds.
const KEEP_ALIVE_DELAY_MS = 10_000;

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

export const readDatabaseUrl = (databaseUrl: string): DatabaseUrl => {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new LayoutError(
      'DATABASE_URL is not a PostgreSQL connection URL. Use the form postgresql://user:password@host:5432/database.',
    );
  }

  // A password with such characters is split at the wrong place, and part of it would be taken for the host.
  if (`${url.pathname}${url.hash}`.includes('@') || url.hash !== '') {
    throw new LayoutError(
      'DATABASE_URL cannot be parsed: characters such as @ / # ? : % in its user name or password must be percent-encoded (@ is %40, / is %2F, # is %23).',
    );
  }

  const namedSchema = url.searchParams.get('schema') ?? undefined;
  if (namedSchema !== undefined && !/^[A-Za-z_][A-Za-z0-9_$]*$/.test(namedSchema)) {
    throw new LayoutError('The schema in DATABASE_URL is not a plain name.');
  }
  url.searchParams.delete('schema');
  const location = `${url.host}${url.pathname}`;
  const hasMode = url.searchParams.has('sslmode');
  // Makes the sslmode values mean the same as in libpq.
  if (hasMode) url.searchParams.set('uselibpqcompat', 'true');

  const config: pg.ClientConfig = {
    connectionString: url.href,
    application_name: 'flaggraph',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  };
  return {
    config,
    namedSchema,
    place: location,
    warnings: hasMode ? [] : encryptionWarnings(config),
  };
};

/** Data leaves this machine unencrypted without the operator having chosen so. */
const encryptionWarnings = (config: pg.ClientConfig): string[] => {
  const { host, ssl } = new pg.Client(config);
  if (ssl || host.startsWith('/') || LOOPBACK.test(host)) return [];
  return [
    `The connection to the database on '${host}' is not encrypted: DATABASE_URL names no sslmode. Add ?sslmode=verify-full (or ?sslmode=require, which does not verify the certificate), or ?sslmode=disable if that is intended.`,
  ];
};
