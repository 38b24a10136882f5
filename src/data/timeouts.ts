import { setTimeout as delay } from 'node:timers/promises';

// A timer this late means that this process stalled, not that the statement was slow.
const STALL_MS = 1_000;

/** Calls back on timeout, unless this process stalled. */
export const watch = (limitMs: number, onLate: () => void): (() => void) => {
  if (limitMs === Number.POSITIVE_INFINITY) return () => {};
  let isDone = false;
  let timer: NodeJS.Timeout;
  const arm = () => {
    const due = performance.now() + limitMs;
    timer = setTimeout(() => {
      if (performance.now() - due > STALL_MS) return arm();
      // A reply that has already arrived is read before the immediate runs.
      setImmediate(() => {
        if (!isDone) onLate();
      });
    }, limitMs).unref();
  };
  arm();
  return () => {
    isDone = true;
    clearTimeout(timer);
  };
};

/** Resolves when `result` has settled, or on timeout. */
export const settledWithin = async (limitMs: number, result: Promise<unknown>): Promise<void> => {
  const timer = new AbortController();
  const limit = delay(limitMs, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([result.catch(() => undefined), limit]);
  timer.abort();
};
