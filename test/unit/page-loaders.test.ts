import { expect, test } from 'vitest';
import type { Operations } from '../../src/domain/operations.js';
import type { Loaders } from '../../src/domain/rows.js';
import { createPageLoaders } from '../../src/graphql/page-loaders.js';
import { adminActor } from '../testkit/actors.js';

const loadersFor = (operations: Partial<Operations>, loaders: object) =>
  createPageLoaders(operations as Operations, adminActor, loaders as Loaders);

const same = async (load: () => Promise<unknown>) => {
  const results = await Promise.all(Array.from({ length: 5 }, load));
  return new Set(results).size === 1;
};

test('fields of one facet share its count, and those of one text its search', async () => {
  const counted: unknown[] = [];
  const values = ['checkout', 'search'].map((value) => ({ value, userId: null, count: 1 }));
  const { eventFacet } = loadersFor(
    {
      countEventFacets: async (_actor, { facets }) => {
        counted.push(facets);
        return new Map(facets.map((facet) => [facet, values]));
      },
    },
    {},
  );
  const read = (search: string | null) => () => eventFacet({ criteria: {}, search }, 'features');
  const [all, some] = await Promise.all([same(read(null)), same(read('CHECK'))]);
  expect([all, some]).toEqual([true, true]);
  expect(await read('CHECK')()).toEqual([values[0]]);
  await eventFacet({ criteria: {}, search: null }, 'features');
  expect(counted).toEqual([['features']]);
});

test('fields of one project share the counts of its features', async () => {
  const feature = { stale: true, createdAt: new Date(0), type: 'release' };
  const { featureCountsOf } = loadersFor(
    {},
    {
      activeFeaturesOfProject: { load: async () => [feature, { ...feature, stale: false }] },
      featureType: { load: async () => ({ id: 'release', lifetimeDays: 40 }) },
    },
  );
  expect(await same(() => featureCountsOf.load('web'))).toBe(true);
  expect(await featureCountsOf.load('web')).toEqual([
    { type: 'release', count: 2, staleCount: 1, potentiallyStaleCount: 1 },
  ]);
});

test('fields of one pair of environments share its comparison, and fail on their own', async () => {
  const { environmentComparisonOf } = loadersFor(
    {},
    {
      environmentsOfFeature: { load: async () => [] },
      strategiesOfFeature: { load: async () => [] },
      environments: { load: async () => [{ name: 'development' }, { name: 'production' }] },
    },
  );
  const compare = (to: string) =>
    environmentComparisonOf.load({ name: 'checkout', from: 'development', to });
  const [isSame, failed] = await Promise.allSettled([
    same(() => compare('production')),
    compare('nowhere'),
  ]);
  expect(isSame).toMatchObject({ value: true });
  expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'NotFoundError' } });
});
