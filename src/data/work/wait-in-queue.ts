import type { FairQueue } from './fair-queue.js';
import { CancelledError, currentWork } from './work.js';

export type Waiter<Granted> = {
  grant(granted: Granted): void;
  reject(error: Error): void;
};

type Timeout = { ms: number; error: () => Error };

/** Waits in a queue until granted. Leaves the queue when it is rejected, times out, or the current work is cancelled. */
export const waitInQueue = <Granted, About extends object = object>(
  queue: FairQueue<About & Waiter<Granted>>,
  owner: string,
  about: About,
  timeout?: Timeout,
): Promise<Granted> =>
  new Promise((resolve, reject) => {
    const signal = currentWork()?.signal;
    const remove = () => {
      clearTimeout(timer);
      queue.remove(owner, waiter);
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error) => {
      remove();
      reject(error);
    };
    const onAbort = () => fail(new CancelledError());
    const timer = timeout && setTimeout(() => fail(timeout.error()), timeout.ms);
    const waiter: About & Waiter<Granted> = {
      ...about,
      grant: (granted) => {
        remove();
        resolve(granted);
      },
      reject: fail,
    };
    if (signal?.aborted) return onAbort();
    queue.add(owner, waiter);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
