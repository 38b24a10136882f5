import { sleep } from './sleep.js';

/** Every rejection is delayed by this time, which slows down clients that ignore `Retry-After`. */
const DELAY_MS = 200;
/** Rejections follow each other at this interval, so that clients that retry at once cannot keep the process busy. */
const INTERVAL_MS = 5;
const MAX_DELAY_MS = 10_000;

/**
 * Returns a function that resolves when the next rejection with status 429 may be sent: with false if so many wait that
 * the connection must be closed instead.
 */
export const createRejectionPace = (): ((signal: AbortSignal) => Promise<boolean>) => {
  let lastAt = 0;
  return async (signal) => {
    const now = performance.now();
    const at = Math.max(now + DELAY_MS, lastAt + INTERVAL_MS);
    if (at > now + MAX_DELAY_MS) return false;
    lastAt = at;
    await sleep(at - now, signal);
    return true;
  };
};
