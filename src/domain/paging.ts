export type { KeysetPage, OffsetPage, Order } from '../data/paging.js';

export const DEFAULT_LIMIT = 50;
export const MAX_EVENTS_LIMIT = 1000;
export const MAX_INTEGRATION_EVENTS_LIMIT = 100;
/** Maximum page size of features and projects. */
export const MAX_LIST_LIMIT = 1000;

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
