import type { Db, Sql } from '../../data/db.js';
import { matchingEvents } from '../../data/events/event-conditions.sql.js';
import { countMatchesUpTo, type Matches } from '../../data/events/event-matches.sql.js';
import {
  countOfEach,
  countOfEachUpTo,
  type EventOwner,
} from '../../data/events/event-owners.sql.js';
import { readIdRange, recentIds, WHOLE_LOG } from '../../data/events/id-ranges.sql.js';
import type { Actor } from '../actor.js';
import { callerOf, type Turn } from '../scan-limiter.js';
import type { CacheableQuery } from './cacheable-query.js';
import {
  assertEventCriteria,
  type EventCriteria,
  isCombination,
  isHard,
  readsPayloads,
} from './event-criteria.js';
import type { EventLogCache } from './event-log-cache.js';
import { countEvents, matchesOf, needsScan } from './event-matches.js';
import { mayScan } from './list-events-of.js';
import { walkLog } from './log-scans.js';

/** Counts newest first, up to `upTo`; returns null if the total is now cached. */
const walkUpTo = async (
  db: Db,
  cache: EventLogCache,
  query: CacheableQuery<Matches>,
  { upTo, turn }: { upTo: number; turn: Turn },
): Promise<number | null> => {
  const settled = await cache.findWatermark(query);
  const range = await turn(() => readIdRange(db));
  let found = query.nothing;
  const isAll = await walkLog(
    { ...range, last: settled?.bound ?? range.last },
    {
      turn,
      newestFirst: true,
      read: async (portion) => {
        found = query.merge(await query.read(portion), found);
        return found.count < upTo;
      },
    },
  );
  if (!isAll) return upTo;
  if (!settled) return found.count;
  cache.store(query, settled, found);
  return null;
};

/** Counts matching events up to a bound, which is cheaper than the exact count if there are many. */
export const countEventsUpTo = async (
  db: Db,
  cache: EventLogCache,
  actor: Actor,
  { criteria, upTo }: { criteria: EventCriteria; upTo: number },
): Promise<number> => {
  assertEventCriteria(criteria);

  const query = matchesOf(db, actor, criteria);
  const matching = matchingEvents(actor, criteria);
  const countRows = (range: Sql) => countMatchesUpTo(db, { matching, range, upTo });
  const isLimited = isHard(criteria) || isCombination(criteria);
  if (!isLimited && !cache.has(query)) return countRows(WHOLE_LOG);
  if (!cache.has(query)) {
    const found = await cache.limiter.run(callerOf(actor), async (turn) => {
      const nearby = await turn(() => countRows(recentIds()));
      if (nearby >= upTo) return upTo;
      if (!isHard(criteria)) return turn(() => countRows(WHOLE_LOG));
      const isWalked = await query.needsScan?.();
      return isWalked ? walkUpTo(db, cache, query, { upTo, turn }) : null;
    });
    if (found !== null) return found;
  }
  return Math.min(upTo, await countEvents(db, cache, actor, criteria));
};

type OwnersQuery = {
  owner: EventOwner;
  keys: readonly string[];
  criteria: EventCriteria;
  upTo?: number | undefined;
};

/** Counts in portions, newest first, up to `upTo` per owner. */
const walkOwners = async (
  db: Db,
  turn: Turn,
  { keys, upTo = Number.POSITIVE_INFINITY }: OwnersQuery,
  count: (keys: readonly string[], range: Sql) => Promise<ReadonlyMap<string, number>>,
): Promise<ReadonlyMap<string, number>> => {
  const totals = new Map<string, number>();
  let open = keys;
  await walkLog(await turn(() => readIdRange(db)), {
    turn,
    newestFirst: true,
    read: async (range) => {
      for (const [key, total] of await count(open, range)) {
        totals.set(key, Math.min(upTo, (totals.get(key) ?? 0) + total));
      }
      open = open.filter((key) => (totals.get(key) ?? 0) < upTo);
      return open.length > 0;
    },
  });
  return totals;
};

/** Counts matching events per owner, up to `upTo` if given. */
export const countEventsOf = async (
  db: Db,
  { limiter }: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  query: OwnersQuery,
): Promise<ReadonlyMap<string, number>> => {
  const { owner, keys, criteria, upTo } = query;
  assertEventCriteria(criteria);

  const matching = matchingEvents(actor, criteria);
  // One search for all groups or users costs less than a bounded one for each.
  const isBounded = owner !== 'group' && owner !== 'user';
  if (upTo !== undefined && isBounded && !readsPayloads(criteria)) {
    const read = () => countOfEachUpTo(db, { owner, keys, matching, upTo });
    return mayScan(query) ? limiter.run(callerOf(actor), (turn) => turn(read)) : read();
  }
  const count = (open: readonly string[], range: Sql) =>
    countOfEach(db, { owner, keys: open, matching, range });
  return limiter.run(callerOf(actor), async (turn) => {
    if (readsPayloads(criteria) && (await needsScan(db, criteria))) {
      return walkOwners(db, turn, query, count);
    }
    const totals = await turn(() => count(keys, WHOLE_LOG));
    const max = upTo ?? Number.POSITIVE_INFINITY;
    return new Map([...totals].map(([key, total]) => [key, Math.min(max, total)]));
  });
};
