import { BadDataError } from '../errors.js';

/** ISO 8601 weeks, starting on Monday; days and weeks start at midnight UTC. */
export type ActivityInterval = 'DAY' | 'WEEK';

export type ActivityRange = {
  by: ActivityInterval;
  /** Inclusive. */
  from: Date;
  /** Exclusive. */
  to: Date;
};

export type ActivityRangeInput = { by: ActivityInterval; from?: Date; to?: Date };

export const MAX_BUCKETS = 400;

const DAY_MS = 86_400_000;
export const DAYS_IN = { DAY: 1, WEEK: 7 } as const;
/** Origins of days and weeks: 1970-01-01 was a Thursday, so the first Monday is January 5. */
const SOME_START = { DAY: 0, WEEK: 4 * DAY_MS } as const;
const USUAL_BUCKETS = { DAY: 30, WEEK: 12 } as const;
/** PostgreSQL has no year 0. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');

export const lengthOf = (by: ActivityInterval): number => DAYS_IN[by] * DAY_MS;

/** Start of the day or week that contains the timestamp. */
const startOf = (timestamp: number, by: ActivityInterval): number =>
  Math.floor((timestamp - SOME_START[by]) / lengthOf(by)) * lengthOf(by) + SOME_START[by];

/** Number of days or weeks that a range touches; 0 if it ends before it begins. */
export const countBuckets = ({ from, to, by }: ActivityRange): number =>
  Math.max(0, (startOf(to.getTime() - 1, by) - startOf(from.getTime(), by)) / lengthOf(by) + 1);

/** Start timestamps of the days or weeks of a range; the first can precede the range. */
export const bucketStarts = (range: ActivityRange): number[] => {
  const first = startOf(range.from.getTime(), range.by);
  return Array.from(
    { length: countBuckets(range) },
    (_, index) => first + index * lengthOf(range.by),
  );
};

/** Defaults to the usual number of days or weeks, up to the end of the current one. */
export const completeRange = (
  { by, from, to }: ActivityRangeInput,
  now: Date = new Date(),
): ActivityRange => {
  const end = to?.getTime() ?? startOf(now.getTime(), by) + lengthOf(by);
  const usual = startOf(end - 1, by) - (USUAL_BUCKETS[by] - 1) * lengthOf(by);
  return { by, from: from ?? new Date(Math.max(usual, EARLIEST)), to: new Date(end) };
};

/** Rejects ranges that end before they begin and ranges with too many buckets. */
export const assertRange = (range: ActivityRange): void => {
  if (range.to.getTime() <= EARLIEST) {
    throw BadDataError.of({ message: `'before' must be after the start of the year 1.` });
  }
  if (range.from >= range.to) {
    throw BadDataError.of({
      message: `'from' must be earlier than 'before', which defaults to the end of the current ${range.by.toLowerCase()}.`,
    });
  }
  const count = countBuckets(range);
  if (count > MAX_BUCKETS) {
    const unit = `${range.by.toLowerCase()}s`;
    throw BadDataError.of({
      message: `'from' and 'before' must span at most ${MAX_BUCKETS} ${unit} (got ${count}). Use a shorter range or longer intervals.`,
    });
  }
};
