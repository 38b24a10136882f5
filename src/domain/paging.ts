export const DEFAULT_LIMIT = 50;
export const MAX_EVENTS_LIMIT = 1000;
export const MAX_INTEGRATION_EVENTS_LIMIT = 100;
/** Maximum page size of features and projects. */
export const MAX_LIST_LIMIT = 1000;

/** Offset pagination, as in REST. The offset may be beyond the last row. */
export type OffsetPage = { limit: number; offset: number };

/** Keyset pagination; `backward` starts at the end. `after` and `before` are exclusive bounds in list order. */
export type KeysetPage<Key> = {
  limit: number;
  after?: Key;
  before?: Key;
  backward?: boolean;
};

/** Rows in list order, whatever the direction, and whether there are more. */
export type Slice<Row> = { rows: Row[]; hasMore: boolean };

/** Drops the extra row beyond the limit, and restores list order after a backward read. */
export const sliceOf = <Row>(
  rows: readonly Row[],
  page: { limit: number; backward?: boolean },
): Slice<Row> => {
  const pageRows = rows.slice(0, page.limit);
  return { rows: page.backward ? pageRows.reverse() : pageRows, hasMore: rows.length > page.limit };
};
