import { countEachUpTo, countUpTo } from '../../data/count-up-to.js';
import { type Db, Prisma } from '../../data/db.js';
import { matchingEvents } from '../../data/events/event-conditions.sql.js';
import { selectEvents } from '../../data/events/event-rows.sql.js';
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
import { countEvents, type Matches, matchesOf, needsScan } from './event-matches.js';
import { RECENT_ID_RANGE } from './list-events.js';
import { type EventOwner, mayScan, ownerColumn } from './list-events-of.js';
import { readIdRange, walkLog } from './log-scans.js';

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
  const countRows = (within: Prisma.Sql) =>
    countUpTo(
      db,
      Prisma.sql`from events e where ${matchingEvents(actor, criteria)} ${within}`,
      upTo,
    );
  const isLimited = isHard(criteria) || isCombination(criteria);
  if (!isLimited && !cache.has(query)) return countRows(Prisma.empty);
  if (!cache.has(query)) {
    const near = Prisma.sql`and e.id > (select max(id) - ${RECENT_ID_RANGE}::int from events)`;
    const found = await cache.limiter.run(callerOf(actor), async (turn) => {
      const nearby = await turn(() => countRows(near));
      if (nearby >= upTo) return upTo;
      if (!isHard(criteria)) return turn(() => countRows(Prisma.empty));
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

type KeyCount = { key: string; total: bigint };

/** Counts in portions, newest first, up to `upTo` per owner. */
const walkOwners = async (
  db: Db,
  turn: Turn,
  { keys, upTo = Number.POSITIVE_INFINITY }: OwnersQuery,
  count: (keys: readonly string[], range: Prisma.Sql) => Promise<KeyCount[]>,
): Promise<ReadonlyMap<string, number>> => {
  const totals = new Map<string, number>();
  let open = keys;
  await walkLog(await turn(() => readIdRange(db)), {
    turn,
    newestFirst: true,
    read: async (range) => {
      for (const { key, total } of await count(open, range)) {
        totals.set(key, Math.min(upTo, (totals.get(key) ?? 0) + Number(total)));
      }
      open = open.filter((key) => (totals.get(key) ?? 0) < upTo);
      return open.length > 0;
    },
  });
  return totals;
};

/** Counts matching events per feature, project or group, up to `upTo` if given. */
export const countEventsOf = async (
  db: Db,
  { limiter }: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  query: OwnersQuery,
): Promise<ReadonlyMap<string, number>> => {
  const { owner, keys, criteria, upTo } = query;
  assertEventCriteria(criteria);

  const column = ownerColumn(owner);
  const matching = matchingEvents(actor, criteria);
  // Without an index, one scan for all groups costs less than a bounded one for each.
  if (upTo !== undefined && owner !== 'group' && !readsPayloads(criteria)) {
    const rows = Prisma.sql`from events e where ${column} = owner.key and ${matching}`;
    const read = () => countEachUpTo(db, { keys, type: 'text', rows, upTo });
    return mayScan(query) ? limiter.run(callerOf(actor), (turn) => turn(read)) : read();
  }
  const count = (open: readonly string[], range: Prisma.Sql) =>
    db.$queryRaw<KeyCount[]>(
      selectEvents(Prisma.sql`select ${column} as key, count(*) as total from events e
        where ${column} = any(${open}::text[]) and ${matching} and ${range} group by 1`),
    );
  return limiter.run(callerOf(actor), async (turn) => {
    if (readsPayloads(criteria) && (await needsScan(db, criteria))) {
      return walkOwners(db, turn, query, count);
    }
    const rows = await turn(() => count(keys, Prisma.sql`true`));
    const max = upTo ?? Number.POSITIVE_INFINITY;
    return new Map(rows.map(({ key, total }) => [key, Math.min(max, Number(total))]));
  });
};
