import { createSharedAbort, type SharedAbort } from './shared-abort.js';
import { runForAll } from './work.js';

/** Added to the statement timeout: by then the server or the pool has ended the statement, or both are gone. */
const GRACE_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 15_000;

/** Timeout for the response to one statement. */
export const responseTimeout = (statementTimeoutMs = STATEMENT_TIMEOUT_MS): number =>
  statementTimeoutMs + GRACE_MS;

/** The database did not respond in time. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  /** Prisma's code for a timed-out operation. */
  readonly code = 'P1008';

  constructor(limitMs: number) {
    super(`no response from the database within ${limitMs} ms`);
  }
}

/** Rejects with NoResponseError on timeout. A later result is ignored. */
export const withTimeout = async <Result>(
  limitMs: number,
  result: Promise<Result>,
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new NoResponseError(limitMs)), limitMs);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
};

type Flight<Result> = { sharedAbort: SharedAbort; result: Promise<Result> };

/**
 * Coalesces concurrent calls into one read. The read survives the caller that started it, is cancelled when all its
 * callers have left, and is abandoned after a timeout: then its callers fail, and the next call starts a new read.
 * `isCurrent` is false for a cancelled or abandoned read.
 */
export const createSingleFlight = <Result>(
  read: (isCurrent: () => boolean) => Promise<Result>,
  limitMs: number = responseTimeout(),
): (() => Promise<Result>) => {
  let current: Flight<Result> | null = null;

  const begin = (): Flight<Result> => {
    const sharedAbort = createSharedAbort();
    const isCurrent = () => current === own && !sharedAbort.signal.aborted;
    const reading = runForAll(async () => read(isCurrent), sharedAbort.signal);
    const result = withTimeout(limitMs, reading).finally(() => {
      sharedAbort.dispose();
      if (current === own) current = null;
    });
    const own: Flight<Result> = { sharedAbort, result };
    return own;
  };

  return () => {
    if (!current || current.sharedAbort.signal.aborted) current = begin();
    const { sharedAbort, result } = current;
    sharedAbort.join();
    sharedAbort.begin();
    return result;
  };
};
