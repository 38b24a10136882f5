import type { Db } from '../../data/db.js';
import { countLog } from '../../data/events/log-size.sql.js';
import { createSingleFlight } from '../../data/work/single-flight.js';
import { onPrimary, runDetached } from '../../data/work/work.js';

/** While totals are read, the log is counted again this often in the background, */
const RECOUNT_EVERY_MS = 4_000;
/** and before a total is returned if the last count is older: deletions show in totals within ten seconds. */
const MAX_AGE_MS = 8_000;
/** Counting takes at most this share of the time: one in twenty. */
const SHARE = 20;
/** No total waits for a count that takes longer. */
const MAX_WAITED_MS = 300;

type Count = { bound: number; rows: number; at: number; costMs: number };

export type LogRecount = {
  /** Counts the log once. To be awaited before the first result is cached: later counts are compared with this one. */
  begin(bound: number): Promise<void>;
  /** Counts again if it is time to. `onChange` is called if events are missing, or were inserted below the bound. */
  check(findBound: () => Promise<number | null>, onChange: () => void): Promise<void>;
};

/** For databases to which only this process writes: it deletes no events. */
export const NO_RECOUNT: LogRecount = {
  begin: async () => undefined,
  check: async () => undefined,
};

/**
 * Notices that events were deleted by hand. The statistics of the server report that too, but without a bound: a session
 * reports its deletions when it has been idle for ten seconds, and later if it has begun another transaction.
 */
export const createLogRecount = (db: Db, now: () => number = Date.now): LogRecount => {
  let last: Count | null = null;
  let firstBound = 0;
  let next: { findBound: () => Promise<number | null>; onChange: () => void } | null = null;

  const count = async (bound: number): Promise<{ isSame: boolean }> => {
    const startedAt = now();
    const known = last?.bound ?? bound;
    const counts = await onPrimary(() => countLog(db, { known, next: bound }));
    const isSame = last === null || counts.known === last.rows;
    const costMs = now() - startedAt;
    const isFurther = bound >= known;
    last = {
      bound: isFurther ? bound : known,
      rows: counts.next,
      // Deletions after the statement began may be missing in it.
      at: startedAt,
      costMs,
    };
    return { isSame };
  };

  const recount = createSingleFlight(async () => {
    if (!last || !next) return;
    const { findBound, onChange } = next;
    const startedAt = now();
    try {
      const bound = await findBound();
      const { isSame } = await count(bound ?? last.bound);
      if (!isSame) onChange();
    } catch {
      // Tried again after a while. Until then, the statistics have to do.
      last = { ...last, at: startedAt };
    }
  });
  const beginOnce = createSingleFlight(async () => {
    if (last === null) await count(firstBound);
  });

  return {
    begin: async (bound) => {
      if (last !== null) return;
      firstBound = bound;
      await beginOnce().catch(() => undefined);
    },
    check: async (findBound, onChange) => {
      if (last === null) return;
      const age = now() - last.at;
      const rest = last.costMs * SHARE;
      if (age < Math.max(RECOUNT_EVERY_MS, rest)) return;
      next = { findBound, onChange };
      const isAwaited = age >= Math.max(MAX_AGE_MS, rest) && last.costMs <= MAX_WAITED_MS;
      const counting = runDetached(() => recount());
      if (isAwaited) await counting.catch(() => undefined);
      else counting.catch(() => undefined);
    },
  };
};
