import type { ActivityRow } from '../../data/events/activity.sql.js';
import { groupBy } from '../../data/grouping.js';
import { type ActivityRange, bucketStarts, lengthOf } from './activity-range.js';

export type TypeCount = { type: string; count: number };

export type AuthorCount = { createdBy: string; createdByUserId: number | null; count: number };

/** Lists contain only the most frequent entries, largest first; the remainders sum up the rest. */
export type ActivityFigures = {
  count: number;
  byType: TypeCount[];
  byTypeRemainder: number;
  byAuthor: AuthorCount[];
  byAuthorRemainder: number;
};

export type ActivityBucket = ActivityFigures & { from: Date; before: Date };

/** Event counts, in total and per day or week. */
export type Activity = ActivityFigures & ActivityRange & { buckets: ActivityBucket[] };

const sum = (counts: readonly { count: number }[]): number =>
  counts.reduce((total, { count }) => total + count, 0);

const figuresOf = (rows: readonly ActivityRow[]): ActivityFigures => {
  let count = 0;
  const byType: TypeCount[] = [];
  const byAuthor: AuthorCount[] = [];
  for (const { type, createdBy, createdByUserId, count: events } of rows) {
    if (type !== null) byType.push({ type, count: events });
    else if (createdBy !== null) byAuthor.push({ createdBy, createdByUserId, count: events });
    else count += events;
  }
  return {
    count,
    byType,
    byTypeRemainder: count - sum(byType),
    byAuthor,
    byAuthorRemainder: count - sum(byAuthor),
  };
};

/** Keeps the order of the rows within each list, and adds buckets without events. */
export const toActivity = (range: ActivityRange, rows: readonly ActivityRow[]): Activity => {
  const rowsFrom = groupBy(rows, ({ start }) => start);
  return {
    ...range,
    ...figuresOf(rowsFrom.get(null) ?? []),
    buckets: bucketStarts(range).map((start) => ({
      from: new Date(start),
      before: new Date(start + lengthOf(range.by)),
      ...figuresOf(rowsFrom.get(start) ?? []),
    })),
  };
};

export const noActivity = (range: ActivityRange): Activity => toActivity(range, []);
