import { type Db, Prisma } from '../../data/db.js';
import { matchingEvents } from '../../data/events/event-conditions.sql.js';
import {
  type EventRow,
  eventColumns,
  parseEvents,
  selectEvents,
} from '../../data/events/event-rows.sql.js';
import { rowsOf } from '../../data/read-rows.js';
import { SERVER_EPOCH } from '../../data/server-epoch.js';
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
import {
  fewMatches,
  isHeavyMatch,
  type Matches,
  matchesAmong,
  matchesOf,
  needsScan,
  newerMatches,
  withinMatches,
} from './event-matches.js';
import { readIdRange, walkLog } from './log-scans.js';
import { LOG_EPOCH } from './settled-log.js';

/** Keyset page over events (alias `e`), newest first, with one extra row. */
export const eventPage = (page: KeysetPage<number>): { bounds: Prisma.Sql; order: Prisma.Sql } => ({
  bounds: Prisma.sql`${page.after === undefined ? Prisma.empty : Prisma.sql`and e.id < ${page.after}`}
    ${page.before === undefined ? Prisma.empty : Prisma.sql`and e.id > ${page.before}`}`,
  order: Prisma.sql`order by e.id ${page.backward ? Prisma.sql`asc` : Prisma.sql`desc`} limit ${page.limit + 1}`,
});

/** Common matches are found among this many IDs; only the others require searching the whole log. */
export const RECENT_ID_RANGE = 20_000;

type EventPage = {
  criteria: EventCriteria;
  page: KeysetPage<number>;
  /** Whether payloads are requested. */
  hasPayload?: boolean;
};

type Query = EventPage & { db: Db; cache: EventLogCache; actor: Actor };

const readPage = async (
  { db, cache, actor, criteria, page, hasPayload = true }: Query,
  within: Prisma.Sql = Prisma.empty,
): Promise<EventRow[]> => {
  const { bounds, order } = eventPage(page);
  const select = selectEvents(Prisma.sql`select ${eventColumns(hasPayload)} from events e
    where ${matchingEvents(actor, criteria)} ${within} ${bounds} ${order}`);
  const { rows } = await cache.log.readCurrent(async () => {
    const [found] = await db.$queryRaw<[{ mark: string; rows: string | null }]>(
      Prisma.sql`select ${SERVER_EPOCH} as mark, ${rowsOf(select)} as rows`,
    );
    return found;
  });
  return parseEvents(rows);
};

/** Common matches are found among the newest events, without searching for all matches. */
const readNear = (query: Query): Promise<EventRow[]> => {
  const { after } = query.page;
  const from =
    after === undefined
      ? Prisma.sql`(select max(id) - ${RECENT_ID_RANGE}::int from events)`
      : Prisma.sql`${after - RECENT_ID_RANGE}`;
  return readPage(query, Prisma.sql`and e.id > ${from}`);
};

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
        rows.push(...(await readPage({ ...query, page: rest }, Prisma.sql`and ${range}`)));
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
  const matching = matchingEvents(actor, criteria);
  const columns = eventColumns(hasPayload);
  const { bounds, order } = eventPage(page);
  const readNewer = async (known: CachedValue<Matches>) => {
    const few = fewMatches(known);
    const select = few
      ? Prisma.sql`select ${columns} from events e
          where e.id in (select e.id from events e where e.id in ${few} ${bounds} ${order})
            and ${matching} ${order}`
      : Prisma.sql`select ${columns} from events e
          where ${matching} and ${withinMatches(known)} ${bounds} ${order}`;
    const [found] = await db.$queryRaw<[{ mark: string; rows: string | null }]>(Prisma.sql`
      ${newerMatches(actor, criteria, known)}
      select ${LOG_EPOCH} as mark, ${rowsOf(selectEvents(select))} as rows from newer`);
    return { mark: found.mark, result: sliceOf<EventRow>(await parseEvents(found.rows), page) };
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
