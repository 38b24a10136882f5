import { RateLimitError } from '../domain/errors.js';
import { CancelledError } from '../domain/work.js';

type Queue = { running: number; waiting: (() => void)[] };

/** Operations behind this many waiting ones are rejected at once. */
export const MAX_WAITING = 1_000;
const RETRY_AFTER_SECONDS = 1;

/** Runs at most `limit` operations at once per key. Further ones wait in order of arrival. */
export const createConcurrencyLimit = (limit: number, { maxWaiting = MAX_WAITING } = {}) => {
  const queues = new Map<string, Queue>();

  const release = (key: string, queue: Queue) => {
    const next = queue.waiting.shift();
    if (next) return next();
    queue.running -= 1;
    if (queue.running === 0) queues.delete(key);
  };

  const wait = (queue: Queue, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const onTurn = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        queue.waiting.splice(queue.waiting.indexOf(onTurn), 1);
        reject(new CancelledError());
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queue.waiting.push(onTurn);
    });

  const enter = (key: string, signal: AbortSignal): Promise<void> | null => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    queues.set(key, queue);
    if (queue.running < limit) {
      queue.running += 1;
      return null;
    }
    if (queue.waiting.length >= maxWaiting) {
      throw new RateLimitError(
        `Too many concurrent operations: ${maxWaiting} of yours are queued. Send fewer at a time and retry.`,
        RETRY_AFTER_SECONDS,
      );
    }
    if (signal.aborted) throw new CancelledError();
    return wait(queue, signal);
  };

  return async <Result>(
    key: string,
    signal: AbortSignal,
    run: () => Promise<Result>,
  ): Promise<Result> => {
    const admission = enter(key, signal);
    if (admission) await admission;
    const queue = queues.get(key) as Queue;
    try {
      return await run();
    } finally {
      release(key, queue);
    }
  };
};

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;
