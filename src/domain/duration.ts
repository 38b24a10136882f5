import { BadDataError } from './errors.js';

/** ISO 8601: weeks, or years to seconds. A comma or a period separates decimals, as in the standard. */
const PATTERN =
  /^P(?=.)(?:(\d+(?:[.,]\d+)?)W|(?:(\d+(?:[.,]\d+)?)Y)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)D)?(?:T(?=.)(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?)$/;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** In the order of the groups of the pattern. A month has 30 days and a year 365. */
const UNITS = [7 * DAY_MS, 365 * DAY_MS, 30 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS];

/** Milliseconds of an ISO 8601 duration such as `P7D` or `PT12H`; null if it is invalid. */
export const parseDuration = (text: string): number | null => {
  const amounts = PATTERN.exec(text)?.slice(1);
  if (!amounts) return null;
  const parts = UNITS.map(
    (unit, index) => unit * Number((amounts[index] ?? '0').replace(',', '.')),
  );
  return Math.round(parts.reduce((sum, part) => sum + part, 0));
};

/** Milliseconds of a duration that is longer than zero and at most `max`, which is a duration too. */
export const readDuration = (field: string, text: string, max: string): number => {
  const length = parseDuration(text);
  if (length === null || length <= 0 || length > (parseDuration(max) ?? 0)) {
    throw BadDataError.of({
      message: `'${field}' must be a duration longer than zero and of at most ${max}, such as P7D or PT12H (got ${text.slice(0, 50)}).`,
    });
  }
  return length;
};
