import type { SqlSession } from '../sql-session.js';

export type BuildProgress = {
  /** As reported by the server, such as `building index: scanning table`. */
  phase: string;
  /** Progress of this phase. Null if unknown. */
  percent: number | null;
  /** PID of the process whose transaction must end first. */
  waitsFor: number | null;
};

const PROGRESS = `
  SELECT phase, nullif(current_locker_pid, 0)::float8 AS "waitsFor",
    floor(100 * CASE
      WHEN blocks_total > 0 THEN blocks_done::numeric / blocks_total
      WHEN tuples_total > 0 THEN tuples_done::numeric / tuples_total
    END)::float8 AS percent
  FROM pg_stat_progress_create_index WHERE pid = $1`;

/** Progress of the build in another session. Null between builds. */
export const readProgress = async (
  session: SqlSession,
  pid: number,
): Promise<BuildProgress | null> =>
  (await session.query<BuildProgress>(PROGRESS, [pid])).rows[0] ?? null;
