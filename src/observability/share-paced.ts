import { setTimeout as delay } from 'node:timers/promises';

/** Starts at most once per interval. Calls that arrive before the start share the result, so none gets an older one. */
export const sharePaced = <Result>(
  run: () => Promise<Result>,
  everyMs: number,
): (() => Promise<Result>) => {
  let startedAt = Number.NEGATIVE_INFINITY;
  let next: Promise<Result> | null = null;
  const start = async (): Promise<Result> => {
    await delay(Math.max(0, startedAt + everyMs - performance.now()));
    next = null;
    startedAt = performance.now();
    return run();
  };
  return () => {
    next ??= start();
    return next;
  };
};
