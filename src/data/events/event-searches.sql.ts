import { type Db, Prisma, type Sql } from '../db.js';
import type { OffsetPage } from '../paging.js';
import { rowsOf } from '../sql/read-rows.sql.js';
import { SERVER_EPOCH } from '../sql/server-epoch.sql.js';
import {
  type Candidates,
  countOfFew,
  fewMatches,
  idsAmongFew,
  type KnownSearch,
  newerMatches,
  withinMatches,
} from './event-matches.sql.js';
import { EVENT_COLUMNS, type EventRow, parseEvents, selectEvents } from './event-rows.sql.js';
import { LOG_EPOCH } from './settled-log.sql.js';

/** No offset beyond it has an event. */
export const MAX_ID = 2 ** 31 - 1;
const DEEP_OFFSET = 1_000;

/** Whether it pays to walk an index to the page and read only the rows of the page. */
export const isDeep = ({ offset }: OffsetPage): boolean => offset >= DEEP_OFFSET;

const limits = ({ limit, offset }: OffsetPage): Sql =>
  Prisma.sql`limit ${limit} offset ${Math.min(offset, MAX_ID)}`;

/** Numbers beyond double precision are rounded, as in Unleash. */
const parsePage = (rows: string | null) => parseEvents<EventRow>(rows, JSON.parse);

/** Rows in the order of the page. */
export const selectByIds = (ids: Sql, further = Prisma.empty): Sql =>
  Prisma.sql`select ${EVENT_COLUMNS} from events e where e.id in (${ids}) ${further} order by e.id desc`;

/** Reads and counts in one statement. Null if there are many candidates. */
export const searchAmongFew = async (db: Db, candidates: Candidates, page: OffsetPage) => {
  const select = selectByIds(
    Prisma.sql`${idsAmongFew(candidates)} order by e.id desc ${limits(page)}`,
  );
  type Found = { count: bigint | null; mark: string; rows: string | null };
  const [{ count, mark, rows }] = await db.$queryRaw<[Found]>(Prisma.sql`
    with few as materialized (select ${countOfFew(candidates)} as count)
    select few.count, ${SERVER_EPOCH} as mark,
      case when few.count > 0 then ${rowsOf(selectEvents(select))} end as rows
    from few`);
  const found = count === null ? null : { events: await parsePage(rows), total: Number(count) };
  return { mark, found };
};

const selectPage = (search: KnownSearch, page: OffsetPage): Sql => {
  const { matching, known } = search;
  const order = Prisma.sql`order by id desc ${limits(page)}`;

  const few = fewMatches(search);
  if (few) {
    const found = Prisma.sql`select id from events where id in ${few} ${order}`;
    return selectByIds(found, Prisma.sql`and ${matching}`);
  }
  // A page beyond the last match is empty without a walk to its end.
  const onPage = Prisma.sql`where ${matching} and ${withinMatches(search)}
    and newer.count + ${known.value.count} > ${page.offset} ${order}`;
  return isDeep(page)
    ? selectByIds(Prisma.sql`select e.id from events e ${onPage}`)
    : Prisma.sql`select ${EVENT_COLUMNS} from events e ${onPage}`;
};

/** The number of newer matches, and the page. */
export type Found = { count: bigint; mark: string; rows: string | null };

export const parseFound = async ({ known }: KnownSearch, { count, mark, rows }: Found) => {
  const total = known.value.count + Number(count);
  return { mark, result: { events: await parsePage(rows), total } };
};

/** The page and the total, if the matches up to an ID are known. */
export const searchKnown = async (db: Db, search: KnownSearch, page: OffsetPage) => {
  const [found] = await db.$queryRaw<[Found]>(Prisma.sql`
    ${newerMatches(search)}
    select newer.count, ${LOG_EPOCH} as mark, ${rowsOf(selectEvents(selectPage(search, page)))} as rows from newer`);
  return parseFound(search, found);
};
