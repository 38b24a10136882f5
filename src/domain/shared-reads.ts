import { isMeasured } from '../data/tally.js';

type Turn = { running: Promise<unknown>; begunAt: number; waiting: Promise<unknown> | null };

/** Behind a read that hangs for longer nobody waits any more. */
const LONGEST_MS = 30_000;

export type SharedReads = {
  /** The result of `read`, or of one that somebody else with the same key is about to begin. */
  share<Result>(key: string, read: () => Promise<Result>): Promise<Result>;
};

/**
 * Reads the same thing once for all who ask while it is being read. Nobody is given a result that began before he
 * asked, so nobody misses what was written before: who comes during a read waits for the next one, with all others who
 * do. Keys must tell apart what different callers may see, and results are not to be changed by anybody. Who has his
 * own work measured shares nothing.
 */
export const createSharedReads = (): SharedReads => {
  const turns = new Map<string, Turn>();

  const begin = <Result>(key: string, read: () => Promise<Result>): Promise<Result> => {
    const running = (async () => read())();
    const turn: Turn = { running, begunAt: performance.now(), waiting: null };
    turns.set(key, turn);
    const end = () => {
      if (turns.get(key) === turn && turn.waiting === null) turns.delete(key);
    };
    running.then(end, end);
    return running;
  };

  return {
    share: <Result>(key: string, read: () => Promise<Result>): Promise<Result> => {
      if (isMeasured()) return read();
      const turn = turns.get(key);
      if (!turn || performance.now() - turn.begunAt > LONGEST_MS) return begin(key, read);
      const next = () => begin(key, read);
      turn.waiting ??= turn.running.then(next, next);
      return turn.waiting as Promise<Result>;
    },
  };
};
