import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import { RateLimitError } from '../domain/errors.js';

/** The event loop counts as busy if it was idle for less than this share of the last interval. */
const FREE_SHARE = 0.25;
const SAMPLE_MS = 50;
/** A group is heavy if it recently sent this many requests, and more than half of all, */
const HEAVY = 20;
/** or this many requests without known credentials. */
const HEAVY_ANONYMOUS = 4;
/** This many points count as one more request. */
const POINTS_PER_REQUEST = 1_000;
/** Half-life of a request's weight. */
const HALF_LIFE_MS = 1_000;
/** A heavy group proceeds when the event loop was idle for this share of its busy time, */
const REST_SHARE = 0.4;
/** or after this time for each request, and for each 1,000 points, */
const MAX_REST_MS = 15;
/** or after this time for each request without known credentials, */
const MAX_ANONYMOUS_REST_MS = 50;
/** but never after more than this. */
const MAX_DEBT_MS = 2_000;
/** Requests of a client with this many waiting are rejected at once, */
const MAX_WAITING = 1_000;
/** or with any waiting if all clients have this many. */
const MAX_WAITING_IN_TOTAL = 2_000;
const RETRY_AFTER_SECONDS = 1;
const MAX_GROUPS = 1_000;

/** Who sends a request. */
export type Sender = {
  /** Identifies known credentials. Without them, the client address and the kind of request. */
  client: string;
  /** All clients without known credentials share their turns: addresses are cheap. */
  isAnonymous: boolean;
};

export type HeavyClientThrottle = {
  /** Resolves when a request of this sender may start. Undefined if that is now. Rejects if it is aborted before. */
  begin(sender: Sender, signal?: AbortSignal): Promise<void> | undefined;
  /** Adds the cost of a request to the sender's weight. */
  record(sender: Sender, points: number): void;
};

const ANONYMOUS = '';
const groupOf = ({ client, isAnonymous }: Sender) => (isAnonymous ? ANONYMOUS : client);

type Weight = {
  count: number;
  at: number;
  /** When all requests that were started have been paid for by rest. */
  restsUntil: number;
};

const NO_WEIGHT: Weight = { count: 0, at: 0, restsUntil: 0 };

const plus = (weight: Weight, more: number, now: number): Weight => ({
  ...weight,
  count: weight.count * 0.5 ** ((now - weight.at) / HALF_LIFE_MS) + more,
  at: now,
});

/** The recent requests of each group. */
const createWeights = () => {
  const groups = new LRUCache<string, Weight>({ max: MAX_GROUPS });
  let all = NO_WEIGHT;
  const of = (group: string) => groups.get(group) ?? NO_WEIGHT;
  return {
    add: (group: string, requests: number, now: number): void => {
      groups.set(group, plus(of(group), requests, now));
      all = plus(all, requests, now);
    },
    isHeavy: (group: string): boolean => {
      const { count } = of(group);
      // A single client with known credentials delays no other.
      const others = all.count - count;
      if (group === ANONYMOUS) return count >= HEAVY_ANONYMOUS;
      return count >= HEAVY && count > others && others >= 1;
    },
    hasRested: (group: string, now: number): boolean => now >= of(group).restsUntil,
    rest: (group: string, ms: number, now: number): void => {
      const weight = of(group);
      const restsUntil = Math.min(Math.max(weight.restsUntil, now) + ms, now + MAX_DEBT_MS);
      groups.set(group, { ...weight, restsUntil });
    },
  };
};

/** Event loop utilization since the last reset. */
const createStopwatch = () => {
  let at = 0;
  let loop = performance.eventLoopUtilization();
  return {
    read: (now: number) => ({ ms: now - at, ...performance.eventLoopUtilization(loop) }),
    reset: (now: number) => {
      at = now;
      loop = performance.eventLoopUtilization();
    },
  };
};

/** Requests of one client, in order of arrival. */
type Line = Set<() => void>;

/** Waiting requests of a group. Its clients take turns. */
type Lines = Map<string, Line>;

const startNext = (lines: Lines): void => {
  const [next] = lines;
  if (!next) return;
  const [client, line] = next;
  const [start] = line;
  lines.delete(client);
  if (line.size > 1) lines.set(client, line);
  start?.();
};

/**
 * Keeps clients that send many requests at once from delaying others. Requests of a heavy group start one by one,
 * whenever the event loop was idle for a while. Others start at once, and so do known clients unless the event loop is
 * busy.
 */
export const createHeavyClientThrottle = ({
  maxWaiting = MAX_WAITING,
} = {}): HeavyClientThrottle => {
  const weights = createWeights();
  const groups = new Map<string, Lines>();
  const sample = createStopwatch();
  const idle = createStopwatch();
  let wasBusy = false;
  let waiting = 0;

  const isBusy = (now: number): boolean => {
    const { ms, idle, active } = sample.read(now);
    if (ms >= SAMPLE_MS) {
      wasBusy = idle < (idle + active) * FREE_SHARE;
      sample.reset(now);
    }
    return wasBusy;
  };

  const resume = () => {
    const now = performance.now();
    const loop = idle.read(now);
    const wasIdle = loop.idle >= loop.active * REST_SHARE;
    for (const [group, lines] of groups) {
      if (lines.size > 0 && (wasIdle || weights.hasRested(group, now))) {
        idle.reset(now);
        weights.rest(group, group === ANONYMOUS ? MAX_ANONYMOUS_REST_MS : MAX_REST_MS, now);
        // One, however long the event loop was busy: more would keep it busy for as long again.
        startNext(lines);
      }
      if (lines.size === 0) groups.delete(group);
    }
    if (groups.size > 0) setTimeout(resume, 1);
  };

  const wait = (
    group: string,
    client: string,
    now: number,
    signal?: AbortSignal,
  ): Promise<void> => {
    const lines: Lines = groups.get(group) ?? new Map();
    const line: Line = lines.get(client) ?? new Set();
    const max = waiting < MAX_WAITING_IN_TOTAL ? maxWaiting : 1;
    if (line.size >= max) {
      throw new RateLimitError(
        `Too many concurrent requests: ${line.size} of yours are queued. Send fewer at a time and retry.`,
        RETRY_AFTER_SECONDS,
      );
    }
    if (groups.size === 0) {
      idle.reset(now);
      setTimeout(resume, 1);
    }
    groups.set(group, lines);
    lines.set(client, line);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting -= 1;
        line.delete(start);
        signal?.removeEventListener('abort', abort);
      };
      const start = (): void => {
        leave();
        resolve();
      };
      const abort = (): void => {
        leave();
        if (line.size === 0) lines.delete(client);
        reject(signal?.reason);
      };
      waiting += 1;
      line.add(start);
      signal?.addEventListener('abort', abort);
    });
  };

  return {
    begin: (sender, signal) => {
      signal?.throwIfAborted();
      const now = performance.now();
      const group = groupOf(sender);
      weights.add(group, 1, now);
      const mayWait = group === ANONYMOUS || groups.has(group) || isBusy(now);
      return weights.isHeavy(group) && mayWait
        ? wait(group, sender.client, now, signal)
        : undefined;
    },
    record: (sender, points) => {
      const now = performance.now();
      const requests = points / POINTS_PER_REQUEST;
      weights.add(groupOf(sender), requests, now);
      weights.rest(groupOf(sender), requests * MAX_REST_MS, now);
    },
  };
};
