import { OptionError } from './option-error.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i;
const SHORT_DURATION = /^(\d{1,6})([smhdw])$/;
const ISO_DURATION =
  /^P(?=\d|T\d)(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/;

const UNIT_MS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: WEEK_MS,
};
const ISO_UNITS_MS = [WEEK_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS] as const;

/** `7d` or `P7D` in milliseconds. Null for other texts. */
const parseDuration = (text: string): number | null => {
  const [, count, unit = ''] = SHORT_DURATION.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  const parts = ISO_DURATION.exec(text)?.slice(1);
  if (!parts || text.endsWith('T')) return null;
  return parts.reduce((sum, part, i) => sum + Number(part ?? 0) * (ISO_UNITS_MS[i] ?? 0), 0);
};

/** Whether the timestamp depends on when the command runs. */
export const isRelative = (text: string): boolean => parseDuration(text) !== null;

/** `Date` turns 30 February into a day in March. */
const exists = (day: string): boolean => {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};

const parseAbsolute = (text: string): number => {
  const day = DAY.test(text) ? text : TIMESTAMP.exec(text)?.[1];
  if (day === undefined || !exists(day)) return Number.NaN;
  return new Date(DAY.test(text) ? `${text}T00:00:00Z` : text.toUpperCase()).getTime();
};

/** An RFC 3339 timestamp, a day in UTC, or a duration before now. A day means its start. */
export const parseTimestamp = (option: string, text: string, now: Date): string => {
  const duration = parseDuration(text);
  const time = duration === null ? parseAbsolute(text) : now.getTime() - duration;
  const isBeforeUnixEpoch = duration !== null && time < 0;
  if (Number.isNaN(time) || isBeforeUnixEpoch) {
    throw new OptionError(
      `${option} must be a timestamp such as 2026-03-01T09:30:00Z, a day such as 2026-03-01, or a duration before now such as 30m, 24h, 7d or P7D (got '${text}').`,
    );
  }
  return new Date(time).toISOString();
};
