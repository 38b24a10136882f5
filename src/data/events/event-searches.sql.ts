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
  type Milestone,
  newerMatches,
  withinMatches,
} from './event-matches.sql.js';
import { EVENT_COLUMNS, type EventRow, parseEvents, selectEvents } from './event-rows.sql.js';
import { LOG_EPOCH } from './settled-log.sql.js';

/** There are fewer IDs than this. */
const MAX_OFFSET = 2 ** 31 - 1;
const DEEP_OFFSET = 1_000;

/** Whether it pays to walk an index to the page and read only the rows of the page. */
export const isDeep = ({ offset }: OffsetPage): boolean => offset >= DEEP_OFFSET;

const limits = ({ limit, offset }: OffsetPage): Sql =>
  Prisma.sql`limit ${limit} offset ${Math.min(offset, MAX_OFFSET)}`;

/** Further and further from the page: the number of newer events is known only to the statement. */
const MILESTONE_RANKS = [0, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

/** Another CTE: the milestone from which the walk to a deep page starts. No row if newer events are nearer. */
const startOf = (milestones: readonly Milestone[], count: number, offset: number): Sql => {
  const found = MILESTONE_RANKS.flatMap(
    (further) => milestones.find(({ rank }) => rank >= count - offset + further) ?? [],
  );
  const ids = found.map(({ id }) => id);
  const ranks = found.map(({ rank }) => rank);
  return Prisma.sql`, start as materialized (
    select milestone.id, milestone.rank
    from newer, unnest(${ids}::int[], ${ranks}::int[]) as milestone (id, rank)
    where milestone.rank >= newer.count + ${count} - ${offset} order by milestone.rank limit 1)`;
};

/** Numbers beyond double precision are rounded, as in Unleash. */
const parsePage = (rows: string | null) => parseEvents<EventRow>(rows, JSON.parse);

/** Rows in the order of the page. */
const selectByIds = (ids: Sql, further = Prisma.empty): Sql =>
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

type Found = { count: bigint; mark: string; rows: string | null };

const parseFound = async ({ known }: KnownSearch, { count, mark, rows }: Found) => {
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

/** The same for a deep page of the whole log. */
export const searchWholeLog = async (
  db: Db,
  search: KnownSearch,
  { limit, ...page }: OffsetPage,
) => {
  const { count, milestones = [] } = search.known.value;
  const offset = Math.min(page.offset, MAX_OFFSET);
  const total = Prisma.sql`(newer.count + ${count})`;
  const ids = Prisma.sql`select e.id from events e
    where ${withinMatches(search)} and e.id <= coalesce((select id from start), ${MAX_OFFSET}::int)
      and ${total} > ${offset}
    order by e.id desc limit ${limit} offset coalesce((select rank from start) - (${total} - ${offset}), ${offset})`;
  const [found] = await db.$queryRaw<[Found]>(Prisma.sql`
    ${newerMatches(search)} ${startOf(milestones, count, offset)}
    select newer.count, ${LOG_EPOCH} as mark, ${rowsOf(selectEvents(selectByIds(ids)))} as rows from newer`);
  return parseFound(search, found);
};
