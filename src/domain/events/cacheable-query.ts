import type { Db, Sql } from '../../data/db.js';
import { idsUpTo, readIdRange } from '../../data/events/id-ranges.sql.js';
import type { Turn } from '../scan-limiter.js';
import { walkLog } from './log-scans.js';

/** A query over all events whose results for parts of the log can be merged. */
export type CacheableQuery<Value> = {
  /** Cache key. */
  key: string;
  /** The answer for an ID range of events (alias `e`). */
  read: (range: Sql) => Promise<Value>;
  merge: (older: Value, newer: Value) => Value;
  /** The answer without events. */
  nothing: Value;
  /** Number of values in an answer, if there are more than a few. */
  weigh?: (value: Value) => number;
  /** Whether events must be scanned because no index helps. */
  needsScan?: () => Promise<boolean>;
  /** For the scan limiter. Default: the gateway itself. */
  callers?: ReadonlySet<string>;
  /** Unleash backfills the authors of old events; until all have one, no answer is final. */
  readsAuthors?: boolean;
};

/** The final answer for events up to an ID; without an ID, nothing is known. */
export type CachedValue<Value> = { upTo: number | null; value: Value };

/** The answer for events up to an ID, read in portions. */
export const scanUpTo = async <Value>(
  db: Db,
  { nothing, read, merge }: CacheableQuery<Value>,
  bound: number,
  turn: Turn,
): Promise<Value> => {
  let value = nothing;
  const { first } = await turn(() => readIdRange(db));
  await walkLog(
    { first, last: bound },
    {
      turn,
      read: async (range) => {
        value = merge(value, await read(range));
        return true;
      },
    },
  );
  return value;
};

/** The answer for events up to an ID, in one statement if an index helps. */
export const readUpTo = async <Value>(
  db: Db,
  query: CacheableQuery<Value>,
  bound: number,
  turn: Turn,
): Promise<Value> =>
  (await query.needsScan?.())
    ? scanUpTo(db, query, bound, turn)
    : turn(() => query.read(idsUpTo(bound)));
