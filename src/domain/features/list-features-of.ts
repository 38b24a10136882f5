import type { Db, Feature } from '../../data/db.js';
import type { FeatureCriteria } from '../../data/features/feature-conditions.sql.js';
import {
  countMatchingFeaturesOf,
  readFeaturePages,
} from '../../data/features/list-features.sql.js';
import { groupBy } from '../../data/grouping.js';
import type { KeysetPage } from '../../data/paging.js';
import type { Actor } from '../actor.js';
import { type Slice, sliceOf } from '../paging.js';
import { assertFeatureQuery } from './list-features.js';

/** One page of features per project, by name, in one statement. */
export const listFeaturesOf = async (
  db: Db,
  actor: Actor,
  {
    projectIds,
    criteria,
    page,
  }: { projectIds: readonly string[]; criteria: FeatureCriteria; page: KeysetPage<string> },
): Promise<ReadonlyMap<string, Slice<Feature>>> => {
  assertFeatureQuery({ criteria, page });

  const rows = await readFeaturePages(db, actor, projectIds, criteria, page);
  const rowsOf = groupBy(rows, (row) => row.projectId ?? '');
  return new Map(projectIds.map((id) => [id, sliceOf<Feature>(rowsOf.get(id) ?? [], page)]));
};

/** Counts matching features per project in one statement, up to `upTo` if given. */
export const countFeaturesOf = async (
  db: Db,
  actor: Actor,
  {
    projectIds,
    criteria,
    upTo,
  }: { projectIds: readonly string[]; criteria: FeatureCriteria; upTo?: number | undefined },
): Promise<ReadonlyMap<string, number>> => {
  assertFeatureQuery({ criteria });

  return countMatchingFeaturesOf(db, actor, projectIds, criteria, upTo);
};
