import { randomUUID } from 'node:crypto';
import type { SqlSession } from '../sql-session.js';
import { LayoutError } from './layout-error.js';
import { type DatabaseState, pendingMigrations, readState } from './migration-history.js';
import { type Migration, readMigrations } from './migrations-folder.js';

export type MigrateOptions = {
  /** Default: the gateway's own migrations. */
  migrations?: readonly Migration[] | undefined;
  /** False only inspects, and rejects a database with pending migrations. Default: true. */
  isAllowed?: boolean | undefined;
  /** An empty database is rejected: Unleash could not create its tables beside ours. Default: false. */
  isUnleashExpected?: boolean | undefined;
  /** Session locks don't persist behind a connection pooler, so nothing is applied. Default: false. */
  isPooled?: boolean | undefined;
  onProgress?: ((message: string) => void) | undefined;
};

export type MigrateResult = {
  ownership: 'flaggraph' | 'unleash';
  applied: string[];
  isNew: boolean;
};

// Prisma's own tools use the same lock and table, so both can run on one database.
const ADVISORY_LOCK = 72707369;
const HISTORY_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

/** Creates the tables in an empty database and migrates one of ours. Leaves any other database unchanged. */
export const migrate = async (
  session: SqlSession,
  {
    migrations = readMigrations(),
    isAllowed = true,
    isPooled = false,
    isUnleashExpected = false,
    onProgress,
  }: MigrateOptions = {},
): Promise<MigrateResult> => {
  const state = await readState(session, migrations);
  if (state.owner === 'unleash') return { ownership: 'unleash', applied: [], isNew: false };
  if (state.owner === 'empty' && isUnleashExpected) throw new LayoutError(NOT_UNLEASH);

  const isCurrent =
    state.owner === 'flaggraph' && pendingMigrations(state, migrations).length === 0;
  if (isCurrent || !isAllowed || isPooled) {
    const pending = migrationsToApply(state, migrations);
    if (pending.length > 0) throw notAllowed(pending, isPooled);
    return { ownership: 'flaggraph', applied: [], isNew: false };
  }

  return withLock(session, async () => {
    // Another process may have migrated while this one waited for the lock.
    const current = await readState(session, migrations);
    if (current.owner === 'unleash') return { ownership: 'unleash', applied: [], isNew: false };
    const pending = migrationsToApply(current, migrations);

    await session.exec(HISTORY_TABLE);
    for (const migration of pending) {
      onProgress?.(`Applying migration ${migration.name}`);
      await apply(session, migration);
    }
    const applied = pending.map((migration) => migration.name);
    return { ownership: 'flaggraph', applied, isNew: applied.includes(migrations[0]?.name ?? '') };
  });
};

/** The pending migrations. Throws if the database is not in a state to build on. */
const migrationsToApply = (state: DatabaseState, migrations: readonly Migration[]): Migration[] => {
  if (state.owner === 'foreign') {
    throw new LayoutError(
      'The database has tables, but neither of the gateway nor of Unleash. Set DATABASE_URL to an empty database, or to one of Unleash 6.6 or newer.',
    );
  }
  if (state.owner !== 'flaggraph') return [...migrations];

  const unfinished = state.history.find((row) => !row.is_finished && !row.is_rolled_back);
  if (unfinished) {
    const { migration_name: name, logs } = unfinished;
    throw new LayoutError(
      `Migration ${name} was started on this database and did not finish${logs ? ` (${logs})` : ''}. Undo its partial changes by hand, then mark it as rolled back: UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${name}' AND finished_at IS NULL; and start again.`,
    );
  }

  const checksums = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  const changed = state.history
    .filter((row) => !row.is_rolled_back && checksums.has(row.migration_name))
    .filter((row) => checksums.get(row.migration_name) !== row.checksum)
    .map((row) => row.migration_name);
  if (changed.length > 0) {
    throw new LayoutError(
      `The file of an applied migration was changed: ${changed.join(', ')}. Restore the released file; changes to the tables need a new migration.`,
    );
  }
  return pendingMigrations(state, migrations);
};

/** One transaction for the tables and their history row: a killed process leaves neither. */
const apply = async (session: SqlSession, { name, sql, checksum }: Migration): Promise<void> => {
  const id = randomUUID();
  try {
    await session.exec('BEGIN');
    await session.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)',
      [id, checksum, name],
    );
    await session.exec(sql);
    await session.query(
      'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
      [id],
    );
    await session.exec('COMMIT');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await noteFailure(session, { id, name, checksum, message });
    throw new LayoutError(`Migration ${name} failed: ${message}`, { cause: error });
  }
};

const noteFailure = async (
  session: SqlSession,
  failure: { id: string; name: string; checksum: string; message: string },
): Promise<void> => {
  try {
    await session.exec('ROLLBACK');
    await session.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ($1, $2, $3, $4)',
      [failure.id, failure.checksum, failure.name, failure.message],
    );
  } catch {
    // The session has ended and its transaction with it: there is nothing to record.
  }
};

const withLock = async <Result>(
  session: SqlSession,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    await session.exec("SET lock_timeout = '60s'");
    await session.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await session.exec('RESET lock_timeout');
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new LayoutError(
      'Another process has been migrating this database for more than a minute. Wait until it has finished, then start again.',
      { cause: error },
    );
  }
  try {
    return await work();
  } finally {
    // A broken session has released its lock already.
    await session.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]).catch(() => undefined);
  }
};

const NOT_UNLEASH =
  "The database has no tables, but UNLEASH_SECRET or SESSIONS is set, so it should be Unleash's. Check its name in DATABASE_URL, or start Unleash first. Without these settings, the gateway creates its own tables, and Unleash can then not be installed in this database.";

const isLockTimeout = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === '55P03';

const notAllowed = (pending: readonly Migration[], isPooled: boolean) =>
  new LayoutError(
    `The database lacks ${pending.length} migration(s) of the gateway: ${pending.map(({ name }) => name).join(', ')}. ${
      isPooled
        ? 'They cannot be applied through a connection pooler: start the gateway once with a DATABASE_URL that connects directly to PostgreSQL.'
        : 'Start the gateway once to apply them.'
    }`,
  );
