import type { Db, Feature } from '../../data/db.js';
import type { FeatureCriteria } from '../../data/features/feature-conditions.sql.js';
import { countMatchingFeatures, readFeaturePage } from '../../data/features/list-features.sql.js';
import type { KeysetPage } from '../../data/paging.js';
import { visibleIds } from '../../data/visible-projects.js';
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
  query: { criteria: FeatureCriteria; page: KeysetPage<string> },
): Promise<Slice<Feature>> => {
  assertFeatureQuery(query);

  const { criteria, page } = query;
  return sliceOf(await readFeaturePage(db, actor, criteria, page), page);
};

/** Exact, or up to `upTo` if given. */
export const countFeatures = async (
  db: Db,
  actor: Actor,
  { criteria, upTo }: { criteria: FeatureCriteria; upTo?: number | undefined },
): Promise<number> => {
  assertFeatureQuery({ criteria });

  return countMatchingFeatures(db, actor, criteria, upTo);
};

/** Archived or not; null if there is none that the actor may see. */
export const findFeature = async (db: Db, actor: Actor, name: string): Promise<Feature | null> => {
  assertText('The feature name', name);

  return db.feature.findFirst({ where: { name, projectId: visibleIds(actor) } });
};
