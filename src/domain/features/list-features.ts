import type { Db, Feature } from '../../data/db.js';
import type {
  FeatureConditions,
  FeatureCriteria,
} from '../../data/features/feature-conditions.sql.js';
import type { FeatureOrder } from '../../data/features/feature-orders.sql.js';
import {
  countMatchingFeatures,
  countMatchingFeaturesOf,
  type FeatureCountQuery,
  type FeaturePageQuery,
  type ListedFeature,
  type PerProject,
  readFeaturePage,
  readFeaturePages,
} from '../../data/features/list-features.sql.js';
import { groupBy } from '../../data/grouping.js';
import { visibleIds } from '../../data/viewer.js';
import type { Actor } from '../actor.js';
import { ExceedsLimitError } from '../errors.js';
import { type Slice, sliceOf } from '../paging.js';
import { assertPattern, assertSearchText, assertText, MAX_NAME_TEXT_LENGTH } from '../text.js';

export { FEATURE_ORDERS } from '../../data/features/feature-orders.sql.js';
export type { FeatureConditions, FeatureCriteria, FeatureOrder, FeaturePageQuery, ListedFeature };

/** The criteria and all nested ones. */
const partsOf = (criteria: FeatureCriteria): FeatureCriteria[] => {
  const { and = [], or = [], not } = criteria;
  return [criteria, ...[...and, ...or, ...(not ? [not] : [])].flatMap(partsOf)];
};

const TEXTS: readonly (keyof FeatureConditions)[] = [
  'names',
  'projects',
  'types',
  'namesOtherThan',
  'projectsOtherThan',
  'typesOtherThan',
];

const JOINED: readonly (keyof FeatureCriteria)[] = [
  'tag',
  'favorite',
  'segment',
  'enabledEnvironmentName',
];
/** The server takes more than a second to plan a statement with 50 of them. */
const MAX_JOINED = 20;

const assertFewJoins = (criteria: FeatureCriteria): void => {
  const count = partsOf(criteria).flatMap((part) =>
    JOINED.filter((name) => part[name] !== undefined),
  ).length;
  if (count <= MAX_JOINED) return;
  throw new ExceedsLimitError(
    `A feature filter can have at most ${MAX_JOINED} conditions on tags, favorites, segments and enabled environments (got ${count}).`,
    MAX_JOINED,
  );
};

/** Rejects texts that cannot match anything, or that are too long, and filters that take long to plan. */
export const assertFeatureCriteria = (criteria: FeatureCriteria): void => {
  assertFewJoins(criteria);
  for (const part of partsOf(criteria)) {
    for (const name of TEXTS) {
      assertText('The feature filter', ...((part[name] as readonly string[] | undefined) ?? []));
    }
    for (const pattern of Object.values(part.patterns ?? {})) {
      assertPattern('A text of the feature filter', pattern);
    }
    assertSearchText('The text of the feature filter', part.text ?? '', MAX_NAME_TEXT_LENGTH);
    assertText('The feature filter', part.tag?.type ?? '', part.tag?.value ?? '');
    assertText('The environment of the feature filter', part.enabledEnvironmentName ?? '');
  }
};

export const assertFeaturePage = ({ criteria, page }: FeaturePageQuery): void => {
  assertFeatureCriteria(criteria);
  assertText('The cursor', ...[...(page.after ?? []), ...(page.before ?? [])].map(String));
};

/** Whether every feature in scope is evaluated or sorted, because no index leads to the page. */
export const scansFeatures = ({
  criteria,
  order,
}: {
  criteria: FeatureCriteria;
  order?: FeatureOrder;
}): boolean =>
  (order !== undefined && order.field !== 'NAME') ||
  partsOf(criteria).some((part) => SCANNED.some((name) => part[name] !== undefined));

const SCANNED: readonly (keyof FeatureCriteria)[] = [
  ...JOINED,
  'text',
  'patterns',
  'potentiallyStale',
  'stages',
  'stagesOtherThan',
  'lastSeenAt',
  'or',
  'not',
];

/** The page of matching features next to a position of their order. */
export const listFeatures = async (
  db: Db,
  actor: Actor,
  query: FeaturePageQuery,
): Promise<Slice<ListedFeature>> => {
  assertFeaturePage(query);

  return sliceOf(await readFeaturePage(db, actor, query), query.page);
};

/** One such page per project, in one statement. */
export const listFeaturesOf = async (
  db: Db,
  actor: Actor,
  query: FeaturePageQuery & PerProject,
): Promise<ReadonlyMap<string, Slice<ListedFeature>>> => {
  assertFeaturePage(query);

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
  assertFeatureCriteria(query.criteria);

  return countMatchingFeatures(db, actor, query);
};

/** The same per project, in one statement. */
export const countFeaturesOf = async (
  db: Db,
  actor: Actor,
  query: FeatureCountQuery & PerProject,
): Promise<ReadonlyMap<string, number>> => {
  assertFeatureCriteria(query.criteria);

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
