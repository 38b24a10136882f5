import { type Db, type Feature, Prisma } from '../db.js';
import { type EventViewer, matchingEvents } from '../events/event-conditions.sql.js';
import { type FeatureCriteria, matchingFeatures } from '../features/feature-conditions.sql.js';
import { FeatureTable } from '../generated/tables.js';
import type { KeysetPage, Order } from '../paging.js';
import { condition } from '../sql/conditions.sql.js';
import { keysetBounds, keysetOrder, type OrderedPage, type SortKey } from '../sql/keyset.sql.js';
import { milliseconds } from '../sql/read-rows.sql.js';
import { columnsOf, readTableRows } from '../sql/tables.sql.js';
import type { Viewer } from '../viewer.js';
import { CLEAN_UP_KINDS, CLEAN_UP_WEIGHTS, type CleanUpKind, weightOf } from './clean-up-kinds.js';
import { weightedFeatures } from './weighted-features.sql.js';

export type CleanUpCriteria = Pick<
  FeatureCriteria,
  | 'names'
  | 'namesOtherThan'
  | 'projects'
  | 'projectsOtherThan'
  | 'types'
  | 'typesOtherThan'
  | 'patterns'
> & {
  /** At least one of these reasons must apply. */
  kinds?: readonly CleanUpKind[];
  /** Default: 7. */
  notSeenForDays?: number;
};

type Query = {
  criteria: CleanUpCriteria;
  /** Reads these separately, archived or not. Without them: all that are not archived, together. */
  projectIds?: readonly string[];
  /** Reads only these features, whatever their project. */
  names?: readonly string[];
  /** Timestamp at which ages are computed. */
  now: Date;
};

/** Includes features whose project no longer exists, because no project lists them. */
const IN_ACTIVE_PROJECT = Prisma.sql`not exists (
  select from projects closed where closed.id = t.project and closed.archived_at is not null)`;

const scopeOf = ({ projectIds, names }: Query): Prisma.Sql => {
  if (names) return Prisma.sql`t.name = any(${names}::text[])`;
  return projectIds ? Prisma.sql`t.project = any(${projectIds}::text[])` : IN_ACTIVE_PROJECT;
};

const evaluatedFeatures = (viewer: Viewer, query: Query): Prisma.Sql => {
  const { kinds: _checkedLater, notSeenForDays, ...others } = query.criteria;
  const where = Prisma.sql`${matchingFeatures(viewer, { ...others, archived: false })} and ${scopeOf(query)}`;
  return weightedFeatures(where, { now: query.now, notSeenForDays });
};

/** Condition on the evaluated features that are returned. */
const wantedKinds = ({ kinds }: CleanUpCriteria): Prisma.Sql =>
  Prisma.join(
    [
      Prisma.sql`weight > 0`,
      ...condition(kinds, (selected) => Prisma.sql`weight & ${weightOf(selected)}::int <> 0`),
    ],
    ' and ',
  );

/** Number of features in total and per reason. The project is null if all are counted together. */
export type TallyRow = { project: string | null; total: bigint } & Record<CleanUpKind, bigint>;

export const countCandidates = (db: Db, viewer: Viewer, query: Query): Promise<TallyRow[]> =>
  db.$queryRaw<TallyRow[]>(Prisma.sql`
    with weighed as materialized (${evaluatedFeatures(viewer, query)})
    select ${query.projectIds ? Prisma.sql`project` : Prisma.sql`null::text`} as project,
      count(*) as total, ${Prisma.join(
        CLEAN_UP_KINDS.map(
          (kind) => Prisma.sql`count(*) filter (
          where weight & ${CLEAN_UP_WEIGHTS[kind]}::int <> 0) as ${Prisma.raw(`"${kind}"`)}`,
        ),
      )}
    from weighed where ${wantedKinds(query.criteria)} group by 1`);

/** A feature to clean up, and the facts that were found; timestamps in milliseconds. */
export type CandidateRow = Feature & {
  weight: number;
  lifetimeDays: number | null;
  /** Number of environments it is rolled out to, if these are all. */
  environments: number | null;
  completedAt: number | null;
  /** When any application last reported using it. */
  seenAt: number | null;
  status: string | null;
  staleSince: number | null;
};

/** Position in the list: weight, creation timestamp in milliseconds, and name. */
export type CleanUpPlace = readonly [weight: number, created: number, name: string];

export type CleanUpOrder = Order<'WEIGHT' | 'AGE' | 'NAME'>;

/** Highest weight first, then the oldest, then by name. */
export const USUAL_CLEAN_UP_ORDER: CleanUpOrder = { field: 'WEIGHT', descending: true };

const WEIGHT: SortKey = { sql: Prisma.sql`weight::bigint`, type: 'bigint' };
/** Creation instead of age, which changes with time: the higher the age, the earlier. */
const CREATED: SortKey = { sql: Prisma.sql`created`, type: 'bigint', isReversed: true };
const NAME: SortKey = { sql: Prisma.sql`name`, type: 'text' };
const LAST_NAME: SortKey = { ...NAME, isReversed: true };

const KEYS: Readonly<Record<CleanUpOrder['field'], readonly SortKey[]>> = {
  WEIGHT: [WEIGHT, CREATED, LAST_NAME],
  AGE: [CREATED, LAST_NAME],
  NAME: [NAME],
};

/** The keys of an order, and the page with the positions of these keys. */
const keysetOf = (order: CleanUpOrder, { after, before, ...page }: KeysetPage<CleanUpPlace>) => {
  const keys = KEYS[order.field];
  const positionOf = (place: CleanUpPlace) => place.slice(place.length - keys.length);
  const ordered: OrderedPage = {
    ...page,
    descending: order.descending,
    ...(after && { after: positionOf(after) }),
    ...(before && { before: positionOf(before) }),
  };
  return { bounds: keysetBounds(keys, ordered), by: keysetOrder(keys, ordered) };
};

/**
 * When the feature `t` of the page was marked stale, by its last event about that; unknown if that event records the
 * opposite or is older than the feature, which is then not the first one of its name.
 */
const mark = (viewer: EventViewer): Prisma.Sql => Prisma.sql`
  select (array_agg(e.type order by e.id desc))[1] as type,
    (array_agg(${milliseconds(Prisma.sql`e.created_at`)} order by e.id desc))[1] as at
  from events e
  where page.weight & ${CLEAN_UP_WEIGHTS.stale}::int <> 0 and e.feature_name = t.name
    and ${matchingEvents(viewer, { types: ['feature-stale-on', 'feature-stale-off'] })}`;

/** A page, or one per project, each with one extra row. */
export const readCandidates = (
  db: Db,
  viewer: Viewer & EventViewer,
  {
    page,
    order = USUAL_CLEAN_UP_ORDER,
    ...query
  }: Query & { page: KeysetPage<CleanUpPlace>; order?: CleanUpOrder },
): Promise<CandidateRow[]> => {
  const { bounds, by } = keysetOf(order, page);
  const groups = query.projectIds ? Prisma.sql`partition by project` : Prisma.empty;
  return readTableRows<Feature, Omit<CandidateRow, keyof Feature>>(
    db,
    FeatureTable,
    Prisma.sql`
    with weighed as materialized (${evaluatedFeatures(viewer, query)}), page as (
      select * from (
        select weighed.*, row_number() over (${groups} order by ${by}) as place
        from weighed where ${wantedKinds(query.criteria)} and ${bounds}
      ) ranked where place <= ${page.limit + 1}::int
    )
    select ${columnsOf(FeatureTable)}, page.weight, page.lifetime_days as "lifetimeDays", page.environments,
      ${milliseconds(Prisma.sql`page.completed_at`)} as "completedAt", page.status, ${milliseconds(Prisma.sql`page.seen_at`)} as "seenAt",
      case when mark.type = 'feature-stale-on' and mark.at >= page.created then mark.at end as "staleSince"
    from page join features t on t.name = page.name left join lateral (${mark(viewer)}) mark on true
    order by page.place`,
  );
};
