import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { LayoutError } from '../layout/layout-error.js';
import { settledWithin, watch } from '../timeouts.js';
import { createEmbeddedQueue } from './embedded-queue.js';
import { type EmbeddedThread, ThreadEndedError, type ThreadRequest } from './embedded-thread.js';

export type EmbeddedSessionOptions = {
  /** Opens the database in a new thread. Called again after a thread was terminated. */
  open: () => Promise<EmbeddedThread>;
  /** Whether the data is lost with the thread, as in memory. */
  isVolatile: boolean;
  /** Called when the data is lost. */
  onLost?: (error: LayoutError) => void;
  statementTimeoutMs: number;
};

/** Exclusive use of the embedded database's single session, for one statement or transaction. */
export type SessionLease = {
  send(request: ThreadRequest): Promise<unknown>;
  /** Ends the lease when the last statement sent has finished. */
  release(): void;
};

export type EmbeddedSession = {
  /** Waits for a turn. An unlimited turn has no statement timeout. */
  take(options?: { isUnlimited?: boolean }): Promise<SessionLease>;
  isIdle(): boolean;
  /** Rejects all further statements with this error's message. */
  fail(error: Error): void;
  close(): Promise<void>;
};

// Same as the wait for a connection to a PostgreSQL server.
const TURN_LIMIT_MS = 5_000;
const CLOSE_LIMIT_MS = 5_000;
// Delay before retrying a failed reopen, for example on a full disk.
const REOPEN_AFTER_MS = 1_000;
/** Runs statements one at a time, and replaces the worker thread when it hangs or dies. */
export const createSession = async (options: EmbeddedSessionOptions): Promise<EmbeddedSession> => {
  const { open, isVolatile, onLost, statementTimeoutMs } = options;
  const queue = createEmbeddedQueue(TURN_LIMIT_MS, () =>
    databaseError('57P03', 'The embedded database is busy with a long statement.'),
  );
  let thread: EmbeddedThread | undefined = await open();
  let opening: Promise<EmbeddedThread> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reopenFailure: Error | undefined;
  let ended: Error | undefined;
  let inFlight = 0;

  const reopen = async (): Promise<EmbeddedThread> => {
    if (ended) throw ended;
    if (reopenFailure && performance.now() - failedAt < REOPEN_AFTER_MS) throw reopenFailure;
    try {
      const opened = await open();
      if (ended) {
        await opened.terminate();
        throw ended;
      }
      thread = opened;
      reopenFailure = undefined;
      return opened;
    } catch (error) {
      failedAt = performance.now();
      reopenFailure = reopenError(error);
      throw reopenFailure;
    }
  };

  const current = async (): Promise<EmbeddedThread> => {
    if (thread?.isUsable()) return thread;
    opening ??= reopen().finally(() => {
      opening = undefined;
    });
    return opening;
  };

  const replace = async (hanging: EmbeddedThread): Promise<void> => {
    if (thread === hanging) thread = undefined;
    await hanging.terminate();
    if (!isVolatile || ended) return;
    const loss = new LayoutError('The database in memory has crashed, and its data is lost.');
    fail(loss);
    onLost?.(loss);
  };

  /** `answer` settles the caller; `done` frees the session, possibly later. */
  const run = (on: EmbeddedThread, request: ThreadRequest, limitMs: number) => {
    const sent = on.send(request);
    let stopWatching = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      stopWatching = watch(limitMs, () => {
        reject(databaseError('57014', `The statement took longer than ${limitMs} ms.`));
        if (!isVolatile) void replace(on);
      });
    });
    const done = sent
      .then(
        () => undefined,
        () => (on.isUsable() ? undefined : replace(on)),
      )
      .finally(stopWatching);
    return { result: Promise.race([sent, late]).catch(rethrowLost), done };
  };

  const take: EmbeddedSession['take'] = async ({ isUnlimited = false } = {}) => {
    const end = await queue.take();
    let used: EmbeddedThread | undefined;
    let last: Promise<void> = Promise.resolve();

    const perform = async (request: ThreadRequest) => {
      if (ended) throw ended;
      if (used && used !== thread) throw connectionLost();
      used = await current();
      const limitMs = isUnlimited ? Number.POSITIVE_INFINITY : statementTimeoutMs;
      inFlight += 1;
      const { result, done } = run(used, request, limitMs);
      return { result, done: done.finally(() => (inFlight -= 1)) };
    };

    return {
      send: (request) => {
        const performed = last.then(() => perform(request));
        last = performed.then(
          ({ done }) => done,
          () => undefined,
        );
        return performed.then(({ result }) => result);
      },
      release: () => void last.then(end),
    };
  };

  const fail = (error: Error) => {
    ended ??= databaseError('57P01', error.message);
    queue.close(ended);
    if (thread) void replace(thread);
  };

  return {
    take,
    isIdle: () => inFlight === 0,
    fail,
    close: async () => {
      ended ??= databaseError('57P01', 'The embedded database is closed.');
      queue.close(ended);
      await opening?.catch(() => undefined);
      const closing = thread;
      thread = undefined;
      if (!closing) return;
      await settledWithin(CLOSE_LIMIT_MS, closing.send({ kind: 'close' }));
      await closing.terminate();
    },
  };
};

const databaseError = (code: string, message: string): DriverAdapterError =>
  new DriverAdapterError({
    kind: 'postgres',
    code,
    severity: 'ERROR',
    message,
    detail: undefined,
    column: undefined,
    hint: undefined,
    originalCode: code,
    originalMessage: message,
  });

const connectionLost = () =>
  databaseError('08006', 'The embedded database was restarted, which ended the transaction.');

const reopenError = (error: unknown): Error => {
  const reason = error instanceof Error ? error.message : String(error);
  const code = reason.includes('No space left on device') ? '53100' : '57P03';
  return databaseError(code, `The embedded database cannot be opened: ${reason}.`);
};

const rethrowLost = (error: unknown): never => {
  throw error instanceof ThreadEndedError ? connectionLost() : error;
};
