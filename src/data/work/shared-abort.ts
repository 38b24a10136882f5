import { CancelledError, currentWork, type Work } from './work.js';

/** The callers that wait for one shared piece of work. */
export type SharedAbort = {
  /** Aborted when the work has started and its last caller has left. */
  readonly signal: AbortSignal;
  /** Adds the current caller. A caller without a `Work` never leaves. */
  join(): void;
  /** Marks the work as started. */
  begin(): void;
  /** The work has ended: removes all listeners. */
  dispose(): void;
};

export const createSharedAbort = (): SharedAbort => {
  const controller = new AbortController();
  const waiting = new Map<Work, () => void>();
  let isUncancellable = false;
  let hasStarted = false;

  const abortIfEmpty = () => {
    if (hasStarted && waiting.size === 0 && !isUncancellable)
      controller.abort(new CancelledError());
  };

  return {
    signal: controller.signal,
    join: () => {
      const work = currentWork();
      if (!work) isUncancellable = true;
      else if (!waiting.has(work) && !work.signal.aborted) {
        const onAbort = () => {
          waiting.delete(work);
          abortIfEmpty();
        };
        waiting.set(work, onAbort);
        work.signal.addEventListener('abort', onAbort, { once: true });
      }
    },
    begin: () => {
      hasStarted = true;
      abortIfEmpty();
    },
    dispose: () => {
      for (const [{ signal }, onAbort] of waiting) signal.removeEventListener('abort', onAbort);
      waiting.clear();
    },
  };
};
