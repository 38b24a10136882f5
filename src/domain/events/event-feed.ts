import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ExceedsLimitError, InvalidOperationError, OverloadedError } from '../errors.js';
import { createSharedReads } from '../shared-reads.js';
import type { LogState, SettledLog } from './settled-log.js';

const LOOK_EVERY_MS = 200;
const RENEW_EVERY_MS = 5_000;
const MOST_PER_TOKEN = 20;
const MOST = 1_000;

export type Follower = {
  /** Up to this id events had been recorded when he came. */
  drawn: number;
  /** How far the log reaches; null as long as that has not been known since he came. */
  reach(): Reach | null;
  /** Resolves when the log reaches beyond an id, or is known to reach anywhere, or the beat has changed; with false when he has left or is to go. */
  waitBeyond(id: number | null): Promise<boolean>;
  /** Changes every few seconds: the time to look at his token again. */
  beat(): number;
  leave(): void;
};

export type Reach = {
  /** Up to this id the log is settled. */
  bound: number;
  /** Up to this id events have been recorded, be they deleted meanwhile. */
  drawn: number;
};

/** So many events are handed on before others get their turn: answering a thousand followers takes a while. */
const AT_ONCE = 20;

const createTurns = () => {
  let waiting: (() => void)[] = [];
  const letPass = () => {
    const now = waiting.slice(0, AT_ONCE);
    waiting = waiting.slice(AT_ONCE);
    for (const pass of now) pass();
    if (waiting.length > 0) setImmediate(letPass);
  };
  return () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(letPass);
    });
};

type Sleeper = { wake(): void; isDue(): boolean };

/** All who follow with one token look at it at the same moment, so that one look does; each token at another one. */
const beatOf = (token: string) => {
  const shift = createHash('sha1').update(token).digest().readUInt32BE() % RENEW_EVERY_MS;
  return () => Math.floor((performance.now() + shift) / RENEW_EVERY_MS);
};

const closing = () => new OverloadedError('The gateway is about to stop. Connect again soon.');

/**
 * Lets any number of followers know how far the log is settled. One look is for all of them, and nobody looks while
 * nobody follows.
 */
export const createEventFeed = (log: SettledLog, { lookEveryMs = LOOK_EVERY_MS } = {}) => {
  const followersOf = new Map<string, number>();
  const sleepers = new Set<Sleeper>();
  const reads = createSharedReads();
  let followers = 0;
  let reach: Reach = { bound: -1, drawn: -1 };
  /** Whether that is what the last look has found: not while somebody writes whose ids are not known. */
  let isKnown = false;
  let failure: unknown = null;
  let isLooking = false;
  let isClosed = false;

  const wakeAll = () => {
    for (const { wake } of [...sleepers]) wake();
  };
  const wakeDue = () => {
    for (const { wake, isDue } of [...sleepers]) if (isDue()) wake();
  };

  const learn = ({ settled, drawn }: LogState) => {
    failure = null;
    const wasKnown = isKnown;
    isKnown = settled !== null;
    if (settled === null) return;
    // Where events were deleted, or after a restore from a backup, the log may end earlier than it did.
    const isNews = !wasKnown || settled.bound !== reach.bound;
    reach = { bound: settled.bound, drawn };
    if (isNews) wakeAll();
  };

  const keepLooking = async () => {
    if (isLooking) return;
    isLooking = true;
    while (followers > 0 && !isClosed) {
      await delay(lookEveryMs);
      try {
        if (followers > 0 && !isClosed) learn(await log.look());
      } catch (error) {
        failure = error;
        wakeAll();
      }
      wakeDue();
    }
    isLooking = false;
  };

  const assertRoom = (token: string) => {
    if (isClosed) throw closing();
    if ((followersOf.get(token) ?? 0) >= MOST_PER_TOKEN) {
      throw new ExceedsLimitError(
        `A token may follow the log ${MOST_PER_TOKEN} times at once. End another subscription first.`,
        MOST_PER_TOKEN,
      );
    }
    if (followers >= MOST) {
      throw new OverloadedError(`This gateway already serves ${MOST} subscriptions. Try later.`);
    }
  };

  const firstLook = async (): Promise<LogState> => {
    const state = await log.look();
    if (!state.seesWriters) {
      throw new InvalidOperationError(
        'The log cannot be followed here, because those who write it are out of sight: this database is a replica, or event numbers are handed out in portions. Ask a gateway on the primary.',
      );
    }
    learn(state);
    return state;
  };

  return {
    /** Reads once for all who ask for the same at the same time, as those do who are woken by the same events. */
    share: reads.share,
    /** Resolves when the next event may be handed on, so that other work of the process goes on in between. */
    turn: createTurns(),
    /** Counts a follower in; fails where there are too many, or where the log cannot be followed. */
    join: async (token: string): Promise<Follower> => {
      assertRoom(token);
      followers += 1;
      followersOf.set(token, (followersOf.get(token) ?? 0) + 1);

      const beat = beatOf(token);
      let lastBeat = beat();
      let hasLeft = false;
      let hasBegun = false;
      let wake: () => void = () => undefined;
      const sleep = () =>
        new Promise<void>((resolve) => {
          const sleeper = { wake: () => wake(), isDue: () => beat() !== lastBeat };
          wake = () => {
            sleepers.delete(sleeper);
            resolve();
          };
          sleepers.add(sleeper);
        });
      const leave = () => {
        if (hasLeft) return;
        hasLeft = true;
        followers -= 1;
        const left = (followersOf.get(token) ?? 1) - 1;
        if (left > 0) followersOf.set(token, left);
        else followersOf.delete(token);
        wake();
      };

      const reachSinceThen = () => {
        hasBegun ||= isKnown;
        return hasBegun ? reach : null;
      };

      try {
        const { drawn } = await firstLook();
        keepLooking();
        return {
          drawn,
          reach: reachSinceThen,
          waitBeyond: async (id) => {
            const now = reachSinceThen();
            const isBeyond = now !== null && (id === null || now.bound > id);
            if (!isBeyond && !isClosed && !hasLeft && failure === null) await sleep();
            if (isClosed || hasLeft) return false;
            if (failure !== null) throw failure;
            lastBeat = beat();
            return true;
          },
          beat,
          leave,
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
    /** Sends everybody home, and lets nobody in any more. */
    close: () => {
      isClosed = true;
      wakeAll();
    },
  };
};

export type EventFeed = ReturnType<typeof createEventFeed>;
