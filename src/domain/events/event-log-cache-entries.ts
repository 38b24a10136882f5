/** Maximum weight in total: a few megabytes of IDs, or 50 MB of authors. */
const MAX_WEIGHT = 200_000;
/** Maximum weight of one caller's entries. */
const MAX_WEIGHT_PER_CALLER = 50_000;

/** A cached result for the events up to an ID. */
export type CacheEntry = {
  upTo: number;
  value: unknown;
  epoch: string;
  /** When its watermark was known. */
  settledAt: number;
  /** The caller whose query created it. */
  owner: string | undefined;
  weight: number;
  verifiedAt: number;
  costMs: number;
  /** When advancing the bound was last tried. */
  triedAt: number;
};

/** LRU cache with a maximum weight in total and per caller. */
export const createCacheEntries = () => {
  const entries = new Map<string, CacheEntry>();
  const weights = new Map<string | undefined, number>();
  let weight = 0;

  const add = (owner: string | undefined, more: number) => {
    weight += more;
    const own = (weights.get(owner) ?? 0) + more;
    if (own > 0) weights.set(owner, own);
    else weights.delete(owner);
  };
  const remove = (key: string) => {
    const entry = entries.get(key);
    if (entry && entries.delete(key)) add(entry.owner, -entry.weight);
  };
  const isTooMuch = (owner: string | undefined): boolean =>
    owner !== undefined && (weights.get(owner) ?? 0) > MAX_WEIGHT_PER_CALLER;

  return {
    get: (key: string) => entries.get(key),
    delete: remove,
    clear: () => {
      entries.clear();
      weights.clear();
      weight = 0;
    },
    touch: (key: string) => {
      const entry = entries.get(key);
      if (entry && entries.delete(key)) entries.set(key, entry);
    },
    set: (key: string, entry: CacheEntry) => {
      remove(key);
      entries.set(key, entry);
      add(entry.owner, entry.weight);
      for (const [oldest, { owner }] of entries) {
        if (!isTooMuch(entry.owner)) break;
        if (owner === entry.owner) remove(oldest);
      }
      for (const oldest of entries.keys()) {
        if (weight <= MAX_WEIGHT) break;
        remove(oldest);
      }
    },
  };
};
