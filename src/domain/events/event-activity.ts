import { groupBy } from '../../data/grouping.js';
import { type ActivityRange, bucketStarts } from './activity-range.js';

export type TypeCount = { type: string; count: number };

export type ActorCount = { createdBy: string; createdByUserId: number | null; count: number };

/** The lists hold the most frequent only, largest first; what is not in them is summed up. */
export type ActivityFigures = {
  count: number;
  byType: TypeCount[];
  byTypeRemainder: number;
  byActor: ActorCount[];
  byActorRemainder: number;
};

export type ActivityBucket = ActivityFigures & { start: Date };

/** How many events there were, in all and in each day or week. */
export type Activity = ActivityFigures & ActivityRange & { buckets: ActivityBucket[] };

/** Events of a type, of an actor or, where both are null, of any; without a start those of the whole range. */
export type ActivityRow = {
  start: number | null;
  type: string | null;
  createdBy: string | null;
  createdByUserId: number | null;
  count: number;
};

const sum = (counts: readonly { count: number }[]): number =>
  counts.reduce((total, { count }) => total + count, 0);

const figuresOf = (rows: readonly ActivityRow[]): ActivityFigures => {
  const count = sum(rows.filter(({ type, createdBy }) => type === null && createdBy === null));
  const byType = rows.flatMap((row) =>
    row.type === null ? [] : [{ type: row.type, count: row.count }],
  );
  const byActor = rows.flatMap(({ createdBy, createdByUserId, count: events }) =>
    createdBy === null ? [] : [{ createdBy, createdByUserId, count: events }],
  );
  return {
    count,
    byType,
    byTypeRemainder: count - sum(byType),
    byActor,
    byActorRemainder: count - sum(byActor),
  };
};

/** Puts rows together, each list in the order in which it came, with a bucket also where nothing happened. */
export const toActivity = (range: ActivityRange, rows: readonly ActivityRow[]): Activity => {
  const rowsFrom = groupBy(rows, ({ start }) => start);
  return {
    ...range,
    ...figuresOf(rowsFrom.get(null) ?? []),
    buckets: bucketStarts(range).map((start) => ({
      start: new Date(start),
      ...figuresOf(rowsFrom.get(start) ?? []),
    })),
  };
};

/** Where nothing happened at all. */
export const noActivity = (range: ActivityRange): Activity => toActivity(range, []);
