import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 40;

/** Asks until there is an answer; undefined when the limit passes first. */
export const until = async <Result>(
  limitMs: number,
  probe: () => Promise<Result | undefined>,
): Promise<Result | undefined> => {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const result = await probe();
    if (result !== undefined || Date.now() > deadline) return result;
    await delay(PAUSE_MS);
  }
};

/** Out of these, those for which it holds by now. */
export type Probe = (names: readonly string[]) => Promise<Iterable<string>>;

export type Watched = {
  /** How long it took for the slowest. */
  slowestMs: number;
  /** Those that took longer than allowed, or for ever. */
  late: string[];
};

/** Measures for each of several names how long it takes, from a moment of its own on, until something holds. */
export type Watch = {
  expect(name: string, since: number): void;
  /** No further names come; resolves when it holds for all, or when time is up. */
  settle(): Promise<Watched>;
};

export const startWatch = (probe: Probe, limitMs: number): Watch => {
  const pending = new Map<string, number>();
  const late: string[] = [];
  let slowestMs = 0;
  let hasAll = false;

  const look = async () => {
    for (const name of await probe([...pending.keys()])) {
      const tookMs = Date.now() - (pending.get(name) ?? 0);
      pending.delete(name);
      slowestMs = Math.max(slowestMs, tookMs);
      if (tookMs > limitMs) late.push(`${name} after ${tookMs} ms`);
    }
    for (const [name, since] of pending) {
      // Twice the limit: late is told from never.
      if (Date.now() - since <= 2 * limitMs) continue;
      pending.delete(name);
      late.push(`${name} not within ${2 * limitMs} ms`);
    }
  };
  const run = async () => {
    while (!hasAll || pending.size > 0) {
      if (pending.size > 0) await look();
      // A watch nobody settles, because something else failed, shall not keep the program going.
      await delay(PAUSE_MS, undefined, { ref: false });
    }
  };
  const done = run();
  done.catch(() => undefined);

  return {
    expect: (name, since) => {
      pending.set(name, since);
    },
    settle: async () => {
      hasAll = true;
      await done;
      return { slowestMs, late };
    },
  };
};
