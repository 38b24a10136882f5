import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 40;

/** Polls until there is a result; undefined after the timeout. */
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

/** The names for which the condition is true. */
export type Probe = (names: readonly string[]) => Promise<Iterable<string>>;

export type Watched = {
  /** Duration of the slowest. */
  slowestMs: number;
  /** Names that exceeded the limit, or never completed. */
  late: string[];
};

/** Measures for each name how long a condition takes to become true. */
export type Watch = {
  expect(name: string, since: number): void;
  /** Accepts no more names; resolves when the condition is true for all, or after the timeout. */
  settle(): Promise<Watched>;
};

export const startWatch = (probe: Probe, limitMs: number): Watch => {
  const pending = new Map<string, number>();
  const late: string[] = [];
  let slowestMs = 0;
  let hasAll = false;

  const poll = async () => {
    for (const name of await probe([...pending.keys()])) {
      const tookMs = Date.now() - (pending.get(name) ?? 0);
      pending.delete(name);
      slowestMs = Math.max(slowestMs, tookMs);
      if (tookMs > limitMs) late.push(`${name} after ${tookMs} ms`);
    }
    for (const [name, since] of pending) {
      // Twice the limit, to distinguish late from never.
      if (Date.now() - since <= 2 * limitMs) continue;
      pending.delete(name);
      late.push(`${name} not within ${2 * limitMs} ms`);
    }
  };
  const run = async () => {
    while (!hasAll || pending.size > 0) {
      if (pending.size > 0) await poll();
      // An unsettled watch must not keep the process running after another failure.
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
