import { LRUCache } from 'lru-cache';

/** A client is heavy if it recently sent this many requests, and more than all others, */
const HEAVY = 20;
/** or this many without known credentials, */
const HEAVY_ANONYMOUS = 4;
/** or kept the event loop busy for this long recently (a quarter of the time), and for longer than all others. */
const HEAVY_MS = 350;
/** The rest of the time can be that of others, because not all of it is recorded. */
const MOST_SHARE = 0.4;
/** Clients are victims of others that kept it busy for this long. */
const BUSY_MS = 100;
/** Half-life of a request's weight. */
const HALF_LIFE_MS = 1_000;
/** A burst is this many requests at once. */
const BURST = 8;
/** Half-life of a request in a burst: 50 requests per second at a steady pace are none. */
const BURST_HALF_LIFE_MS = 50;
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
  /** Requests of the last milliseconds, without their cost. */
  burst: number;
  at: number;
  /** End of the pause that its started requests have caused. */
  pausedUntil: number;
};

const NO_WEIGHT: Weight = { count: 0, ms: 0, burst: 0, at: 0, pausedUntil: 0 };

type Added = { requests: number; ms?: number; hasStarted?: boolean };

const burstAt = ({ burst, at }: Weight, now: number): number =>
  burst * 0.5 ** ((now - at) / BURST_HALF_LIFE_MS);

const plus = (
  weight: Weight,
  { requests, ms = 0, hasStarted = false }: Added,
  now: number,
): Weight => {
  const remaining = 0.5 ** ((now - weight.at) / HALF_LIFE_MS);
  return {
    ...weight,
    count: weight.count * remaining + requests,
    ms: weight.ms * remaining + ms,
    burst: burstAt(weight, now) + (hasStarted ? 1 : 0),
    at: now,
  };
};

/** The recent requests of each group. */
export const createWeights = () => {
  const groups = new LRUCache<string, Weight>({ max: MAX_GROUPS });
  let all = NO_WEIGHT;
  /** The whole event loop, also for what is not recorded for any group. */
  let loop = NO_WEIGHT;
  const of = (group: string) => groups.get(group) ?? NO_WEIGHT;
  return {
    add: (group: string, added: Added, now: number): void => {
      groups.set(group, plus(of(group), added, now));
      all = plus(all, added, now);
    },
    addActive: (ms: number, now: number): void => {
      loop = plus(loop, { requests: 0, ms }, now);
    },
    /** Whether its requests arrived at the same time. Otherwise they accumulate because each one takes long. */
    isBurst: (group: string, now: number): boolean => burstAt(of(group), now) > BURST,
    /** Whether a group kept the event loop busy for longer than all others, so that it is the cause of delays. */
    usesMostTime: (group: string): boolean => {
      const { ms } = of(group);
      return ms >= HEAVY_MS && ms > all.ms - ms && ms > loop.ms * MOST_SHARE;
    },
    /** Whether others kept the event loop busy for longer. Then many requests of the group are in flight because of them. */
    isVictim: (group: string): boolean => all.ms >= BUSY_MS && of(group).ms < all.ms / 2,
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
  /** By the signal that is aborted at their end. */
  const requests = new Map<AbortSignal, { key: string; onAbort: () => void }>();
  let all = 0;
  const add = (key: string, change: 1 | -1): void => {
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
    all += change;
  };
  const end = (signal: AbortSignal): void => {
    const request = requests.get(signal);
    if (!request) return;
    requests.delete(signal);
    signal.removeEventListener('abort', request.onAbort);
    add(request.key, -1);
  };
  return {
    /** A request that waits several times is counted once. */
    begin: (key: string, signal: AbortSignal): void => {
      if (requests.has(signal)) return;
      const onAbort = () => end(signal);
      requests.set(signal, { key, onAbort });
      signal.addEventListener('abort', onAbort);
      add(key, 1);
    },
    end,
    countOf: (key: string): number => counts.get(key) ?? 0,
    hasMost: (key: string): boolean => {
      const count = counts.get(key) ?? 0;
      return count > all - count;
    },
  };
};
