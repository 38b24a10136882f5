import { CancelledError, currentWork } from '../../data/work/work.js';
import { OverloadedError } from '../errors.js';

type Waiting = { locks: readonly string[]; start: () => void };

export type CloneQueueLimits = {
  /** Concurrent turns per process; each holds a database connection. Default: 2. */
  atOnce?: number;
  /** Maximum number waiting for one lock. Default: 100. */
  waitingPerLock?: number;
  /** Maximum number waiting in total. Default: 1000. */
  waiting?: number;
  /** Maximum wait. Default: 10 seconds. */
  waitMs?: number;
};

/** Serializes clones that compete for a lock. */
export type CloneQueue = <Result>(
  locks: readonly string[],
  run: () => Promise<Result>,
) => Promise<Result>;

/**
 * A queue in front of the database: clones that compete for the rest of a quota wait here for the other
 * clones of this process, without holding a connection.
 */
export const createCloneQueue = ({
  atOnce = 2,
  waitingPerLock = 100,
  waiting: maxWaiting = 1_000,
  waitMs = 10_000,
}: CloneQueueLimits = {}): CloneQueue => {
  const waiting = new Set<Waiting>();
  const taken = new Set<string>();
  let running = 0;

  const dispatch = () => {
    const unavailable = new Set(taken);
    for (const next of waiting) {
      if (running >= atOnce) return;
      const isBlocked = next.locks.some((lock) => unavailable.has(lock));
      // Locks that a blocked clone waits for are not given to clones behind it.
      for (const lock of next.locks) unavailable.add(lock);
      if (isBlocked) continue;
      waiting.delete(next);
      running += 1;
      for (const lock of next.locks) taken.add(lock);
      next.start();
    }
  };

  const isCrowded = (locks: readonly string[]) =>
    waiting.size >= maxWaiting ||
    locks.some(
      (lock) => [...waiting].filter((other) => other.locks.includes(lock)).length >= waitingPerLock,
    );

  const waitFor = (locks: readonly string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const signal = currentWork()?.signal;
      const leave = (error: Error) => {
        waiting.delete(entry);
        end();
        reject(error);
      };
      const onAbort = () => leave(new CancelledError());
      const timer = setTimeout(
        () =>
          leave(new OverloadedError(`The clone waited ${waitMs} ms in the queue. Retry later.`)),
        waitMs,
      );
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const entry: Waiting = {
        locks,
        start: () => {
          end();
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.add(entry);
      dispatch();
    });

  return async (locks, run) => {
    if (isCrowded(locks)) {
      throw new OverloadedError('Too many clones are queued. Retry later.');
    }
    await waitFor(locks);
    try {
      return await run();
    } finally {
      running -= 1;
      for (const lock of locks) taken.delete(lock);
      dispatch();
    }
  };
};
