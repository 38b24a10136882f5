import { LRUCache } from 'lru-cache';

/** A client is heavy if it recently sent this many requests, and more than all others, */
const HEAVY = 20;
/** or this many without known credentials, */
const HEAVY_ANONYMOUS = 4;
/** or kept the event loop busy for this long recently, and for longer than all others. */
const HEAVY_MS = 100;
/** Half-life of a request's weight. */
const HALF_LIFE_MS = 1_000;
/** A group pauses for at most this long. */
const MAX_PAUSE_MS = 2_000;
const MAX_GROUPS = 1_000;

/** Who sends a request. */
export type Sender = {
  /** Identifies known credentials. Without them, the client address and the kind of request. */
  client: string;
  /** All clients without known credentials share the turns of a kind: addresses are cheap. */
  anonymous?: AnonymousKind;
};

/** Probes, requests with unknown credentials, and all others without known ones. */
export type AnonymousKind = 'anonymous' | 'credentials' | 'probe';

/** A kind of anonymous requests, or a client with known credentials. */
export type Group = { key: string; kind: AnonymousKind | null };

export const groupOf = ({ client, anonymous }: Sender): Group =>
  anonymous ? { key: anonymous, kind: anonymous } : { key: `client ${client}`, kind: null };

type Weight = {
  count: number;
  ms: number;
  at: number;
  /** End of the pause that its started requests have caused. */
  pausedUntil: number;
};

const NO_WEIGHT: Weight = { count: 0, ms: 0, at: 0, pausedUntil: 0 };

const plus = (weight: Weight, requests: number, ms: number, now: number): Weight => {
  const remaining = 0.5 ** ((now - weight.at) / HALF_LIFE_MS);
  return {
    ...weight,
    count: weight.count * remaining + requests,
    ms: weight.ms * remaining + ms,
    at: now,
  };
};

/** The recent requests of each group. */
export const createWeights = () => {
  const groups = new LRUCache<string, Weight>({ max: MAX_GROUPS });
  let all = NO_WEIGHT;
  const of = (group: string) => groups.get(group) ?? NO_WEIGHT;
  return {
    add: (
      group: string,
      { requests, ms = 0 }: { requests: number; ms?: number },
      now: number,
    ): void => {
      groups.set(group, plus(of(group), requests, ms, now));
      all = plus(all, requests, ms, now);
    },
    /** Whether a group kept the event loop busy for longer than all others, so that it is the cause of delays. */
    usesMostTime: (group: string): boolean => {
      const { ms } = of(group);
      return ms >= HEAVY_MS && ms > all.ms - ms;
    },
    /** Whether others kept the event loop busy for longer. Then many requests of the group are in flight because of them. */
    isVictim: (group: string): boolean => all.ms >= HEAVY_MS && of(group).ms < all.ms / 2,
    isHeavy: ({ key, kind }: Group): boolean => {
      const { count } = of(key);
      // A single client with known credentials delays no other.
      const others = all.count - count;
      if (kind) return count >= HEAVY_ANONYMOUS;
      return count >= HEAVY && count > others && others >= 1;
    },
    hasPaused: (group: string, now: number): boolean => now >= of(group).pausedUntil,
    pause: (group: string, ms: number, now: number): void => {
      const weight = of(group);
      const pausedUntil = Math.min(Math.max(weight.pausedUntil, now) + ms, now + MAX_PAUSE_MS);
      groups.set(group, { ...weight, pausedUntil });
    },
  };
};

/** The requests of known clients that have not ended, also those that wait. */
export const createInFlight = () => {
  const counts = new Map<string, number>();
  let all = 0;
  const add = (key: string, change: 1 | -1): void => {
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
    all += change;
  };
  return {
    begin: (key: string, signal: AbortSignal | undefined): void => {
      add(key, 1);
      signal?.addEventListener('abort', () => add(key, -1), { once: true });
    },
    countOf: (key: string): number => counts.get(key) ?? 0,
    hasMost: (key: string): boolean => {
      const count = counts.get(key) ?? 0;
      return count > all - count;
    },
  };
};
