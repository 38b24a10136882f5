import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

export type HealthCheck = {
  /** Resolves if the database responded recently. Rejects on failure or timeout. */
  ping(timeoutMs: number): Promise<void>;
  /** The tables may have changed: checks them with the next probe of the database. */
  suspectLayout(): void;
  /** Rejects all further pings. */
  close(): void;
};

type Options = {
  /** Checks that the database responds. */
  query: () => Promise<unknown>;
  /** Throws a LayoutError if a required table or column is missing. Undefined if the gateway owns the tables. */
  checkLayout?: (() => Promise<void>) | undefined;
};

type Check = { result: Promise<void>; endedAt: number | null };

/** Health probes are unauthenticated: however many arrive, the database is queried this often. */
const MAX_AGE_MS = 1_000;
const LAYOUT_MAX_AGE_MS = 30_000;

/** Coalesces pings into one query at a time and caches its result briefly. */
export const createHealthCheck = ({ query, checkLayout }: Options): HealthCheck => {
  let latest: Check | null = null;
  // Startup has checked it.
  let layoutCheckedAt = performance.now();
  let isClosed = false;

  const examine = async (): Promise<void> => {
    if (!checkLayout || performance.now() - layoutCheckedAt < LAYOUT_MAX_AGE_MS) {
      await query();
      return;
    }
    await checkLayout();
    layoutCheckedAt = performance.now();
  };

  const begin = (): Check => {
    const check: Check = { result: examine(), endedAt: null };
    const end = () => {
      check.endedAt = performance.now();
    };
    check.result.then(end, end);
    return check;
  };

  const current = (): Check => {
    const isUsable =
      latest && (latest.endedAt === null || performance.now() - latest.endedAt < MAX_AGE_MS);
    latest = latest && isUsable ? latest : begin();
    return latest;
  };

  return {
    ping: async (timeoutMs) => {
      if (isClosed) throw new Error('The database is closed.');
      const timer = new AbortController();
      // A response that waits for a busy event loop is read before the next turn.
      const limit = delay(timeoutMs, 'late', { signal: timer.signal }).then(nextTurn<string>);
      // Aborting the timer rejects `limit`.
      limit.catch(() => undefined);
      const first = await Promise.race([current().result, limit]).finally(() => timer.abort());
      if (first === 'late') throw new Error(`The database did not respond within ${timeoutMs} ms.`);
    },
    suspectLayout: () => {
      layoutCheckedAt = Number.NEGATIVE_INFINITY;
    },
    close: () => {
      isClosed = true;
    },
  };
};
