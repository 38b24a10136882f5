import { CancelledError, currentWork } from '../../data/work/work.js';
import { OverloadedError } from '../errors.js';

type Waiting = { places: readonly string[]; start: () => void };

export type CloneQueueLimits = {
  /** Concurrent turns per process; each holds a database connection. Default: 2. */
  atOnce?: number;
  /** Maximum number waiting for one place. Default: 100. */
  waitingForPlace?: number;
  /** Maximum number waiting in total. Default: 1000. */
  waiting?: number;
  /** Maximum wait. Default: 10 seconds. */
  waitMs?: number;
};

/** Serializes clones that compete for a place. */
export type CloneQueue = <Result>(
  places: readonly string[],
  run: () => Promise<Result>,
) => Promise<Result>;

/**
 * A queue in front of the database: clones that compete for the last places of a project wait here for the other
 * clones of this process, without holding a connection.
 */
export const createCloneQueue = ({
  atOnce = 2,
  waitingForPlace = 100,
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
      const isBlocked = next.places.some((place) => unavailable.has(place));
      // Places that a blocked clone waits for are not given to clones behind it.
      for (const place of next.places) unavailable.add(place);
      if (isBlocked) continue;
      waiting.delete(next);
      running += 1;
      for (const place of next.places) taken.add(place);
      next.start();
    }
  };

  const isCrowded = (places: readonly string[]) =>
    waiting.size >= maxWaiting ||
    places.some(
      (place) =>
        [...waiting].filter((other) => other.places.includes(place)).length >= waitingForPlace,
    );

  const waitFor = (places: readonly string[]): Promise<void> =>
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
        places,
        start: () => {
          end();
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.add(entry);
      dispatch();
    });

  return async (places, run) => {
    if (isCrowded(places)) {
      throw new OverloadedError('Too many clones are queued. Retry later.');
    }
    await waitFor(places);
    try {
      return await run();
    } finally {
      running -= 1;
      for (const place of places) taken.delete(place);
      dispatch();
    }
  };
};
