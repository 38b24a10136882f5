import { type Db, type Feature, Prisma } from '../db.js';
import { FeatureTable } from '../generated/tables.js';
import type { KeysetPage } from '../paging.js';
import { countEachUpTo, countUpTo } from '../sql/count-up-to.sql.js';
import { columnsOf, readTable, readTableRows } from '../sql/tables.sql.js';
import type { Viewer } from '../viewer.js';
import { type FeatureCriteria, matchingFeatures } from './feature-conditions.sql.js';

export type FeaturePageQuery = { criteria: FeatureCriteria; page: KeysetPage<string> };

/** Counts all, or up to `upTo` if given. */
export type FeatureCountQuery = { criteria: FeatureCriteria; upTo?: number | undefined };

/** For a separate result per project. */
export type PerProject = { projectIds: readonly string[] };

/** Keyset page over features (alias `t`), by name, with one extra row. */
export const featurePage = ({
  after,
  before,
  backward,
  limit,
}: KeysetPage<string>): Prisma.Sql => Prisma.sql`
    ${after === undefined ? Prisma.empty : Prisma.sql`and t.name > ${after}`}
    ${before === undefined ? Prisma.empty : Prisma.sql`and t.name < ${before}`}
    order by t.name ${backward ? Prisma.sql`desc` : Prisma.sql`asc`} limit ${limit + 1}`;

export const readFeaturePage = (
  db: Db,
  viewer: Viewer,
  { criteria, page }: FeaturePageQuery,
): Promise<Feature[]> =>
  readTable(
    db,
    FeatureTable,
    Prisma.sql`${matchingFeatures(viewer, criteria)} ${featurePage(page)}`,
  );

export const readFeaturePages = (
  db: Db,
  viewer: Viewer,
  { projectIds, criteria, page }: FeaturePageQuery & PerProject,
): Promise<Feature[]> =>
  readTableRows<Feature>(
    db,
    FeatureTable,
    Prisma.sql`
    select page.* from unnest(${projectIds}::text[]) as owner(id)
    cross join lateral (
      select ${columnsOf(FeatureTable)} from features t
      where t.project = owner.id and ${matchingFeatures(viewer, criteria)} ${featurePage(page)}
    ) page order by page.name ${page.backward ? Prisma.sql`desc` : Prisma.sql`asc`}`,
  );

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
