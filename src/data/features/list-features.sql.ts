import { type Db, type Feature, Prisma } from '../db.js';
import { FeatureTable } from '../generated/tables.js';
import type { KeysetPage } from '../paging.js';
import { countEachUpTo, countUpTo } from '../sql/count-up-to.sql.js';
import { keysetBounds, keysetOrder, type OrderedPage, type Position } from '../sql/keyset.sql.js';
import { columnsOf, readTableRows } from '../sql/tables.sql.js';
import type { Viewer } from '../viewer.js';
import { type FeatureCriteria, matchingFeatures } from './feature-conditions.sql.js';
import { type FeatureOrder, featureKeys } from './feature-orders.sql.js';

/** The position is the sort value and the name, or the name alone if it is the sort value. */
export type FeaturePageQuery = {
  criteria: FeatureCriteria;
  order: FeatureOrder;
  page: KeysetPage<Position>;
};

type Listed = { sortValue: string | number };

/** A feature and the value that it is sorted by. */
export type ListedFeature = Feature & Listed;

/** Counts all, or up to `upTo` if given. */
export type FeatureCountQuery = { criteria: FeatureCriteria; upTo?: number | undefined };

/** For a separate result per project. */
export type PerProject = { projectIds: readonly string[] };

/** Keyset page over features (alias `t`) that match, with one extra row. */
const selectPage = (
  viewer: Viewer,
  { criteria, order, page }: FeaturePageQuery,
  scope: Prisma.Sql,
): Prisma.Sql => {
  const keys = featureKeys(order);
  const ordered: OrderedPage = { ...page, descending: order.descending };
  return Prisma.sql`
    select ${columnsOf(FeatureTable)}, ${keys[0]?.sql} as "sortValue" from features t
    where ${scope} and ${matchingFeatures(viewer, criteria)} and ${keysetBounds(keys, ordered)}
    order by ${keysetOrder(keys, ordered)} limit ${page.limit + 1}`;
};

export const readFeaturePage = (
  db: Db,
  viewer: Viewer,
  query: FeaturePageQuery,
): Promise<ListedFeature[]> =>
  readTableRows<Feature, Listed>(db, FeatureTable, selectPage(viewer, query, Prisma.sql`true`));

/** One page per owner: features whose column or related rows match the owner's `key`. */
export const readPagesPerOwner = (
  db: Db,
  viewer: Viewer,
  query: FeaturePageQuery,
  { keys, scope }: { keys: readonly string[]; scope: Prisma.Sql },
): Promise<(ListedFeature & { owner: string })[]> => {
  const isDescending = query.order.descending !== (query.page.backward ?? false);
  const direction = isDescending ? Prisma.sql`desc` : Prisma.sql`asc`;
  return readTableRows<Feature, Listed & { owner: string }>(
    db,
    FeatureTable,
    Prisma.sql`
    select page.*, owner.key as owner from unnest(${keys}::text[]) as owner(key)
    cross join lateral (${selectPage(viewer, query, scope)}) page
    order by page."sortValue" ${direction}, page.name ${direction}`,
  );
};

export const readFeaturePages = (
  db: Db,
  viewer: Viewer,
  { projectIds: keys, ...query }: FeaturePageQuery & PerProject,
): Promise<ListedFeature[]> =>
  readPagesPerOwner(db, viewer, query, { keys, scope: Prisma.sql`t.project = owner.key` });

export const countMatchingFeatures = async (
  db: Db,
  viewer: Viewer,
  { criteria, upTo }: FeatureCountQuery,
): Promise<number> => {
  const rows = Prisma.sql`from features t where ${matchingFeatures(viewer, criteria)}`;
  if (upTo !== undefined) return countUpTo(db, rows, upTo);
  const [row] = await db.$queryRaw<[{ total: bigint }]>(
    Prisma.sql`select count(*) as total ${rows}`,
  );
  return Number(row.total);
};

export const countMatchingFeaturesOf = async (
  db: Db,
  viewer: Viewer,
  { projectIds, criteria, upTo }: FeatureCountQuery & PerProject,
): Promise<ReadonlyMap<string, number>> => {
  const matching = matchingFeatures(viewer, criteria);
  if (upTo !== undefined) {
    const rows = Prisma.sql`from features t where t.project = owner.key and ${matching}`;
    return countEachUpTo(db, { keys: projectIds, type: 'text', rows, upTo });
  }
  const rows = await db.$queryRaw<{ id: string; total: bigint }[]>(Prisma.sql`
    select t.project as id, count(*) as total from features t
    where t.project = any(${projectIds}::text[]) and ${matching} group by 1`);
  return new Map(rows.map(({ id, total }) => [id, Number(total)]));
};
