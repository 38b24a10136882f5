import { type Db, Prisma, type Sql } from '../db.js';
import type { OffsetPage } from '../paging.js';
import { rowsOf } from '../sql/read-rows.sql.js';
import { SERVER_EPOCH } from '../sql/server-epoch.sql.js';
import {
  amongFew,
  type Candidates,
  countOfFew,
  fewMatches,
  type KnownSearch,
  newerMatches,
  withinMatches,
} from './event-matches.sql.js';
import { EVENT_COLUMNS, type EventRow, parseEvents, selectEvents } from './event-rows.sql.js';
import { LOG_EPOCH } from './settled-log.sql.js';

/** There are fewer IDs than this. */
const MAX_OFFSET = 2 ** 31 - 1;
/** From this offset on, it pays to walk an index to the page and read only the rows of the page. */
export const INDEX_WALK_MIN_OFFSET = 1_000;

const limits = ({ limit, offset }: OffsetPage): Sql =>
  Prisma.sql`limit ${limit} offset ${Math.min(offset, MAX_OFFSET)}`;

/** Numbers beyond double precision are rounded, as in Unleash. */
const parsePage = (rows: string | null) => parseEvents<EventRow>(rows, JSON.parse);

/** Reads and counts in one statement. Null if there are many candidates. */
export const searchAmongFew = async (db: Db, candidates: Candidates, page: OffsetPage) => {
  const select = Prisma.sql`select ${EVENT_COLUMNS} ${amongFew(candidates)}
    order by e.id desc ${limits(page)}`;
  type Found = { count: bigint | null; mark: string; rows: string | null };
  const [{ count, mark, rows }] = await db.$queryRaw<[Found]>(Prisma.sql`
    select few.count, ${SERVER_EPOCH} as mark,
      case when few.count > 0 then ${rowsOf(selectEvents(select))} end as rows
    from (select ${countOfFew(candidates)} as count) few`);
  const found = count === null ? null : { events: await parsePage(rows), total: Number(count) };
  return { mark, found };
};

const selectPage = (search: KnownSearch, page: OffsetPage): Sql => {
  const { matching, known } = search;
  const order = Prisma.sql`order by id desc ${limits(page)}`;
  const among = (ids: Sql, further = Prisma.empty) =>
    Prisma.sql`select ${EVENT_COLUMNS} from events e where e.id in (${ids}) ${further} order by e.id desc`;

  const few = fewMatches(search);
  if (few) {
    const found = Prisma.sql`select id from events where id in ${few} ${order}`;
    return among(found, Prisma.sql`and ${matching}`);
  }
  // A page beyond the last match is empty without a walk to its end.
  const onPage = Prisma.sql`where ${matching} and ${withinMatches(search)}
    and newer.count + ${known.value.count} > ${page.offset} ${order}`;
  return page.offset >= INDEX_WALK_MIN_OFFSET
    ? among(Prisma.sql`select e.id from events e ${onPage}`)
    : Prisma.sql`select ${EVENT_COLUMNS} from events e ${onPage}`;
};

/** The page and the total, if the matches up to an ID are known. */
export const searchKnown = async (db: Db, search: KnownSearch, page: OffsetPage) => {
  type Found = { count: bigint; mark: string; rows: string | null };
  const [{ count, mark, rows }] = await db.$queryRaw<[Found]>(Prisma.sql`
    ${newerMatches(search)}
    select newer.count, ${LOG_EPOCH} as mark, ${rowsOf(selectEvents(selectPage(search, page)))} as rows from newer`);
  const total = search.known.value.count + Number(count);
  return { mark, result: { events: await parsePage(rows), total } };
};
