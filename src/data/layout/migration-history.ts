import type { SqlSession } from '../sql-session.js';
import type { Migration } from './migrations-folder.js';

type HistoryRow = {
  migration_name: string;
  checksum: string;
  is_finished: boolean;
  is_rolled_back: boolean;
  logs: string | null;
};

/**
 * Owner of the database: `empty` has no tables, `flaggraph` was created by these migrations, `unleash` belongs to Unleash,
 * `foreign` contains something else.
 */
export type DatabaseState =
  | { owner: 'empty' | 'unleash' | 'foreign' }
  | { owner: 'flaggraph'; history: HistoryRow[] };

// Objects of extensions don't make a database non-empty.
const RELATIONS = `
  SELECT c.relname AS name
  FROM pg_class c
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (
      SELECT FROM pg_depend d
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`;

const HISTORY = `
  SELECT migration_name, checksum, finished_at IS NOT NULL AS is_finished,
    rolled_back_at IS NOT NULL AS is_rolled_back, logs
  FROM _prisma_migrations ORDER BY started_at`;

export const readState = async (
  session: SqlSession,
  migrations: readonly Migration[],
): Promise<DatabaseState> => {
  const { rows } = await session.query<{ name: string }>(RELATIONS);
  const relations = new Set(rows.map((row) => row.name));
  if (relations.has('migrations')) return { owner: 'unleash' };
  if (!relations.has('_prisma_migrations')) {
    return { owner: relations.size === 0 ? 'empty' : 'foreign' };
  }

  const { rows: history } = await session.query<HistoryRow>(HISTORY);
  if (history.length === 0) return { owner: relations.size === 1 ? 'empty' : 'foreign' };

  const names = new Set(migrations.map((migration) => migration.name));
  const isOurs = history.some((row) => names.has(row.migration_name));
  return isOurs ? { owner: 'flaggraph', history } : { owner: 'foreign' };
};

export const pendingMigrations = (
  state: DatabaseState,
  migrations: readonly Migration[],
): Migration[] => {
  if (state.owner !== 'flaggraph') return [...migrations];
  const applied = new Set(
    state.history
      .filter((row) => row.is_finished && !row.is_rolled_back)
      .map((row) => row.migration_name),
  );
  return migrations.filter((migration) => !applied.has(migration.name));
};
