import { setTimeout as delay } from 'node:timers/promises';
import { ExceedsLimitError, InvalidOperationError, OverloadedError } from '../errors.js';
import type { LogState, SettledLog } from './settled-log.js';

const LOOK_EVERY_MS = 200;
const MOST_PER_TOKEN = 20;
const MOST = 1_000;

export type Follower = {
  /** The largest id there was when he began. */
  last: number;
  /** How far the log was settled when he began. */
  bound: number;
  /** The settled part of the log, as soon as it reaches beyond an id; null when he has left or is to go. */
  beyond(id: number): Promise<number | null>;
  /** Wakes him up although nothing has come. */
  wake(): void;
  leave(): void;
};

const closing = () => new OverloadedError('The gateway is about to stop. Connect again soon.');

/**
 * Lets any number of followers know how far the log is settled. One look is for all of them, and nobody looks while
 * nobody follows.
 */
export const createEventFeed = (log: SettledLog, { lookEveryMs = LOOK_EVERY_MS } = {}) => {
  const followersOf = new Map<string, number>();
  const sleepers = new Set<() => void>();
  let followers = 0;
  let bound = -1;
  let failure: unknown = null;
  let isLooking = false;
  let isClosed = false;

  const wakeAll = () => {
    for (const wake of [...sleepers]) wake();
  };

  const learn = ({ settled }: LogState) => {
    failure = null;
    // After a restore from a backup the log may end earlier than it did.
    if (settled === null || settled.bound === bound) return;
    bound = settled.bound;
    wakeAll();
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

  /** The state of the log, once its settled part is known. */
  const firstLook = async (signal: AbortSignal): Promise<{ last: number; bound: number }> => {
    for (;;) {
      const state = await log.look();
      if (!state.seesWriters) {
        throw new InvalidOperationError(
          'The log cannot be followed here, because those who write it are out of sight: this database is a replica, or event numbers are handed out in portions. Ask a gateway on the primary.',
        );
      }
      learn(state);
      if (state.settled) return { last: state.last, bound: state.settled.bound };
      if (isClosed) throw closing();
      await delay(lookEveryMs, undefined, { signal });
    }
  };

  return {
    /** Counts a follower in; fails where there are too many, or where the log cannot be followed. */
    join: async (token: string, signal: AbortSignal): Promise<Follower> => {
      assertRoom(token);
      followers += 1;
      followersOf.set(token, (followersOf.get(token) ?? 0) + 1);

      let hasLeft = false;
      let wake: () => void = () => undefined;
      const sleep = () =>
        new Promise<void>((resolve) => {
          wake = () => {
            sleepers.delete(wake);
            resolve();
          };
          sleepers.add(wake);
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

      try {
        const begun = await firstLook(signal);
        keepLooking();
        return {
          ...begun,
          beyond: async (id) => {
            if (bound <= id && !isClosed && !hasLeft && failure === null) await sleep();
            if (isClosed || hasLeft) return null;
            if (failure !== null) throw failure;
            return bound;
          },
          wake: () => wake(),
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
