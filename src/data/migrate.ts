import { randomUUID } from 'node:crypto';
import { LayoutError } from './layout-error.js';
import { type DatabaseState, pendingMigrations, readState } from './migration-history.js';
import { type Migration, readMigrations } from './migrations-folder.js';
import type { SqlSession } from './sql-session.js';

export type MigrateOptions = {
  /** Default: the migrations that come with the gateway. */
  migrations?: readonly Migration[] | undefined;
  /** False: only look, and refuse a database that would have to be changed. Default: true. */
  isAllowed?: boolean | undefined;
  onProgress?: ((message: string) => void) | undefined;
};

export type MigrateResult = { ownership: 'ours' | 'original'; applied: string[]; isNew: boolean };

// Prisma's own tools take the same lock and keep the same table, so either may follow the other.
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

/** Lays the tables into an empty database and brings one of ours up to date; leaves every other database alone. */
export const migrate = async (
  session: SqlSession,
  { migrations = readMigrations(), isAllowed = true, onProgress }: MigrateOptions = {},
): Promise<MigrateResult> => {
  const state = await readState(session, migrations);
  if (state.owner === 'original') return { ownership: 'original', applied: [], isNew: false };

  const isCurrent = state.owner === 'ours' && pendingMigrations(state, migrations).length === 0;
  if (isCurrent || !isAllowed) {
    const pending = judge(state, migrations);
    if (pending.length > 0) throw notAllowed(pending);
    return { ownership: 'ours', applied: [], isNew: false };
  }

  return withLock(session, async () => {
    // Somebody else may have been at work while this process waited for the lock.
    const current = await readState(session, migrations);
    if (current.owner === 'original') return { ownership: 'original', applied: [], isNew: false };
    const pending = judge(current, migrations);

    await session.exec(HISTORY_TABLE);
    for (const migration of pending) {
      onProgress?.(`Applying migration ${migration.name}`);
      await apply(session, migration);
    }
    const applied = pending.map((migration) => migration.name);
    return { ownership: 'ours', applied, isNew: applied.includes(migrations[0]?.name ?? '') };
  });
};

/** What is left to apply; throws when the database is not in a state to build on. */
const judge = (state: DatabaseState, migrations: readonly Migration[]): Migration[] => {
  if (state.owner === 'foreign') {
    throw new LayoutError(
      'The database holds tables, but neither the gateway nor a service it knows has laid them. Give DATABASE_URL an empty database, or one of version 6.6 or newer.',
    );
  }
  if (state.owner !== 'ours') return [...migrations];

  const unfinished = state.history.find((row) => !row.is_finished && !row.is_rolled_back);
  if (unfinished) {
    const { migration_name: name, logs } = unfinished;
    throw new LayoutError(
      `Migration ${name} was begun on this database and did not finish${logs ? ` (${logs})` : ''}. Undo by hand what it may have left, then mark it with: UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${name}' AND finished_at IS NULL; and start again.`,
    );
  }

  const checksums = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  const changed = state.history
    .filter((row) => !row.is_rolled_back && checksums.has(row.migration_name))
    .filter((row) => checksums.get(row.migration_name) !== row.checksum)
    .map((row) => row.migration_name);
  if (changed.length > 0) {
    throw new LayoutError(
      `The file of a migration that is already applied was changed: ${changed.join(', ')}. Restore the file as it was released; a change of the tables needs a migration of its own.`,
    );
  }
  return pendingMigrations(state, migrations);
};

/** One transaction for the tables and the note about them: a process killed in between leaves neither. */
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
    // The session itself is gone, and its transaction with it: nothing was left to note.
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
      'Another process has been laying tables into this database for more than a minute. Wait for it to end and start again.',
      { cause: error },
    );
  }
  try {
    return await work();
  } finally {
    // A session that broke has given its lock back already.
    await session.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]).catch(() => undefined);
  }
};

const isLockTimeout = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === '55P03';

const notAllowed = (pending: readonly Migration[]) =>
  new LayoutError(
    `The database lacks ${pending.length} migration(s) of the gateway: ${pending.map(({ name }) => name).join(', ')}. Start the gateway once to apply them.`,
  );
