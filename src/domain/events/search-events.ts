import { type Db, Prisma } from '../../data/db.js';
import { matchingEvents } from '../../data/events/event-conditions.sql.js';
import {
  EVENT_COLUMNS,
  type EventRow,
  parseEvents,
  selectEvents,
} from '../../data/events/event-rows.sql.js';
import { rowsOf } from '../../data/read-rows.js';
import { SERVER_EPOCH } from '../../data/server-epoch.js';
import type { Actor } from '../actor.js';
import type { OffsetPage } from '../paging.js';
import type { CachedValue } from './cacheable-query.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import type { EventLogCache } from './event-log-cache.js';
import {
  fewMatches,
  isHeavyMatch,
  type Matches,
  matchesAmongFew,
  matchesOf,
  newerMatches,
  withinMatches,
} from './event-matches.js';
import { LOG_EPOCH } from './settled-log.js';

/** There are fewer IDs than this. */
const MAX_OFFSET = 2 ** 31 - 1;
/** From this offset on, it pays to walk an index to the page and read only the rows of the page. */
const FAR = 1_000;

const selectPage = (
  matching: Prisma.Sql,
  known: CachedValue<Matches>,
  { limit, offset }: OffsetPage,
): Prisma.Sql => {
  const page = Prisma.sql`order by id desc limit ${limit} offset ${Math.min(offset, MAX_OFFSET)}`;
  const among = (ids: Prisma.Sql, further = Prisma.empty) =>
    Prisma.sql`select ${EVENT_COLUMNS} from events e where e.id in (${ids}) ${further} order by e.id desc`;

  const few = fewMatches(known);
  if (few) {
    const found = Prisma.sql`select id from events where id in ${few} ${page}`;
    return among(found, Prisma.sql`and ${matching}`);
  }
  // A page beyond the last match is empty without a walk to its end.
  const onPage = Prisma.sql`where ${matching} and ${withinMatches(known)}
    and newer.count + ${known.value.count} > ${offset} ${page}`;
  return offset >= FAR
    ? among(Prisma.sql`select e.id from events e ${onPage}`)
    : Prisma.sql`select ${EVENT_COLUMNS} from events e ${onPage}`;
};

type Found = { count: bigint; mark: string; rows: string | null };

type Search = { criteria: EventCriteria; page: OffsetPage };

type SearchResult = { events: EventRow[]; total: number };

/** Reads and counts in one statement. Null if the matches are not among few events. */
const searchFew = async (
  db: Db,
  { log }: EventLogCache,
  actor: Actor,
  { criteria, page }: Search,
): Promise<SearchResult | null> => {
  const matches = matchesAmongFew(actor, criteria);
  if (!matches) return null;
  const select = Prisma.sql`select ${EVENT_COLUMNS} ${matches.from}
    order by e.id desc limit ${page.limit} offset ${Math.min(page.offset, MAX_OFFSET)}`;
  const found = await log.readCurrent(async () => {
    const [row] = await db.$queryRaw<[Omit<Found, 'count'> & { count: bigint | null }]>(Prisma.sql`
      select few.count, ${SERVER_EPOCH} as mark,
        case when few.count > 0 then ${rowsOf(selectEvents(select))} end as rows
      from (select ${matches.count} as count) few`);
    return row;
  });
  if (found.count === null) return null;
  return { events: await parseEvents(found.rows, JSON.parse), total: Number(found.count) };
};

/** The page at an offset, newest first, with the exact total. */
export const searchEvents = async (
  db: Db,
  cache: EventLogCache,
  actor: Actor,
  { criteria, page }: Search,
): Promise<SearchResult> => {
  assertEventCriteria(criteria);

  const query = matchesOf(db, actor, criteria);
  const few = cache.has(query) ? null : await searchFew(db, cache, actor, { criteria, page });
  if (few) return few;
  const isHeavy = isHeavyMatch(criteria);
  const readNewer = async (known: CachedValue<Matches>) => {
    const select = selectPage(matchingEvents(actor, criteria), known, page);
    const [found] = await db.$queryRaw<[Found]>(Prisma.sql`
      ${newerMatches(actor, criteria, known)}
      select newer.count, ${LOG_EPOCH} as mark, ${rowsOf(selectEvents(select))} as rows from newer`);
    const total = known.value.count + Number(found.count);
    // Numbers beyond double precision are rounded, as in Unleash.
    return {
      mark: found.mark,
      result: { events: await parseEvents(found.rows, JSON.parse), total },
    };
  };
  return cache.query(query, readNewer, (matches) => isHeavy(matches) || page.offset >= FAR);
};
