import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertSearchText, MAX_NAME_TEXT_LENGTH } from '../text.js';
import { countSize, sortInSlices, visitInSlices } from '../work.js';
import type { FacetCount } from './event-facets.js';

/** Position in the list of values: number of events, user ID and value. */
export type FacetPlace = readonly [count: number, userId: number | null, value: string];

export const facetPlaceOf = ({ count, userId, value }: FacetCount): FacetPlace => [
  count,
  userId,
  value,
];

const compareTexts = (one: string, other: string): number =>
  one === other ? 0 : one < other ? -1 : 1;

/** Most frequent first, then by value. */
const comparePlaces = (
  [count, userId, value]: FacetPlace,
  [otherCount, otherUserId, otherValue]: FacetPlace,
): number =>
  otherCount - count ||
  compareTexts(value, otherValue) ||
  (userId ?? Number.NEGATIVE_INFINITY) - (otherUserId ?? Number.NEGATIVE_INFINITY) ||
  0;

const compareCounts = (one: FacetCount, other: FacetCount): number =>
  other.count - one.count || comparePlaces(facetPlaceOf(one), facetPlaceOf(other));

/** Most frequent first. */
export const sortFacet = (values: readonly FacetCount[]): Promise<FacetCount[]> =>
  sortInSlices(values, compareCounts);

/** Few enough for a fraction of a slice. */
const AT_ONCE = 500;
const BYTES_PER_REFERENCE = 8;

/** The values of a sorted list that contain a text, case-insensitively. */
export const searchFacet = async (
  sorted: readonly FacetCount[],
  search: string | null,
): Promise<readonly FacetCount[]> => {
  assertSearchText("'search'", search ?? '', MAX_NAME_TEXT_LENGTH);
  if (!search) return sorted;
  const text = search.toLowerCase();
  const found: FacetCount[] = [];
  const visit = (one: FacetCount): void => {
    if (one.value.toLowerCase().includes(text)) found.push(one);
  };
  await visitInSlices(sorted, visit, AT_ONCE);
  countSize(found.length * BYTES_PER_REFERENCE);
  return found;
};

/** Index of the first value of a sorted list for which the condition holds; it holds for all that follow. */
const firstIndex = (
  sorted: readonly FacetCount[],
  holds: (place: FacetPlace) => boolean,
): number => {
  let [start, end] = [0, sorted.length];
  while (start < end) {
    const middle = Math.floor((start + end) / 2);
    if (holds(facetPlaceOf(sorted[middle] as FacetCount))) end = middle;
    else start = middle + 1;
  }
  return start;
};

/** A page of a sorted list. */
export const sliceFacet = (
  sorted: readonly FacetCount[],
  page: KeysetPage<FacetPlace>,
): Slice<FacetCount> => {
  const { after, before, backward, limit } = page;
  const start = after ? firstIndex(sorted, (place) => comparePlaces(place, after) > 0) : 0;
  const end = before
    ? firstIndex(sorted, (place) => comparePlaces(place, before) >= 0)
    : sorted.length;
  // One more than the page, to know whether another follows.
  const rows = backward
    ? sorted.slice(Math.max(start, end - limit - 1), end).reverse()
    : sorted.slice(start, Math.min(end, start + limit + 1));
  return sliceOf(rows, page);
};
