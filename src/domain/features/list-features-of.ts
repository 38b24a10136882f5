import type { Db, Feature } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertText } from '../text.js';
import { type FeatureCriteria, matchingFeatures } from './list-features.js';

/** One page of features, by name, for each of many projects. */
export const listFeaturesOf = async (
  db: Db,
  actor: Actor,
  {
    projectIds,
    criteria,
    page,
  }: { projectIds: readonly string[]; criteria: FeatureCriteria; page: KeysetPage<string> },
): Promise<ReadonlyMap<string, Slice<Feature>>> => {
  assertText('The cursor', page.after ?? '', page.before ?? '');

  const projects = await db.project.findMany({
    where: { id: { in: [...projectIds] } },
    select: {
      id: true,
      features: {
        where: {
          AND: [
            matchingFeatures(actor, criteria),
            page.after === undefined ? {} : { name: { gt: page.after } },
            page.before === undefined ? {} : { name: { lt: page.before } },
          ],
        },
        orderBy: { name: page.backward ? 'desc' : 'asc' },
        take: page.limit + 1,
      },
    },
  });
  return new Map(projects.map(({ id, features }) => [id, sliceOf(features, page)]));
};

/** How many features match in each of many projects. */
export const countFeaturesOf = async (
  db: Db,
  actor: Actor,
  { projectIds, criteria }: { projectIds: readonly string[]; criteria: FeatureCriteria },
): Promise<ReadonlyMap<string, number>> => {
  const rows = await db.feature.groupBy({
    by: ['projectId'],
    where: { AND: [{ projectId: { in: [...projectIds] } }, matchingFeatures(actor, criteria)] },
    _count: { _all: true },
  });
  return new Map(rows.map((row) => [row.projectId ?? '', row._count._all]));
};
