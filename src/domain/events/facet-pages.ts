import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertSearchText, MAX_NAME_TEXT_LENGTH } from '../text.js';
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
  comparePlaces(facetPlaceOf(one), facetPlaceOf(other));

/** The values that contain a text, case-insensitively, most frequent first. */
export const searchFacet = (values: readonly FacetCount[], search: string | null): FacetCount[] => {
  assertSearchText("'search'", search ?? '', MAX_NAME_TEXT_LENGTH);
  const text = search?.toLowerCase() ?? '';
  return values.filter(({ value }) => value.toLowerCase().includes(text)).toSorted(compareCounts);
};

/** A page of a sorted list. */
export const sliceFacet = (
  sorted: readonly FacetCount[],
  page: KeysetPage<FacetPlace>,
): Slice<FacetCount> => {
  const { after, before, backward, limit } = page;
  const within = sorted.filter((one) => {
    const place = facetPlaceOf(one);
    return (
      (!after || comparePlaces(place, after) > 0) && (!before || comparePlaces(place, before) < 0)
    );
  });
  return sliceOf(backward ? within.slice(-limit - 1).reverse() : within, page);
};
