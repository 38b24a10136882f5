import { expect, test } from 'vitest';
import type { FacetCount } from '../../src/domain/events/event-facets.js';
import {
  type FacetPlace,
  facetPlaceOf,
  searchFacet,
  sliceFacet,
  sortFacet,
} from '../../src/domain/events/facet-pages.js';
import type { KeysetPage } from '../../src/domain/paging.js';

const VALUES: readonly FacetCount[] = Array.from({ length: 3_000 }, (_, index) => ({
  value: `Feature-${(index * 7) % 3_000}`,
  userId: index % 3 === 0 ? index : null,
  count: (index * 31) % 50,
}));

test('sorts many values by count, then by value', async () => {
  const sorted = await sortFacet(VALUES);
  const expected = VALUES.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  expect(sorted).toEqual(expected);
});

test('searches without changing the order', async () => {
  const sorted = await sortFacet(VALUES);
  const expected = sorted.filter(({ value }) => value.includes('-12'));
  expect(await searchFacet(sorted, 'FEATURE-12')).toEqual(expected);
  expect(await searchFacet(sorted, null)).toBe(sorted);
});

test('pages meet at their cursors, in both directions', async () => {
  const sorted = await sortFacet(VALUES);
  const read = (page: Partial<KeysetPage<FacetPlace>>) =>
    sliceFacet(sorted, { limit: 10, backward: false, ...page });
  const [first, at] = [read({}), facetPlaceOf(sorted[9] as FacetCount)];
  expect(first).toEqual({ rows: sorted.slice(0, 10), hasMore: true });
  expect(read({ after: at }).rows).toEqual(sorted.slice(10, 20));
  expect(read({ before: at })).toEqual({ rows: sorted.slice(0, 9), hasMore: false });
  expect(read({ backward: true })).toEqual({ rows: sorted.slice(-10), hasMore: true });
  expect(read({ backward: true, before: at, limit: 5 })).toEqual({
    rows: sorted.slice(4, 9),
    hasMore: true,
  });
  // The value of a cursor may have disappeared, or have another count by now.
  const [count, userId, value] = at;
  expect(read({ after: [count, userId, `${value}!`] }).rows).toEqual(sorted.slice(10, 20));
});
