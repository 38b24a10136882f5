import type { UsageUnit } from '../../data/usage/usage.sql.js';
import { DAY_MS, HOUR_MS, readDuration } from '../duration.js';

export type { UsageUnit };

export type UsageRange = {
  unit: UsageUnit;
  /** Start of the first bucket. */
  from: Date;
  /** End of the last bucket, which contains the present. */
  before: Date;
};

/** Unleash keeps hours for two days. */
const MAX_HOURS = 48;
export const MAX_USAGE_RANGE = 'P90D';
export const DEFAULT_USAGE_RANGE = 'P7D';

export const LENGTH_MS = { HOUR: HOUR_MS, DAY: DAY_MS } as const;

/** Hours or days in UTC, as many as `last` needs. The current one, which is not over, is the last of them. */
export const usageRange = (last: string, now: Date): UsageRange => {
  const length = readDuration('last', last, MAX_USAGE_RANGE);
  const unit = length <= MAX_HOURS * HOUR_MS ? 'HOUR' : 'DAY';
  const bucket = LENGTH_MS[unit];
  const before = (Math.floor(now.getTime() / bucket) + 1) * bucket;
  const from = before - Math.ceil(length / bucket) * bucket;
  return { unit, from: new Date(from), before: new Date(before) };
};

/** Number of buckets; 0 if the duration is invalid. */
export const countBuckets = (last: string): number => {
  try {
    const { unit, from, before } = usageRange(last, new Date(0));
    return (before.getTime() - from.getTime()) / LENGTH_MS[unit];
  } catch {
    return 0;
  }
};
