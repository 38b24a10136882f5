import { LRUCache } from 'lru-cache';

/** Adds up recent times by key; each loses half of its weight per half-life. */
export const createDecayingTimes = ({
  halfLifeMs,
  maxKeys,
}: {
  halfLifeMs: number;
  /** Evicts the key that was added to least recently. */
  maxKeys: number;
}) => {
  const times = new LRUCache<string, { ms: number; at: number }>({ max: maxKeys });
  const read = (key: string, now = performance.now()): number => {
    const entry = times.peek(key);
    return entry ? entry.ms * 0.5 ** ((now - entry.at) / halfLifeMs) : 0;
  };
  return {
    read,
    add: (key: string, ms: number): void => {
      const now = performance.now();
      times.set(key, { ms: read(key, now) + ms, at: now });
    },
  };
};
