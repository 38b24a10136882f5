import type { Db, Sql } from '../../data/db.js';
import { matchingEvents } from '../../data/events/event-conditions.sql.js';
import type { Matches } from '../../data/events/event-matches.sql.js';
import { readEventPage, readKnownPage } from '../../data/events/event-pages.sql.js';
import type { EventRow } from '../../data/events/event-rows.sql.js';
import { readIdRange, recentIds, WHOLE_LOG } from '../../data/events/id-ranges.sql.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { callerOf, type Turn } from '../scan-limiter.js';
import type { CachedValue } from './cacheable-query.js';
import {
  assertEventCriteria,
  type EventCriteria,
  isCombination,
  isExclusion,
  isHard,
  readsPayloads,
} from './event-criteria.js';
import type { EventLogCache } from './event-log-cache.js';
import { isHeavyMatch, knownSearch, matchesAmong, matchesOf, needsScan } from './event-matches.js';
import { walkLog } from './log-scans.js';

type EventPage = {
  criteria: EventCriteria;
  page: KeysetPage<number>;
  /** Whether payloads are requested. */
  hasPayload?: boolean;
};

type Query = EventPage & { db: Db; cache: EventLogCache; actor: Actor };

const readPage = async (
  { db, cache, actor, criteria, page, hasPayload = true }: Query,
  range: Sql = WHOLE_LOG,
): Promise<EventRow[]> => {
  const matching = matchingEvents(actor, criteria);
  const { events } = await cache.log.readCurrent(() =>
    readEventPage(db, { matching, range, page, hasPayload }),
  );
  return events;
};

/** Common matches are found among the newest events, without searching for all matches. */
const readNear = (query: Query): Promise<EventRow[]> =>
  readPage(query, recentIds(query.page.after));

/** Walks the log from the start of the page until it is full; a walk of the whole log caches its matches. */
const walkToPage = async (query: Query, turn: Turn): Promise<EventRow[]> => {
  const { db, cache, actor, criteria, page } = query;
  const { after = Number.POSITIVE_INFINITY, before = Number.NEGATIVE_INFINITY } = page;
  const isCacheable =
    readsPayloads(criteria) && page.after === undefined && page.before === undefined;
  const matches = matchesOf(db, actor, criteria);
  const settled = isCacheable ? await cache.findWatermark(matches) : null;
  const { first, last } = await turn(() => readIdRange(db));
  const rows: EventRow[] = [];
  const isAll = await walkLog(
    { first: Math.max(first, before + 1), last: Math.min(last, after - 1) },
    {
      turn,
      newestFirst: !page.backward,
      read: async (range) => {
        const rest = { ...page, limit: page.limit - rows.length };
        rows.push(...(await readPage({ ...query, page: rest }, range)));
        return rows.length <= page.limit;
      },
    },
  );
  if (isAll && settled) {
    const ids = rows.map(({ id }) => id).filter((id) => id <= settled.bound);
    cache.store(matches, settled, matchesAmong(ids));
  }
  return rows;
};

/** The page, if it can be read without searching for all matches; null if that search is better. */
const searchNearby = async (query: Query): Promise<EventRow[] | null> => {
  const { db, cache, actor, criteria, page } = query;
  return cache.limiter.run(callerOf(actor), async (turn) => {
    const near = page.backward ? [] : await turn(() => readNear(query));
    if (near.length > page.limit) return near;
    return (await needsScan(db, criteria)) ? walkToPage(query, turn) : null;
  });
};

/** Matches that are not common may be none at all, and take a scan of the log. */
const readCombination = async (query: Query): Promise<EventRow[]> => {
  const { cache, actor, page } = query;
  const near = page.backward ? [] : await readNear(query);
  if (near.length > page.limit) return near;
  return cache.limiter.run(callerOf(actor), (turn) => turn(() => readPage(query)));
};

const searchMatches = (query: Query): Promise<Slice<EventRow>> => {
  const { db, cache, actor, criteria, page, hasPayload = true } = query;
  const readNewer = async (known: CachedValue<Matches>) => {
    const search = knownSearch(actor, criteria, known);
    const { mark, events } = await readKnownPage(db, search, { page, hasPayload });
    return { mark, result: sliceOf(events, page) };
  };
  return cache.query(matchesOf(db, actor, criteria), readNewer, isHeavyMatch(criteria));
};

/** The page of matching events next to a known ID, newest first. Counts nothing that an index can find. */
export const listEvents = async (
  db: Db,
  cache: EventLogCache,
  actor: Actor,
  input: EventPage,
): Promise<Slice<EventRow>> => {
  const { criteria, page } = input;
  assertEventCriteria(criteria);

  const query = { db, cache, actor, ...input };
  if (!isHard(criteria)) {
    const read = isCombination(criteria) ? readCombination : readPage;
    return sliceOf(await read(query), page);
  }
  const isWalked = readsPayloads(criteria) || isExclusion(criteria);
  if (isWalked && !cache.peek(matchesOf(db, actor, criteria))?.ids) {
    const rows = await searchNearby(query);
    if (rows) return sliceOf(rows, page);
  }
  return searchMatches(query);
};
