export const DEFAULT_LIMIT = 50;
export const MAX_EVENTS_LIMIT = 1000;
export const MAX_INTEGRATION_EVENTS_LIMIT = 100;
/** Longest page of features or projects. */
export const MAX_LIST_LIMIT = 1000;

/** A page by position, as the REST paths ask for it. An offset may lie beyond every row. */
export type OffsetPage = { limit: number; offset: number };

/**
 * A page by key, walking in the list's own order. `backward` walks from its end.
 * `after` and `before` are exclusive bounds in list order.
 */
export type KeysetPage<Key> = {
  limit: number;
  after?: Key;
  before?: Key;
  backward?: boolean;
};

/** Rows in list order whatever the direction, and whether the walk could go on. */
export type Slice<Row> = { rows: Row[]; hasMore: boolean };

/** Cuts off the one row fetched beyond the limit, and turns a backward walk into list order. */
export const sliceOf = <Row>(
  rows: readonly Row[],
  page: { limit: number; backward?: boolean },
): Slice<Row> => {
  const kept = rows.slice(0, page.limit);
  return { rows: page.backward ? kept.reverse() : kept, hasMore: rows.length > page.limit };
};
