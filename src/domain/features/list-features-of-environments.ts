import type { Db } from '../../data/db.js';
import {
  countFeaturesOfEnvironments as countRows,
  type PerEnvironment,
  readFeaturesOfEnvironments,
} from '../../data/features/environment-features.sql.js';
import type { FeatureCountQuery, FeaturePageQuery } from '../../data/features/list-features.sql.js';
import { groupBy } from '../../data/grouping.js';
import type { Actor } from '../actor.js';
import { type Slice, sliceOf } from '../paging.js';
import { assertFeatureCriteria, assertFeaturePage, type ListedFeature } from './list-features.js';

/** One page of features per environment, in one statement. */
export const listFeaturesOfEnvironments = async (
  db: Db,
  actor: Actor,
  query: FeaturePageQuery & PerEnvironment,
): Promise<ReadonlyMap<string, Slice<ListedFeature>>> => {
  assertFeaturePage(query);

  const { environmentNames, page } = query;
  const rows = await readFeaturesOfEnvironments(db, actor, query);
  const rowsOf = groupBy(rows, (row) => row.owner);
  return new Map(
    environmentNames.map((name) => [name, sliceOf<ListedFeature>(rowsOf.get(name) ?? [], page)]),
  );
};

/** Counts matching features per environment, up to `upTo` if given. */
export const countFeaturesOfEnvironments = async (
  db: Db,
  actor: Actor,
  query: FeatureCountQuery & PerEnvironment,
): Promise<ReadonlyMap<string, number>> => {
  assertFeatureCriteria(query.criteria);

  return countRows(db, actor, query);
};
