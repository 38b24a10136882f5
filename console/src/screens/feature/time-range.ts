/** A part of the history of a feature, in milliseconds. */
export type TimeRange = { from: number; to: number };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The share of the range at which a timestamp is, from 0 to 1. */
export const shareOf = ({ from, to }: TimeRange, time: number): number =>
  Math.min(1, Math.max(0, (time - from) / Math.max(1, to - from)));

/** Steps of the slider: minutes for the newest features, days for the oldest. */
export const stepOf = ({ from, to }: TimeRange): number => {
  const length = to - from;
  if (length <= 2 * DAY) return 60_000;
  return length <= 120 * DAY ? HOUR : DAY;
};

const PAST = [
  { days: 1, name: '1 day ago' },
  { days: 7, name: '1 week ago' },
  { days: 14, name: '2 weeks ago' },
  { days: 30, name: '30 days ago' },
];

/** Common timestamps within the range. */
export const pastOf = ({ from, to }: TimeRange): { time: number; name: string }[] =>
  PAST.map(({ days, name }) => ({ time: to - days * DAY, name })).filter(({ time }) => time > from);
