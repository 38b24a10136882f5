import { LRUCache } from 'lru-cache';

type Bucket = { spent: number; at: number };

export type TokenBuckets = {
  /**
   * Takes points and returns 0, or returns the milliseconds until there are enough. A share of the bucket can be
   * reserved for others. Default 0.
   */
  take(key: string, points: number, reserve?: number): number;
  /** Returns points that were not used. */
  refund(key: string, points: number): void;
  /** Remaining points, and the seconds until the bucket is full again. */
  stateOf(key: string): { remaining: number; resetSeconds: number };
};

type Options = { now?: () => number; maxKeys?: number; onEvict?: () => void };

/** A long-unused bucket is full again, so the least recently used one can be evicted. */
const MAX_KEYS = 10_000;

/**
 * Token buckets in memory: `points` at once, refilled evenly over `windowMs`. A cost above the capacity is accepted
 * when the bucket is full. Not rate-limiter-flexible, because it counts in fixed windows and keeps a timer and a map
 * entry for every key, without a bound on their number.
 */
export const createTokenBuckets = (
  { points, windowMs }: { points: number; windowMs: number },
  { now = () => performance.now(), maxKeys = MAX_KEYS, onEvict = () => undefined }: Options = {},
): TokenBuckets => {
  const buckets = new LRUCache<string, Bucket>({
    max: maxKeys,
    dispose: (_bucket, _key, reason) => {
      if (reason === 'evict') onEvict();
    },
  });
  const perMs = points / windowMs;

  const spentBy = (key: string): number => {
    const bucket = buckets.get(key);
    return bucket ? Math.max(0, bucket.spent - (now() - bucket.at) * perMs) : 0;
  };

  return {
    take: (key, amount, reserve = 0) => {
      const available = points * (1 - reserve);
      const cost = Math.min(amount, available);
      const spent = spentBy(key);
      const excess = spent + cost - available;
      if (excess > 0) return Math.max(1, Math.ceil(excess / perMs));
      buckets.set(key, { spent: spent + cost, at: now() });
      return 0;
    },
    refund: (key, points) => {
      const spent = spentBy(key);
      if (spent > 0) buckets.set(key, { spent: Math.max(0, spent - points), at: now() });
    },
    stateOf: (key) => {
      const spent = spentBy(key);
      return {
        remaining: Math.floor(points - spent),
        resetSeconds: Math.ceil(spent / perMs / 1000),
      };
    },
  };
};
