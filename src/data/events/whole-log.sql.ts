import { type Db, Prisma, type Sql } from '../db.js';
import type { OffsetPage } from '../paging.js';
import { rowsOf } from '../sql/read-rows.sql.js';
import {
  type KnownSearch,
  type Matches,
  newerMatches,
  withinMatches,
} from './event-matches.sql.js';
import { selectEvents } from './event-rows.sql.js';
import { type Found, MAX_ID, parseFound, selectByIds } from './event-searches.sql.js';
import { LOG_EPOCH } from './settled-log.sql.js';

/** An event, and the number of events up to it. */
export type Milestone = { id: number; rank: number };

/** All events. Walks to deep pages start at milestones, which are listed oldest first. */
export type WholeLog = Matches & { milestones: readonly Milestone[] };

const MIN_MILESTONE_DISTANCE = 1_000;
const MILESTONES = 1_000;

/** All events of a range, with milestones at equal distances. Takes about three times as long as counting them. */
export const readWholeLog = async (db: Db, range: Sql): Promise<WholeLog> => {
  type Parts = { oldest: number | null; milestones: Milestone[] | null };
  const [{ parts }] = await db.$queryRaw<[{ parts: string }]>(Prisma.sql`
    with ids as materialized (select min(e.id)::bigint as first, max(e.id)::bigint as last from events e where ${range}),
      step as materialized (
        select greatest(${MIN_MILESTONE_DISTANCE}, (last - first) / ${MILESTONES})::bigint as ids from ids
      )
    select json_build_object('oldest', (select first from ids), 'milestones', (
      select json_agg(json_build_object('id', part.newest, 'rank', part.rank) order by part.newest)
      from (
        select found.newest, sum(found.count) over (order by low) as rank
        from ids, step, generate_series(ids.first, ids.last, step.ids) as low
        cross join lateral (
          select count(*) as count, max(e.id) as newest from events e
          where ${range} and e.id >= low and e.id < low + step.ids
        ) found
        where found.count > 0
      ) part
    ))::text as parts`);
  const { oldest, milestones }: Parts = JSON.parse(parts);
  const last = milestones?.at(-1);
  return {
    count: last?.rank ?? 0,
    oldest,
    newest: last?.id ?? null,
    ids: null,
    milestones: milestones ?? [],
  };
};

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

/** A deep page and the total. */
export const searchWholeLog = async (
  db: Db,
  search: KnownSearch<WholeLog>,
  { limit, ...page }: OffsetPage,
) => {
  const { count, milestones } = search.known.value;
  const offset = Math.min(page.offset, MAX_ID);
  const total = Prisma.sql`(newer.count + ${count})`;
  const ids = Prisma.sql`select e.id from events e
    where ${withinMatches(search)} and e.id <= coalesce((select id from start), ${MAX_ID}::int)
      and ${total} > ${offset}
    order by e.id desc limit ${limit} offset coalesce((select rank from start) - (${total} - ${offset}), ${offset})`;
  const [found] = await db.$queryRaw<[Found]>(Prisma.sql`
    ${newerMatches(search)} ${startOf(milestones, count, offset)}
    select newer.count, ${LOG_EPOCH} as mark, ${rowsOf(selectEvents(selectByIds(ids)))} as rows from newer`);
  return parseFound(search, found);
};
