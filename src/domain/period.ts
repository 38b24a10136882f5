import { BadDataError } from './errors.js';
import { truncate } from './truncate.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_SHOWN = 40;
/** PostgreSQL has no year 0. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');

/** Whole numbers only: a fraction of a month has no length. */
const DURATION =
  /^P(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/;

/** The start of a period that ends now. It moves from request to request, while its duration stays. */
export class PeriodStart extends Date {
  readonly duration: string;

  constructor(timestamp: number, duration: string) {
    super(timestamp);
    this.duration = duration;
  }
}

/** Goes back by calendar months, to the last day of the month if it is shorter. */
const monthsBefore = (timestamp: number, months: number): number => {
  const date = new Date(timestamp);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const lastDay = new Date(date);
  lastDay.setUTCMonth(lastDay.getUTCMonth() + 1, 0);
  return date.setUTCDate(Math.min(day, lastDay.getUTCDate()));
};

const reject = (field: string, duration: string, rule: string): never => {
  throw BadDataError.of({
    message: `'${field}' must be ${rule} (got ${JSON.stringify(truncate(duration, MAX_SHOWN))}).`,
  });
};

/**
 * The start of the last period of an ISO 8601 duration, such as `P7D`. Rounded down to the minute, so that requests
 * within a minute share cached totals.
 */
export const startOfLast = (field: string, duration: string, now: Date): PeriodStart => {
  const parts = DURATION.exec(duration);
  if (!parts) {
    return reject(field, duration, 'a duration in whole numbers, such as P7D, PT12H or P1M');
  }
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const end = now.getTime();
  const length = (weeks * 7 + days) * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  const start = monthsBefore(end, years * 12 + months) - length;
  if (start === end) reject(field, duration, 'longer than zero');
  // Also rejects timestamps beyond those of Date, which are NaN.
  if (!(start >= EARLIEST)) reject(field, duration, 'short enough to begin after the year 1');
  return new PeriodStart(Math.floor(start / MINUTE_MS) * MINUTE_MS, duration);
};
