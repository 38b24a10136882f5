import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { serverOf } from '../../data/events/settled-log.sql.js';
import { NO_REPLICAS } from '../../data/replicas/replica-set.js';
import { responseTimeout } from '../../data/work/single-flight.js';
import { runDetached } from '../../data/work/work.js';
import { ExceedsLimitError, InvalidOperationError, OverloadedError } from '../errors.js';
import { createScanLimiter } from '../scan-limiter.js';
import { createSharedReads } from '../shared-reads.js';
import { createReplays } from './replays.js';
import type { LogState, SettledLog } from './settled-log.js';

const POLL_EVERY_MS = 200;
/** Streams of revoked credentials end within five seconds. */
const RENEW_EVERY_MS = 4_000;
const MAX_PER_TOKEN = 20;
const MAX_SUBSCRIPTIONS = 1_000;
/** Each subscriber holds a page of events with possibly large payloads: maximum characters per page, and in total. */
const PAGE_CHARACTERS = 500_000;
const ALL_PAGES_CHARACTERS = 50_000_000;

export type Follower = {
  /** Highest event ID recorded when the subscription started. */
  drawn: number;
  /** How far the log is settled; null until that has been known once since the subscription started. */
  watermark(): Watermark | null;
  /**
   * Resolves when the watermark is beyond an ID (any watermark for null) or `renewalTick` has changed; with false when the
   * subscription has ended or must end.
   */
  waitBeyond(id: number | null): Promise<boolean>;
  /** Resolves after the next poll; with false when the subscription has ended or must end. */
  waitForPoll(): Promise<boolean>;
  /** Changes every few seconds: the time to validate the token again. */
  renewalTick(): number;
  leave(): void;
};

export type Watermark = {
  /** Watermark: up to this event ID the log no longer changes. */
  bound: number;
  /** Epoch of the server that reported it. */
  server: string;
  /** Changes when delivered events are lost in a failover. */
  lineage: number;
  /** Highest event ID recorded, even if the event was deleted since. */
  drawn: number;
};

/** Events delivered per turn of the event loop: serving a thousand subscribers takes a while. */
const AT_ONCE = 20;

const createBatches = () => {
  let waiting: (() => void)[] = [];
  const runBatch = () => {
    const now = waiting.slice(0, AT_ONCE);
    waiting = waiting.slice(AT_ONCE);
    for (const pass of now) pass();
    if (waiting.length > 0) setImmediate(runBatch);
  };
  return () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(runBatch);
    });
};

type Waiter = { wake(): void; isDue(): boolean };

/** All subscriptions of a token validate it at the same time, so that one check serves them; tokens differ in time. */
const renewalTickOf = (token: string) => {
  const shift = createHash('sha1').update(token).digest().readUInt32BE() % RENEW_EVERY_MS;
  return () => Math.floor((performance.now() + shift) / RENEW_EVERY_MS);
};

export const shuttingDown = () =>
  new OverloadedError('The gateway is shutting down. Reconnect shortly.');

/** Publishes the watermark of the log. One poll serves all subscribers; without subscribers, there is no poll. */
export const createEventFeed = (
  log: SettledLog,
  {
    pollEveryMs = POLL_EVERY_MS,
    limiter = createScanLimiter(),
    responseTimeoutMs = responseTimeout(),
    replicas = NO_REPLICAS,
  } = {},
) => {
  const followersOf = new Map<string, number>();
  const waiters = new Set<Waiter>();
  const reads = createSharedReads();
  const replays = createReplays();
  const exports = createReplays();
  const closing = new AbortController();
  // Every export listens.
  setMaxListeners(0, closing.signal);
  let followers = 0;
  let watermark: Watermark = { bound: -1, drawn: -1, server: '', lineage: 0 };
  /** Whether the last poll found it: a transaction whose event IDs are unknown hides the watermark. */
  let isKnown = false;
  let failure: unknown = null;
  let isPolling = false;
  /** Whether a subscriber waits for the next poll, whatever it finds. */
  let isAwaited = false;
  let isClosed = false;

  const wakeAll = () => {
    for (const { wake } of [...waiters]) wake();
  };
  const wakeDue = () => {
    for (const { wake, isDue } of [...waiters]) if (isDue()) wake();
  };

  const update = ({ settled, drawn, lineage }: LogState) => {
    failure = null;
    const wasKnown = isKnown;
    isKnown = settled !== null;
    if (settled === null) return;
    // After deletions, or a restore from a backup, the log can end earlier than before.
    const server = serverOf(settled.epoch);
    const isNews =
      !wasKnown || settled.bound !== watermark.bound || server !== watermark.server || isAwaited;
    watermark = { bound: settled.bound, drawn, server, lineage };
    isAwaited = false;
    if (isNews) wakeAll();
  };

  /** Subscribers read more about the events they receive, possibly from a replica. */
  const pollLog = async (): Promise<LogState> => {
    const state = await log.poll();
    if (state.settled && state.settled.bound > watermark.bound) await replicas.catchUp();
    return state;
  };

  const pollRepeatedly = async () => {
    if (isPolling) return;
    isPolling = true;
    while (followers > 0 && !isClosed) {
      await delay(pollEveryMs);
      try {
        if (followers > 0 && !isClosed) update(await pollLog());
      } catch (error) {
        failure = error;
        wakeAll();
      }
      wakeDue();
    }
    isPolling = false;
  };

  const assertRoom = (token: string) => {
    if (isClosed) throw shuttingDown();
    if ((followersOf.get(token) ?? 0) >= MAX_PER_TOKEN) {
      throw new ExceedsLimitError(
        `Subscription limit reached: ${MAX_PER_TOKEN} per client. Close another subscription first.`,
        MAX_PER_TOKEN,
      );
    }
    if (followers >= MAX_SUBSCRIPTIONS) {
      throw new OverloadedError(
        `Subscription limit of this gateway reached: ${MAX_SUBSCRIPTIONS}. Retry later.`,
      );
    }
  };

  const firstPoll = async (): Promise<LogState> => {
    const state = await pollLog();
    if (!state.seesWriters) {
      throw new InvalidOperationError(
        'Subscriptions are unavailable: the database is a read replica, or its sequence hands out event IDs in blocks. Use a gateway on the primary.',
      );
    }
    update(state);
    return state;
  };

  return {
    /** Limits reads of past events. */
    limiter,
    replays,
    /** Exports have slots of their own: they take longer than subscriptions can wait. */
    exports,
    /** Aborted when the gateway stops. */
    closed: closing.signal,
    /** Longest wait for a statement. */
    responseTimeoutMs,
    /** Size of a subscriber's next page. */
    pageCharacters: () => Math.min(PAGE_CHARACTERS, ALL_PAGES_CHARACTERS / Math.max(1, followers)),
    /** Coalesces identical concurrent reads, such as those of subscribers woken by the same events. */
    share: reads.share,
    /** Resolves when the next event may be delivered, so that other work of the process runs in between. */
    turn: createBatches(),
    /** Rejects if there are too many subscriptions or the log cannot be followed. */
    join: async (token: string): Promise<Follower> => {
      assertRoom(token);
      followers += 1;
      followersOf.set(token, (followersOf.get(token) ?? 0) + 1);

      const renewalTick = renewalTickOf(token);
      let lastTick = renewalTick();
      let hasLeft = false;
      let hasStarted = false;
      let wake: () => void = () => undefined;
      const sleep = () =>
        new Promise<void>((resolve) => {
          const waiter = { wake: () => wake(), isDue: () => renewalTick() !== lastTick };
          wake = () => {
            waiters.delete(waiter);
            resolve();
          };
          waiters.add(waiter);
        });
      const leave = () => {
        if (hasLeft) return;
        hasLeft = true;
        followers -= 1;
        const remaining = (followersOf.get(token) ?? 1) - 1;
        if (remaining > 0) followersOf.set(token, remaining);
        else followersOf.delete(token);
        wake();
      };

      const watermarkSinceStart = () => {
        hasStarted ||= isKnown;
        return hasStarted ? watermark : null;
      };

      try {
        const { drawn } = await firstPoll();
        // Detached from this subscription: the others continue when it ends.
        runDetached(pollRepeatedly);
        return {
          drawn,
          watermark: watermarkSinceStart,
          waitBeyond: async (id) => {
            const now = watermarkSinceStart();
            const isBeyond = now !== null && (id === null || now.bound > id);
            if (!isBeyond && !isClosed && !hasLeft && failure === null) await sleep();
            if (isClosed || hasLeft) return false;
            if (failure !== null) throw failure;
            lastTick = renewalTick();
            return true;
          },
          waitForPoll: async () => {
            isAwaited = true;
            if (!isClosed && !hasLeft && failure === null) await sleep();
            if (failure !== null) throw failure;
            return !isClosed && !hasLeft;
          },
          renewalTick,
          leave,
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
    /** Closes all subscriptions and rejects new ones. */
    close: () => {
      isClosed = true;
      replays.close();
      exports.close();
      closing.abort();
      wakeAll();
    },
  };
};

export type EventFeed = ReturnType<typeof createEventFeed>;
