import type { Db, Feature } from '../../data/db.js';
import type { FeatureCriteria } from '../../data/features/feature-conditions.sql.js';
import {
  countMatchingFeatures,
  countMatchingFeaturesOf,
  type FeatureCountQuery,
  type FeaturePageQuery,
  type PerProject,
  readFeaturePage,
  readFeaturePages,
} from '../../data/features/list-features.sql.js';
import { groupBy } from '../../data/grouping.js';
import type { KeysetPage } from '../../data/paging.js';
import { visibleIds } from '../../data/viewer.js';
import type { Actor } from '../actor.js';
import { type Slice, sliceOf } from '../paging.js';
import { assertSearchText, assertText, MAX_NAME_TEXT_LENGTH } from '../text.js';

export type { FeatureCriteria };

/** Rejects texts that cannot match anything, or that are too long. */
export const assertFeatureQuery = ({
  criteria,
  page,
}: {
  criteria: FeatureCriteria;
  page?: KeysetPage<string>;
}): void => {
  const { names, projects, types, namesOtherThan, projectsOtherThan, typesOtherThan, text, tag } =
    criteria;
  for (const list of [names, projects, types, namesOtherThan, projectsOtherThan, typesOtherThan]) {
    assertText('The feature filter', ...(list ?? []));
  }
  assertSearchText('The text of the feature filter', text ?? '', MAX_NAME_TEXT_LENGTH);
  assertText('The feature filter', tag?.type ?? '', tag?.value ?? '');
  assertText('The cursor', page?.after ?? '', page?.before ?? '');
};

/** The page of matching features next to a known name, by name. */
export const listFeatures = async (
  db: Db,
  actor: Actor,
  query: FeaturePageQuery,
): Promise<Slice<Feature>> => {
  assertFeatureQuery(query);

  return sliceOf(await readFeaturePage(db, actor, query), query.page);
};

/** One such page per project, in one statement. */
export const listFeaturesOf = async (
  db: Db,
  actor: Actor,
  query: FeaturePageQuery & PerProject,
): Promise<ReadonlyMap<string, Slice<Feature>>> => {
  assertFeatureQuery(query);

  const { projectIds, page } = query;
  const rows = await readFeaturePages(db, actor, query);
  const rowsOf = groupBy(rows, (row) => row.projectId ?? '');
  return new Map(projectIds.map((id) => [id, sliceOf(rowsOf.get(id) ?? [], page)]));
};

/** Exact, or up to `upTo` if given. */
export const countFeatures = async (
  db: Db,
  actor: Actor,
  query: FeatureCountQuery,
): Promise<number> => {
  assertFeatureQuery(query);

  return countMatchingFeatures(db, actor, query);
};

/** The same per project, in one statement. */
export const countFeaturesOf = async (
  db: Db,
  actor: Actor,
  query: FeatureCountQuery & PerProject,
): Promise<ReadonlyMap<string, number>> => {
  assertFeatureQuery(query);

  return countMatchingFeaturesOf(db, actor, query);
};

/** Features that the actor may see, archived or not, in any order. */
export const findFeatures = async (
  db: Db,
  actor: Actor,
  names: readonly string[],
): Promise<Feature[]> => {
  assertText('A feature name', ...names);

  return db.feature.findMany({
    where: { name: { in: [...new Set(names)] }, projectId: visibleIds(actor) },
  });
};
