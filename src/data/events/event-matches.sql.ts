import { type Db, Prisma, type Sql } from '../db.js';
import { countUpTo } from '../sql/count-up-to.sql.js';
import { SERVER_EPOCH } from '../sql/server-epoch.sql.js';
import { idsAfter } from './id-ranges.sql.js';
import { LOG_EPOCH } from './settled-log.sql.js';

/** Number and ID range of the matching events. */
export type Matches = {
  count: number;
  oldest: number | null;
  newest: number | null;
  /** All IDs, newest first, if a text matches only a few events. */
  ids: readonly number[] | null;
};

/** Lists up to `maxIds` matches individually, or none. */
export const readMatches = async (
  db: Db,
  { matching, range, maxIds }: { matching: Sql; range: Sql; maxIds: number | null },
): Promise<Matches> => {
  const ids =
    maxIds === null
      ? Prisma.sql`null`
      : Prisma.sql`(array_agg(e.id order by e.id desc))[:${maxIds + 1}]`;
  const [{ matches }] = await db.$queryRaw<[{ matches: string }]>(Prisma.sql`
    select json_build_object('count', count(*), 'oldest', min(e.id), 'newest', max(e.id), 'ids', ${ids})::text
      as matches from events e where ${matching} and ${range}`);
  const found: Matches = JSON.parse(matches);
  const isListed = maxIds !== null && found.count <= maxIds;
  return { ...found, ids: isListed ? (found.ids ?? []) : null };
};

export const countMatchesUpTo = (
  db: Db,
  { matching, range, upTo }: { matching: Sql; range: Sql; upTo: number },
): Promise<number> => countUpTo(db, Prisma.sql`from events e where ${matching} and ${range}`, upTo);

export const countMatchesAfter = async (db: Db, matching: Sql, id: number | null) => {
  const [{ count, mark }] = await db.$queryRaw<[{ count: bigint; mark: string }]>(Prisma.sql`
    select count(*) as count, ${LOG_EPOCH} as mark from events e
    where ${matching} and ${idsAfter(id)}`);
  return { count: Number(count), mark };
};

/** Events that are counted directly: caching their number would take longer. */
const FEW_CANDIDATES = 2_000;

/** The matches among the events to which an index leads. */
export type Candidates = { narrow: Sql; matching: Sql };

const CONDITION_COLUMNS = Prisma.sql`e.id, e.type, e.created_by, e.created_at, e.created_by_user_id, e.feature_name,
  e.project, e.environment`;

const fromFew = ({ narrow }: Candidates): Sql =>
  Prisma.sql`from (select ${CONDITION_COLUMNS} from events e where ${narrow} limit ${FEW_CANDIDATES + 1}) e`;

/** The number of matches. Null if there are many candidates. */
export const countOfFew = (candidates: Candidates): Sql => Prisma.sql`(
  select case when count(*) <= ${FEW_CANDIDATES} then count(*) filter (where ${candidates.matching}) end
  ${fromFew(candidates)})`;

/** The IDs of the matches (alias `e`). Incomplete if there are many candidates. */
export const idsAmongFew = (candidates: Candidates): Sql =>
  Prisma.sql`select e.id ${fromFew(candidates)} where ${candidates.matching}`;

/** Null if there are many candidates. */
export const countAmongFew = async (db: Db, candidates: Candidates) => {
  const [{ count, mark }] = await db.$queryRaw<[{ count: bigint | null; mark: string }]>(
    Prisma.sql`select ${countOfFew(candidates)} as count, ${SERVER_EPOCH} as mark`,
  );
  return { count: count === null ? null : Number(count), mark };
};

/** A search whose matches up to an ID are known. */
export type KnownSearch<Value extends Matches = Matches> = {
  matching: Sql;
  /** Whether its matches may be known individually. */
  isText: boolean;
  known: { value: Value; upTo: number | null };
};

/** CTEs for a page of matches: `newer` summarizes matches newer than the known ones, `hits` lists those of a text. */
export const newerMatches = ({ matching, isText, known }: KnownSearch): Sql => {
  const found = Prisma.sql`from events e where ${matching} and ${idsAfter(known.upTo)}`;
  return isText
    ? Prisma.sql`with hits as materialized (select e.id ${found}),
        newer as materialized (select count(*) as count, max(id) as newest from hits)`
    : Prisma.sql`with newer as materialized (select count(*) as count, max(e.id) as newest ${found})`;
};

/** All matches, if they are known individually. */
export const fewMatches = ({ known: { value } }: KnownSearch): Sql | null =>
  value.ids && Prisma.sql`(select unnest(${value.ids}::int[]) as id union all select id from hits)`;

/** An ID range that contains every match. */
export const withinMatches = ({ known: { value, upTo } }: KnownSearch): Sql => {
  const first = value.oldest ?? upTo;
  return Prisma.sql`e.id <= coalesce(newer.newest, ${value.newest}::int)
    ${first === null ? Prisma.empty : Prisma.sql`and e.id >= ${first}`}`;
};
