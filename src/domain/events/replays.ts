import { setTimeout as delay } from 'node:timers/promises';
import { CancelledError } from '../../data/work/work.js';

/** Concurrent replays per caller; others wait. */
export const MAX_PER_CALLER = 2;
/** A replay pauses this many times as long as its events took. */
const PAUSE_SHARE = 2;
/** Shorter pauses are accumulated. */
const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 2_000;

export type Replay = {
  /** Resolves after a pause proportional to the duration of the last event. */
  pace(ms: number): Promise<void>;
  end(): void;
};

/** Limits how many subscriptions of one caller replay the past concurrently, and how fast. */
export const createReplays = () => {
  const running = new Map<string, number>();
  const waiting = new Map<string, Set<(mayStart: boolean) => void>>();
  let isClosed = false;

  const end = (caller: string) => {
    const [next] = waiting.get(caller) ?? [];
    if (next) return next(true);
    const remaining = (running.get(caller) ?? 1) - 1;
    if (remaining > 0) running.set(caller, remaining);
    else running.delete(caller);
  };

  const wait = (caller: string, signal: AbortSignal) =>
    new Promise<boolean>((resolve, reject) => {
      const queue = waiting.get(caller) ?? new Set();
      waiting.set(caller, queue);
      const leave = () => {
        signal.removeEventListener('abort', onAbort);
        queue.delete(begin);
        if (queue.size === 0) waiting.delete(caller);
      };
      const begin = (mayStart: boolean) => {
        leave();
        resolve(mayStart);
      };
      const onAbort = () => {
        leave();
        reject(new CancelledError());
      };
      queue.add(begin);
      signal.addEventListener('abort', onAbort, { once: true });
    });

  const isFree = (caller: string): boolean => (running.get(caller) ?? 0) < MAX_PER_CALLER;

  const take = (caller: string): void => {
    running.set(caller, (running.get(caller) ?? 0) + 1);
  };

  const createReplay = (caller: string, signal: AbortSignal): Replay => {
    let debt = 0;
    let hasEnded = false;
    const endOnce = () => {
      if (!hasEnded) end(caller);
      hasEnded = true;
      signal.removeEventListener('abort', endOnce);
    };
    // A disconnected client requests no further event, so nothing else would release its slot.
    signal.addEventListener('abort', endOnce);
    if (signal.aborted) endOnce();
    return {
      pace: async (ms) => {
        debt += ms * PAUSE_SHARE;
        if (debt < MIN_PAUSE_MS) return;
        const pauseMs = Math.min(debt, MAX_PAUSE_MS);
        debt = 0;
        await delay(pauseMs);
      },
      end: endOnce,
    };
  };

  return {
    /** Resolves when the caller may replay the past; with null when the gateway stops. */
    begin: async (caller: string, signal: AbortSignal): Promise<Replay | null> => {
      if (isClosed) return null;
      if (isFree(caller)) take(caller);
      else if (!(await wait(caller, signal))) return null;
      return createReplay(caller, signal);
    },
    /** The same without waiting; null if the caller has no free slot. */
    tryBegin: (caller: string, signal: AbortSignal): Replay | null => {
      if (isClosed || !isFree(caller)) return null;
      take(caller);
      return createReplay(caller, signal);
    },
    close: () => {
      isClosed = true;
      for (const resume of [...waiting.values()].flatMap((queue) => [...queue])) resume(false);
    },
  };
};
