import { createFairQueue } from '../domain/work.js';

/** Of the four threads of libuv, which also connect to the database, resolve names and read files. */
const MAX_JOBS = 3;
/** Jobs of one owner at a time. */
const MAX_PER_OWNER = 2;
/** All clients without known credentials together. */
const UNKNOWN = '';
const MAX_UNKNOWN = 1;

type Waiting = { start: () => void };

export type ThreadJobs = {
  /** Runs a job in a thread when it is the turn of its owner. Null: a client without known credentials. */
  run<Result>(owner: string | null, job: () => Promise<Result>): Promise<Result>;
};

/**
 * Compresses and decompresses in threads that all clients share. The queue of libuv is not fair: one client's jobs
 * would delay those of all others, and new connections to the database.
 */
export const createThreadJobs = (): ThreadJobs => {
  const queue = createFairQueue<Waiting>();
  const running = new Map<string, number>();
  let jobs = 0;

  const mayRun = (owner: string): boolean =>
    (running.get(owner) ?? 0) < (owner === UNKNOWN ? MAX_UNKNOWN : MAX_PER_OWNER);
  const begin = (owner: string): void => {
    jobs += 1;
    running.set(owner, (running.get(owner) ?? 0) + 1);
  };
  const end = (owner: string): void => {
    jobs -= 1;
    const left = (running.get(owner) ?? 0) - 1;
    if (left > 0) running.set(owner, left);
    else running.delete(owner);
    while (jobs < MAX_JOBS) {
      const next = queue.next(mayRun);
      if (!next) return;
      begin(next.owner);
      next.item.start();
    }
  };
  const enter = (owner: string): Promise<void> | undefined => {
    if (jobs < MAX_JOBS && mayRun(owner)) {
      begin(owner);
      return undefined;
    }
    return new Promise((resolve) => queue.add(owner, { start: resolve }));
  };

  return {
    run: async (owner, job) => {
      const key = owner ?? UNKNOWN;
      await enter(key);
      try {
        return await job();
      } finally {
        end(key);
      }
    },
  };
};

/** Of this process, as the threads are. */
export const threadJobs = createThreadJobs();
