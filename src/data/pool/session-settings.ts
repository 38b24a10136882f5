import { LayoutError } from '../layout/layout-error.js';
import { quoteName } from '../sql/sql-names.js';
import type { GuardedClient } from './guarded-client.js';
import { ReadOnlyServerError } from './pool-errors.js';

/** Properties of a session before any settings are applied. */
export type SessionFacts = {
  role: string;
  database: string;
  /** First existing schema in the search path. */
  schema: string | null;
  timeZone: string;
  isReadOnly: boolean;
  /** A pooler is in between: the backend is not the one that accepted the connection. */
  isPooled: boolean;
  /** The epoch: changes when the server restarts, and differs between servers. */
  serverMark: string;
};

type Row = Omit<SessionFacts, 'isPooled'> & { pid: number };

const FACTS = `
  SELECT current_user::text AS role, current_database()::text AS database,
    current_schema()::text AS schema, current_setting('TimeZone') AS "timeZone",
    pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    pg_postmaster_start_time()::text AS "serverMark", pg_backend_pid() AS pid`;

const UTC = /^(Etc\/)?(UTC|UCT|Zulu|Universal|Greenwich|GMT([+-]?0)?)$/i;

/** Applies settings, if any, and reads the session's properties in one round trip. */
export const readFacts = async (client: GuardedClient, settings = ''): Promise<SessionFacts> => {
  const result: unknown = await client.query(`${settings}${FACTS}`);
  const last = (Array.isArray(result) ? result.at(-1) : result) as { rows: Row[] };
  const [row] = last.rows;
  if (!row) throw new Error('the database did not report its session settings');
  const { pid, ...session } = row;
  const { processID } = client as GuardedClient & { processID?: number };
  client.serverEpoch = session.serverMark;
  client.roleCheckedAt = performance.now();
  return { ...session, isPooled: pid !== processID };
};

const assertRole = (client: GuardedClient, { isReadOnly }: SessionFacts): void => {
  if (!isReadOnly || !client.guard.mustBeWritable) return;
  client.isDropped = true;
  client.guard.onReadOnly?.(client);
  throw new ReadOnlyServerError();
};

/** Throws if the server has become read-only. */
export const checkRole = async (client: GuardedClient): Promise<void> =>
  assertRole(client, await readFacts(client));

/** What statements rely on: timestamps without time zone are in UTC, and raw SQL names no schema. */
export type SessionRequirements = {
  schema: string;
  /** 0 means no timeout. */
  statementTimeoutMs: number;
  isPooled: boolean;
};

/** Sets up a new connection for our statements, or throws if that is impossible. */
export const prepareSession = async (
  client: GuardedClient,
  requirements: SessionRequirements,
): Promise<void> => {
  const session = await readFacts(client, requirements.isPooled ? '' : settingsOf(requirements));
  assertRole(client, session);
  if (requirements.isPooled) assertPooledSettings(session, requirements.schema);
};

export const searchPathSetting = (schema: string): string =>
  `SET search_path TO ${quoteIdentifier(schema)};`;

// JIT-compiling our statements takes longer than running them. Parallel workers would let a single statement occupy
// several cores, beyond what the scan limiter grants it. Generic plans of named statements ignore how frequent a value is.
const settingsOf = ({ schema, statementTimeoutMs }: SessionRequirements): string =>
  `${searchPathSetting(schema)} SET jit TO off; SET max_parallel_workers_per_gather TO 0;
  SET plan_cache_mode TO force_custom_plan; SET statement_timeout TO ${statementTimeoutMs};`;

/** Always quoted, because an unquoted reserved word would be a syntax error. */
const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Behind a pooler nothing is set, because it would persist on a server connection that others use. The role's own
 * settings must be right.
 */
export const assertPooledSettings = (session: SessionFacts, schema: string): void => {
  const isUtc = UTC.test(session.timeZone);
  const isSchema = session.schema === schema;
  if (isUtc && isSchema) return;

  const role = `ALTER ROLE ${quoteName(session.role)} IN DATABASE ${quoteName(session.database)} SET`;
  const wrong = [
    ...(isUtc ? [] : [`TimeZone is '${session.timeZone}' and must be 'UTC'`]),
    ...(isSchema ? [] : [`the schema is '${session.schema ?? ''}' and must be '${schema}'`]),
  ];
  const commands = [
    `${role} timezone = 'UTC';`,
    `${role} search_path = ${quoteIdentifier(schema)};`,
    `${role} jit = off;`,
    `${role} max_parallel_workers_per_gather = 0;`,
  ];
  throw new LayoutError(
    `DATABASE_URL leads to a connection pooler such as PgBouncer, where the gateway relies on the settings of its role, and these are wrong: ${wrong.join('; ')}. Run: ${commands.join(' ')} Then reconnect the pooler to the server (RECONNECT in PgBouncer's console), or connect directly to PostgreSQL.`,
  );
};
