import { createSharedAbort, type SharedAbort } from '../data/work/shared-abort.js';
import { createSharedWork, currentWork, endWork, runAs } from '../data/work/work.js';

type Next = { sharedAbort: SharedAbort; promise: Promise<unknown> };
type Flight = { running: Promise<unknown>; startedAt: number; next: Next | null };

/** Callers do not wait behind a read that hangs for longer. */
const MAX_WAIT_MS = 30_000;

export type SharedReads = {
  /** The result of `read`, or of one with the same key that another caller is about to start. */
  share<Result>(key: string, read: () => Promise<Result>): Promise<Result>;
};

/**
 * Coalesces identical concurrent reads. A caller never joins a read already in flight, so it sees everything written
 * before; callers that arrive during a read share the next one. A read is cancelled when no caller waits for it any
 * more. Keys must distinguish what callers may see, and results must not be modified. Callers that measure their work
 * share nothing.
 */
export const createSharedReads = (): SharedReads => {
  const flights = new Map<string, Flight>();

  const begin = <Result>(key: string, read: () => Promise<Result>): Promise<Result> => {
    const running = (async () => read())();
    const flight: Flight = { running, startedAt: performance.now(), next: null };
    flights.set(key, flight);
    const end = () => {
      if (flights.get(key) === flight && flight.next === null) flights.delete(key);
    };
    running.then(end, end);
    return running;
  };

  const beginNext = (key: string, flight: Flight, read: () => Promise<unknown>): Next => {
    const sharedAbort = createSharedAbort();
    const work = createSharedWork(currentWork(), sharedAbort.signal);
    const run = () => {
      sharedAbort.begin();
      return begin(key, () => runAs(work, read));
    };
    const promise = flight.running.then(run, run).finally(() => {
      sharedAbort.dispose();
      endWork(work);
    });
    return { sharedAbort, promise };
  };

  return {
    share: <Result>(key: string, read: () => Promise<Result>): Promise<Result> => {
      if (currentWork()?.isMeasured) return read();
      const flight = flights.get(key);
      if (!flight || performance.now() - flight.startedAt > MAX_WAIT_MS) return begin(key, read);
      flight.next ??= beginNext(key, flight, read);
      flight.next.sharedAbort.join();
      return flight.next.promise as Promise<Result>;
    },
  };
};
