import { BadDataError } from '../errors.js';

/** Weeks are those of ISO 8601, from Monday on; days and weeks begin at midnight UTC. */
export type ActivityInterval = 'DAY' | 'WEEK';

export type ActivityRange = {
  by: ActivityInterval;
  /** Inclusive. */
  from: Date;
  /** Exclusive. */
  to: Date;
};

export type ActivityRangeInput = { by: ActivityInterval; from?: Date; to?: Date };

export const MOST_BUCKETS = 400;

const DAY_MS = 86_400_000;
export const DAYS_IN = { DAY: 1, WEEK: 7 } as const;
/** Where some day and some week begin: 1970 began on a Thursday, its first Monday was the fifth of January. */
const SOME_START = { DAY: 0, WEEK: 4 * DAY_MS } as const;
const USUAL_BUCKETS = { DAY: 30, WEEK: 12 } as const;
/** PostgreSQL counts no year 0. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');

const lengthOf = (by: ActivityInterval): number => DAYS_IN[by] * DAY_MS;

/** When the day or week began that a moment lies in. */
const startOf = (moment: number, by: ActivityInterval): number =>
  Math.floor((moment - SOME_START[by]) / lengthOf(by)) * lengthOf(by) + SOME_START[by];

/** How many days or weeks a range touches; none where it ends before it begins. */
export const countBuckets = ({ from, to, by }: ActivityRange): number =>
  Math.max(0, (startOf(to.getTime() - 1, by) - startOf(from.getTime(), by)) / lengthOf(by) + 1);

/** When the days or weeks of a range begin; the first may have begun before the range. */
export const bucketStarts = (range: ActivityRange): number[] => {
  const first = startOf(range.from.getTime(), range.by);
  return Array.from(
    { length: countBuckets(range) },
    (_, index) => first + index * lengthOf(range.by),
  );
};

/** Up to the end of the current day or week, and the usual number of them, where an end is left out. */
export const completeRange = (
  { by, from, to }: ActivityRangeInput,
  now: Date = new Date(),
): ActivityRange => {
  const end = to?.getTime() ?? startOf(now.getTime(), by) + lengthOf(by);
  const usual = startOf(end - 1, by) - (USUAL_BUCKETS[by] - 1) * lengthOf(by);
  return { by, from: from ?? new Date(Math.max(usual, EARLIEST)), to: new Date(end) };
};

/** Refuses ranges that end before they begin, and those that are too long to be told at once. */
export const assertRange = (range: ActivityRange): void => {
  if (range.to.getTime() <= EARLIEST) {
    throw BadDataError.of({ message: `'to' must lie after the beginning of the year 1.` });
  }
  if (range.from >= range.to) {
    throw BadDataError.of({
      message: `'from' must lie before 'to'; left out, 'to' is the end of the current ${range.by.toLowerCase()}.`,
    });
  }
  const count = countBuckets(range);
  if (count > MOST_BUCKETS) {
    const unit = `${range.by.toLowerCase()}s`;
    throw BadDataError.of({
      message: `'from' and 'to' may span ${MOST_BUCKETS} ${unit}; they span ${count}. Ask for a shorter time or longer intervals.`,
    });
  }
};
