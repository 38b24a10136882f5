import { setTimeout as delay } from 'node:timers/promises';
import { openSql } from '../world/sql.js';

const PAUSE_MS = 20;

/** Longest current wait for a lock that a gateway session holds. */
const LOCK_WAIT = `
  select coalesce(max(extract(epoch from clock_timestamp() - l.waitstart) * 1000), 0)::float8 as ms
  from pg_locks l
  where not l.granted and exists (
    select from unnest(pg_blocking_pids(l.pid)) blocker
    join pg_stat_activity a on a.pid = blocker
    join pg_stat_activity waiter on waiter.pid = l.pid
    where a.application_name = 'flaggraph' and waiter.application_name <> 'flaggraph')`;

/**
 * Polls until stopped; returns the longest time in milliseconds that another client waited for a lock of the gateway.
 */
export const watchLocks = async (url: string): Promise<() => Promise<number>> => {
  const sql = await openSql(url);
  let longestMs = 0;
  let isStopped = false;
  const watch = async () => {
    while (!isStopped) {
      const { ms } = await sql.one<{ ms: number }>(LOCK_WAIT);
      longestMs = Math.max(longestMs, ms);
      await delay(PAUSE_MS);
    }
    await sql.close();
  };
  const watching = watch();
  watching.catch(() => undefined);
  return async () => {
    isStopped = true;
    await watching;
    return Math.round(longestMs);
  };
};
