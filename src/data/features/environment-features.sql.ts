import { type Db, Prisma } from '../db.js';
import { countEachUpTo } from '../sql/count-up-to.sql.js';
import type { Viewer } from '../viewer.js';
import { matchingFeatures } from './feature-conditions.sql.js';
import {
  type FeatureCountQuery,
  type FeaturePageQuery,
  type ListedFeature,
  readPagesPerOwner,
} from './list-features.sql.js';

/** For a separate result per environment. */
export type PerEnvironment = { environmentNames: readonly string[] };

/** Whether the feature `t` is in the environment `owner.key`. */
const IN_ENVIRONMENT = Prisma.sql`exists (select from feature_environments held
  where held.feature_name = t.name and held.environment = owner.key)`;

/** One page per environment, each with one extra row. The owner is the environment. */
export const readFeaturesOfEnvironments = (
  db: Db,
  viewer: Viewer,
  { environmentNames: keys, ...query }: FeaturePageQuery & PerEnvironment,
): Promise<(ListedFeature & { owner: string })[]> =>
  readPagesPerOwner(db, viewer, query, { keys, scope: IN_ENVIRONMENT });

/** Counts all, or up to `upTo` if given. */
export const countFeaturesOfEnvironments = (
  db: Db,
  viewer: Viewer,
  { environmentNames, criteria, upTo }: FeatureCountQuery & PerEnvironment,
): Promise<ReadonlyMap<string, number>> => {
  const rows = Prisma.sql`from features t where ${IN_ENVIRONMENT} and ${matchingFeatures(viewer, criteria)}`;
  return countEachUpTo(db, { keys: environmentNames, type: 'text', rows, upTo });
};
