import { performance } from 'node:perf_hooks';
import { RateLimitError } from '../domain/errors.js';
import { createPresence } from '../domain/work.js';
import {
  type AnonymousKind,
  createInFlight,
  createWeights,
  type Group,
  groupOf,
  type Sender,
} from './client-weights.js';

/** The event loop counts as busy if it was idle for less than this share of the last interval. */
const FREE_SHARE = 0.25;
const SAMPLE_MS = 50;
/** Requests wait until the event loop was not busy for this long: because they wait, it is less busy. */
const CALM_MS = 1_000;
/** A client is also heavy if it has this many in flight while others are present, so that a burst is noticed at once. */
const MANY_IN_FLIGHT = 8;
/** This many points count as one more request, */
const POINTS_PER_REQUEST = 1_000;
/** and so do this many milliseconds. */
const MS_PER_REQUEST = 4;
/** A heavy group proceeds when the event loop was idle for this share of its busy time, */
const IDLE_SHARE = 0.4;
/**
 * or after this time for each request, for each 1,000 points, and for each 4 ms: about half of the event loop remains for
 * a client that is held by mistake, such as one whose requests are delayed by a busy database.
 */
const MAX_PAUSE_MS = 5;
/** or after this time for each request without known credentials. Probes are fast, and their timeouts short. */
const ANONYMOUS_PAUSES_MS: Readonly<Record<AnonymousKind, number>> = {
  anonymous: 50,
  credentials: 50,
  probe: 5,
};
/** This many requests start at a time: */
const STARTED: Readonly<Record<AnonymousKind, number>> = {
  anonymous: 1,
  credentials: 1,
  probe: 10,
};
/** This many of a client start at a time when it is no longer heavy. */
const RELEASED = MANY_IN_FLIGHT;
/** Requests of a client with this many waiting are rejected at once, */
const MAX_WAITING = 1_000;
/** or with any waiting if all clients have this many. */
const MAX_WAITING_IN_TOTAL = 2_000;
const RETRY_AFTER_SECONDS = 1;

export type HeavyClientThrottle = {
  /**
   * Resolves when a request of this sender may start. Undefined if that is now. Rejects if it is aborted before. The
   * request is in flight until its signal is aborted.
   */
  begin(sender: Sender, signal: AbortSignal): Promise<void> | undefined;
  /** From now on the request with this signal is not in flight, such as one whose response is a stream. */
  end(signal: AbortSignal): void;
  /** The same as `begin` for something else than a request, such as one event of a stream, which is not in flight. */
  takeTurn(sender: Sender, signal: AbortSignal): Promise<void> | undefined;
  /** Whether another client with known credentials has sent a request within a second. */
  hasOthers(sender: Sender): boolean;
  /** Adds the cost of a request to the sender's weight, or the time for which it kept the event loop busy. */
  record(sender: Sender, cost: { points: number } | { ms: number }): void;
};

/** Event loop utilization since the last reset. */
const createStopwatch = () => {
  let at = performance.now();
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
  const inFlight = createInFlight();
  const presence = createPresence();
  const groups = new Map<string, { kind: AnonymousKind | null; lines: Lines }>();
  const sample = createStopwatch();
  const idle = createStopwatch();
  let wasBusy = false;
  let busyAt = Number.NEGATIVE_INFINITY;
  let waiting = 0;

  const isBusy = (now: number): boolean => {
    const { ms, idle, active } = sample.read(now);
    if (ms >= SAMPLE_MS) {
      wasBusy = idle < (idle + active) * FREE_SHARE;
      weights.addActive(active, now);
      sample.reset(now);
    }
    if (wasBusy) busyAt = now;
    return wasBusy;
  };

  /** Whether requests of a known client have to wait now. */
  const isHeld = (key: string, now: number): boolean => {
    const isBusyNow = isBusy(now);
    if (weights.usesMostTime(key) && presence.hasOthers(key) && isBusyNow) return true;
    if (!inFlight.hasMost(key) || weights.isVictim(key)) return false;
    if (!isBusyNow && !weights.isBurst(key, now) && now - busyAt > CALM_MS) return false;
    const hasMany = inFlight.countOf(key) > MANY_IN_FLIGHT && presence.hasOthers(key);
    return hasMany || (weights.isHeavy({ key, kind: null }) && (groups.has(key) || isBusyNow));
  };

  const resume = () => {
    const now = performance.now();
    const loop = idle.read(now);
    const wasIdle = loop.idle >= loop.active * IDLE_SHARE;
    for (const [key, { kind, lines }] of groups) {
      if (kind === null && !isHeld(key, now)) {
        for (let count = RELEASED; count > 0; count -= 1) startNext(lines);
      } else if (lines.size > 0 && (wasIdle || weights.hasPaused(key, now))) {
        idle.reset(now);
        weights.pause(key, kind ? ANONYMOUS_PAUSES_MS[kind] : MAX_PAUSE_MS, now);
        // However long the event loop was busy: more would keep it busy for as long again.
        for (let count = kind ? STARTED[kind] : 1; count > 0; count -= 1) startNext(lines);
      }
      if (lines.size === 0) groups.delete(key);
    }
    if (groups.size > 0) setTimeout(resume, 1);
  };

  const wait = (
    { key, kind }: Group,
    client: string,
    now: number,
    signal: AbortSignal,
  ): Promise<void> => {
    const { lines } = groups.get(key) ?? { lines: new Map() as Lines };
    const line: Line = lines.get(client) ?? new Set();
    const max = waiting < MAX_WAITING_IN_TOTAL ? maxWaiting : 1;
    // The number of connections limits that of probes. A load balancer would take the gateway out of rotation.
    if (line.size >= max && kind !== 'probe') {
      throw new RateLimitError(
        `Too many concurrent requests: ${line.size} of yours are queued. Send fewer at a time and retry.`,
        RETRY_AFTER_SECONDS,
      );
    }
    if (groups.size === 0) {
      idle.reset(now);
      setTimeout(resume, 1);
    }
    groups.set(key, { kind, lines });
    lines.set(client, line);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting -= 1;
        line.delete(start);
        signal.removeEventListener('abort', abort);
      };
      const start = (): void => {
        leave();
        resolve();
      };
      const abort = (): void => {
        leave();
        if (line.size === 0) lines.delete(client);
        reject(signal.reason);
      };
      waiting += 1;
      line.add(start);
      signal.addEventListener('abort', abort);
    });
  };

  const mustWait = (group: Group, now: number): boolean => {
    const { key, kind } = group;
    if (kind) return weights.isHeavy(group);
    presence.enter(key);
    // Requests never overtake those that wait.
    return groups.has(key) || isHeld(key, now);
  };

  const takeTurn = (sender: Sender, signal: AbortSignal): Promise<void> | undefined => {
    signal.throwIfAborted();
    const now = performance.now();
    const group = groupOf(sender);
    weights.add(group.key, { requests: 1, hasStarted: true }, now);
    return mustWait(group, now) ? wait(group, sender.client, now, signal) : undefined;
  };

  return {
    begin: (sender, signal) => {
      const { key, kind } = groupOf(sender);
      if (kind === null && !signal.aborted) inFlight.begin(key, signal);
      return takeTurn(sender, signal);
    },
    end: inFlight.end,
    takeTurn,
    hasOthers: (sender) => presence.hasOthers(groupOf(sender).key),
    record: (sender, cost) => {
      const now = performance.now();
      const { key } = groupOf(sender);
      const ms = 'ms' in cost ? cost.ms : 0;
      const requests = 'ms' in cost ? ms / MS_PER_REQUEST : cost.points / POINTS_PER_REQUEST;
      weights.add(key, { requests, ms }, now);
      weights.pause(key, requests * MAX_PAUSE_MS, now);
    },
  };
};
