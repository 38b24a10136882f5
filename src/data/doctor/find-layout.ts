import { databaseFailure } from '../database-failure.js';
import { pendingMigrations, readState } from '../layout/migration-history.js';
import { readMigrations } from '../layout/migrations-folder.js';
import type { SqlSession } from '../sql-session.js';
import { type UnleashVersion, unleashVersion } from './unleash-version.js';

export type FoundLayout =
  | { owner: 'empty' | 'foreign' }
  /** Null if the database user may not read Unleash's `migrations` table. */
  | { owner: 'unleash'; unleash: UnleashVersion | null }
  | { owner: 'flaggraph'; applied: string[]; pending: string[]; unfinished: string[] }
  /** There is a migration history, but the database user may not read it. */
  | { owner: 'unreadable' };

const denied = <Value>(error: unknown, value: Value): Value => {
  if (databaseFailure(error) === 'privilege') return value;
  throw error;
};

const readUnleashVersion = async (session: SqlSession): Promise<UnleashVersion | null> => {
  const { rows } = await session.query<{ name: string }>('SELECT name::text FROM migrations');
  return unleashVersion(rows.map(({ name }) => name));
};

const readLayout = async (session: SqlSession): Promise<FoundLayout> => {
  const migrations = readMigrations();
  const state = await readState(session, migrations);
  if (state.owner === 'unleash') {
    const unleash = await readUnleashVersion(session).catch((error: unknown) =>
      denied(error, null),
    );
    return { owner: 'unleash', unleash };
  }
  if (state.owner !== 'flaggraph') return { owner: state.owner };

  const pending = pendingMigrations(state, migrations).map(({ name }) => name);
  const applied = migrations.map(({ name }) => name).filter((name) => !pending.includes(name));
  const unfinished = state.history
    .filter((row) => !row.is_finished && !row.is_rolled_back)
    .map((row) => row.migration_name);
  return { owner: 'flaggraph', applied, pending, unfinished };
};

/** The owner of the tables, and their schema version. */
export const findLayout = (session: SqlSession): Promise<FoundLayout> =>
  readLayout(session).catch((error: unknown) => denied(error, { owner: 'unreadable' as const }));
