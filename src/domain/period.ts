import { MINUTE_MS, parseDuration } from './duration.js';
import { BadDataError } from './errors.js';
import { truncate } from './truncate.js';

const MAX_SHOWN = 40;
/** PostgreSQL has no year 0. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');

/** The start of a period that ends now. It moves from request to request, while its duration stays. */
export class PeriodStart extends Date {
  readonly duration: string;

  constructor(timestamp: number, duration: string) {
    super(timestamp);
    this.duration = duration;
  }
}

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
  const length = parseDuration(duration);
  if (length === null || length <= 0) {
    return reject(field, duration, 'a duration longer than zero, such as P7D or PT12H');
  }
  const start = now.getTime() - length;
  if (start < EARLIEST) return reject(field, duration, 'short enough to begin after the year 1');
  return new PeriodStart(Math.floor(start / MINUTE_MS) * MINUTE_MS, duration);
};
