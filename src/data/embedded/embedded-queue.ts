import { watch } from '../timeouts.js';
import { createFairQueue } from '../work/fair-queue.js';
import { type Waiter, waitInQueue } from '../work/wait-in-queue.js';
import { CancelledError, currentWork } from '../work/work.js';

export type EmbeddedQueue = {
  /**
   * Resolves with a release function when it is the caller's turn. Rejects if the caller's work is aborted meanwhile.
   */
  take(): Promise<() => void>;
  /** Rejects all waiting and future callers. */
  close(error: Error): void;
};

/**
 * A fair queue for the embedded database's single session. Once a turn has lasted `limitMs`, waiting callers are
 * rejected, and new ones until it ends.
 */
export const createEmbeddedQueue = (limitMs: number, busy: () => Error): EmbeddedQueue => {
  const queue = createFairQueue<Waiter<() => void>>();
  let isTaken = false;
  let rejection: (() => Error) | undefined;
  let closed: Error | undefined;

  const rejectAll = (error: () => Error) => {
    for (const { reject } of queue.clear()) reject(error());
  };

  const begin = (): (() => void) => {
    isTaken = true;
    const stopWatching = watch(limitMs, () => {
      rejection = busy;
      rejectAll(busy);
    });
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      stopWatching();
      isTaken = false;
      rejection = undefined;
      queue.next()?.item.grant(begin());
    };
  };

  return {
    take: async () => {
      const { owner = '', signal } = currentWork() ?? {};
      if (closed) throw closed;
      if (signal?.aborted) throw new CancelledError();
      if (!isTaken) return begin();
      if (rejection) throw rejection();
      return waitInQueue(queue, owner, {});
    },
    close: (error) => {
      closed = error;
      rejectAll(() => error);
    },
  };
};
