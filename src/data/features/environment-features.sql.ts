import { type Db, type Feature, Prisma } from '../db.js';
import { FeatureTable } from '../generated/tables.js';
import { countEachUpTo } from '../sql/count-up-to.sql.js';
import { columnsOf, readTableRows } from '../sql/tables.sql.js';
import type { Viewer } from '../viewer.js';
import { matchingFeatures } from './feature-conditions.sql.js';
import { type FeatureCountQuery, type FeaturePageQuery, featurePage } from './list-features.sql.js';

/** For a separate result per environment. */
export type PerEnvironment = { environmentNames: readonly string[] };

/** Whether the feature `t` is in the environment `owner.key`. */
const IN_ENVIRONMENT = Prisma.sql`exists (select from feature_environments held
  where held.feature_name = t.name and held.environment = owner.key)`;

/** One page per environment, each with one extra row. */
export const readFeaturesOfEnvironments = (
  db: Db,
  viewer: Viewer,
  { environmentNames, criteria, page }: FeaturePageQuery & PerEnvironment,
): Promise<(Feature & { environmentName: string })[]> =>
  readTableRows<Feature, { environmentName: string }>(
    db,
    FeatureTable,
    Prisma.sql`
    select page.* from unnest(${environmentNames}::text[]) as owner(key)
    cross join lateral (
      select owner.key as "environmentName", ${columnsOf(FeatureTable)} from features t
      where ${IN_ENVIRONMENT} and ${matchingFeatures(viewer, criteria)} ${featurePage(page)}
    ) page order by page.name ${page.backward ? Prisma.sql`desc` : Prisma.sql`asc`}`,
  );

/** Counts all, or up to `upTo` if given. */
export const countFeaturesOfEnvironments = (
  db: Db,
  viewer: Viewer,
  { environmentNames, criteria, upTo }: FeatureCountQuery & PerEnvironment,
): Promise<ReadonlyMap<string, number>> => {
  const rows = Prisma.sql`from features t where ${IN_ENVIRONMENT} and ${matchingFeatures(viewer, criteria)}`;
  return countEachUpTo(db, { keys: environmentNames, type: 'text', rows, upTo });
};
