import type { SqlSession } from '../sql-session.js';

export type BuildProgress = {
  /** In the server's words, such as `building index: scanning table`. */
  phase: string;
  /** Of this phase; null where it cannot be told. */
  percent: number | null;
  /** The process whose transaction has to end first. */
  waitsFor: number | null;
};

const PROGRESS = `
  SELECT phase, nullif(current_locker_pid, 0)::float8 AS "waitsFor",
    floor(100 * CASE
      WHEN blocks_total > 0 THEN blocks_done::numeric / blocks_total
      WHEN tuples_total > 0 THEN tuples_done::numeric / tuples_total
    END)::float8 AS percent
  FROM pg_stat_progress_create_index WHERE pid = $1`;

/** How far the build in another session has come; null between builds. */
export const readProgress = async (
  session: SqlSession,
  pid: number,
): Promise<BuildProgress | null> =>
  (await session.query<BuildProgress>(PROGRESS, [pid])).rows[0] ?? null;
