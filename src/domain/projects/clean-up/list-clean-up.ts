import { condition } from '../../../data/conditions.js';
import { type Db, type Feature, Prisma } from '../../../data/db.js';
import { matchingEvents } from '../../../data/events/event-conditions.sql.js';
import { groupBy } from '../../../data/grouping.js';
import { milliseconds } from '../../../data/read-rows.js';
import { columnsOf, FEATURES, readTableRows } from '../../../data/tables.js';
import type { Actor } from '../../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../../paging.js';
import { assertText } from '../../text.js';
import {
  type CleanUpCriteria,
  inActiveProjects,
  inProjects,
  wantedKinds,
} from './clean-up-criteria.js';
import { CLEAN_UP_WEIGHTS } from './clean-up-kinds.js';
import { type CandidateRow, type CleanUpReason, reasonsOf } from './clean-up-reasons.js';
import { OLDEST, weightedFeatures } from './weighted-features.js';

export type CleanUpCandidate = {
  feature: Feature;
  weight: number;
  reasons: readonly CleanUpReason[];
};

/** Position in the list: weight, creation timestamp in milliseconds, and name. */
export type CleanUpPlace = readonly [weight: number, created: number, name: string];

export const placeOf = ({ feature, weight }: CleanUpCandidate): CleanUpPlace => [
  weight,
  feature.createdAt?.getTime() ?? OLDEST,
  feature.name,
];

type Query = {
  criteria: CleanUpCriteria;
  page: KeysetPage<CleanUpPlace>;
  /** Timestamp at which ages are computed. Default: now. */
  now?: Date;
};

/** By weight, then by creation, oldest first, then by name: stable over time, unlike ages. */
const orderOf = ({ backward }: KeysetPage<CleanUpPlace>): Prisma.Sql =>
  backward ? Prisma.sql`weight, created desc, name desc` : Prisma.sql`weight desc, created, name`;

const boundsOf = ({ after, before }: KeysetPage<CleanUpPlace>): Prisma.Sql => {
  assertText('The cursor', after?.[2] ?? '', before?.[2] ?? '');

  const position = ([weight, created, name]: CleanUpPlace) =>
    Prisma.sql`(${-weight}::int, ${BigInt(created)}::bigint, ${name}::text)`;
  const conditions = [
    Prisma.sql`true`,
    ...condition(after, (key) => Prisma.sql`(-weight, created, name) > ${position(key)}`),
    ...condition(before, (key) => Prisma.sql`(-weight, created, name) < ${position(key)}`),
  ];
  return Prisma.join(conditions, ' and ');
};

/**
 * When the feature `t` of the page was marked stale, by its last event about that; unknown if that event records the
 * opposite or is older than the feature, which is then not the first one of its name.
 */
const mark = (actor: Actor): Prisma.Sql => Prisma.sql`
  select (array_agg(e.type order by e.id desc))[1] as type,
    (array_agg(${milliseconds(Prisma.sql`e.created_at`)} order by e.id desc))[1] as at
  from events e
  where page.weight & ${CLEAN_UP_WEIGHTS.stale}::int <> 0 and e.feature_name = t.name
    and ${matchingEvents(actor, { types: ['feature-stale-on', 'feature-stale-off'] })}`;

/** One page per group of features, in one statement. */
const readPages = async (
  db: Db,
  actor: Actor,
  where: Prisma.Sql,
  groups: Prisma.Sql,
  { criteria, page, now = new Date() }: Query,
): Promise<CleanUpCandidate[]> => {
  const rows = await readTableRows<Feature, Omit<CandidateRow, keyof Feature>>(
    db,
    FEATURES,
    Prisma.sql`
    with weighed as materialized (${weightedFeatures(where, now)}), page as (
      select * from (
        select weighed.*, row_number() over (${groups} order by ${orderOf(page)}) as place
        from weighed where ${wantedKinds(criteria)} and ${boundsOf(page)}
      ) ranked where place <= ${page.limit + 1}::int
    )
    select ${columnsOf(FEATURES)}, page.weight, page.lifetime_days as "lifetimeDays", page.environments,
      ${milliseconds(Prisma.sql`page.completed_at`)} as "completedAt", page.status,
      case when mark.type = 'feature-stale-on' and mark.at >= page.created then mark.at end as "staleSince"
    from page join features t on t.name = page.name left join lateral (${mark(actor)}) mark on true
    order by page.place`,
  );
  return rows.map((row) => ({ feature: row, weight: row.weight, reasons: reasonsOf(row, now) }));
};

/** The page of features to clean up in all projects that are not archived, most important first. */
export const listCleanUp = async (
  db: Db,
  actor: Actor,
  query: Query,
): Promise<Slice<CleanUpCandidate>> => {
  const where = inActiveProjects(actor, query.criteria);
  return sliceOf(await readPages(db, actor, where, Prisma.empty, query), query.page);
};

/** One such page per project, archived or not, in one statement. */
export const listCleanUpOf = async (
  db: Db,
  actor: Actor,
  { projectIds, ...query }: Query & { projectIds: readonly string[] },
): Promise<ReadonlyMap<string, Slice<CleanUpCandidate>>> => {
  const where = inProjects(actor, query.criteria, projectIds);
  const partition = Prisma.sql`partition by project`;
  const rows = await readPages(db, actor, where, partition, query);

  const rowsOf = groupBy(rows, ({ feature }) => feature.projectId ?? '');
  return new Map(projectIds.map((id) => [id, sliceOf(rowsOf.get(id) ?? [], query.page)]));
};
