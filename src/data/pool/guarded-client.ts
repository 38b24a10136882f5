import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseTimes } from '../database-times.js';
import { CancelledError, currentWork } from '../work/work.js';
import { sendCancelRequest } from './cancel-request.js';
import {
  ConnectionDroppedError,
  ReadOnlyServerError,
  StaleStatementError,
  StatementDeadlineError,
} from './pool-errors.js';
import { createStatementQueue } from './statement-queue.js';

/** How the statements of a connection are bounded, and the callbacks that report on them. */
export type Guard = {
  /** Statement deadline in milliseconds, after which the connection is closed. Undefined: none. */
  deadlineMs?: number | undefined;
  /** When to send a cancel request, for servers that don't enforce our statement timeout. */
  cancelAfterMs?: number | undefined;
  /** The gateway was started on a writable server, so a read-only one is a stale primary. */
  mustBeWritable?: boolean | undefined;
  /** A pooler is in between: reported parameters may belong to another server connection. */
  isPooled?: boolean | undefined;
  /** Sent in the startup packet; poolers accept few other parameters. Default: UTC. */
  timeZone?: string | null | undefined;
  /** Wraps the sending of every statement. */
  measure?: DatabaseTimes['statement'];
  onCancelled?: () => void;
  onReadOnly?: (client: GuardedClient) => void;
  /** The tables of a prepared statement have changed, so other connections have outdated statements, too. */
  onStaleStatement?: () => void;
  /** A statement sent at `sentAt` got no response. */
  onSilence?: (client: GuardedClient, sentAt: number) => void;
};

export type GuardedConfig = pg.ClientConfig & { guard: Guard };

type Send = () => Promise<unknown>;
type Kind = {
  /** Signal of the statement's work. Undefined: it is never cancelled. */
  signal: AbortSignal | undefined;
  endsTransaction: boolean;
  isCommit: boolean;
};
type Reported = { parameterName: string; parameterValue: string };

/** How long a cancelled statement may keep running before its connection is closed. */
const CANCEL_LIMIT_MS = 1_000;
/** How long the peer may take to close a connection that we have ended. */
const END_LIMIT_MS = 1_000;

// COMMIT and ROLLBACK are never cancelled: the connection would stay in the transaction.
const ENDS_TRANSACTION = /^\s*(commit|rollback)\b(?!\s+to\b)/i;
const COMMITS = /^\s*commit\b/i;
const READ_ONLY_TRANSACTION = '25006';
const FEATURE_NOT_SUPPORTED = '0A000';
// Reported by a session that ends itself. Its socket is closed shortly afterwards.
const ENDS_SESSION = /^(57P0[1-5]|25P0[34]|08)/;
// PostgreSQL 14 and newer report changes of these on their own.
const ROLE_PARAMETERS: ReadonlySet<string> = new Set([
  'in_hot_standby',
  'default_transaction_read_only',
]);

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : String((statement as { text?: unknown }).text ?? '');

/** Reported when a named statement is executed whose result has other types since its tables changed. */
const isStaleStatement = (error: unknown): boolean =>
  codeOf(error) === FEATURE_NOT_SUPPORTED &&
  (error as { routine?: unknown }).routine === 'RevalidateCachedQuery';

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/**
 * A connection on which every statement has a deadline and is cancelled with its work. Statements run one at a time,
 * and none is sent before the cancellation of the previous one has settled.
 */
export class GuardedClient extends pg.Client {
  readonly guard: Guard;
  /** When the last statement got a response. */
  respondedAt = performance.now();
  /** Identifies the server and its start time (epoch). */
  serverEpoch: string | null = null;
  /** Whether the server reports on its own when it becomes read-only. */
  reportsRole = false;
  /** When the server's role was last queried. */
  roleCheckedAt = 0;
  /** Must not be used again. */
  isDropped = false;
  readonly #queue = createStatementQueue();
  readonly #readOnly = new Set<string>();

  constructor(config: GuardedConfig) {
    super(config);
    this.guard = config.guard;
    // An error on a connection without listeners must not end the process.
    this.on('error', () => undefined);
    this.connection.on('parameterStatus', (reported: Reported) => this.#noteReported(reported));

    const plainQuery = super.query.bind(this) as (...args: unknown[]) => Promise<unknown>;
    const query = (...args: unknown[]) => this.#enqueue(textOf(args[0]), () => plainQuery(...args));
    this.query = query as unknown as pg.Client['query'];
  }

  /** Overrides the startup packet of `pg`. */
  getStartupConf(): Record<string, string> {
    const inherited = (
      pg.Client.prototype as unknown as { getStartupConf(): Record<string, string> }
    ).getStartupConf.call(this);
    const { timeZone = 'UTC' } = this.guard;
    return timeZone === null ? inherited : { ...inherited, TimeZone: timeZone };
  }

  /** Resolves when the connection is idle. Null if it is idle now. */
  get settled(): Promise<void> | null {
    return this.#queue.settled();
  }

  /** Whether a transaction is open, possibly in failed state. */
  get isInTransaction(): boolean {
    const status = this.getTransactionStatus();
    return status === 'T' || status === 'E';
  }

  get isReadOnly(): boolean {
    return this.#readOnly.size > 0;
  }

  /** Closes the connection at once. Statements in flight fail. */
  drop(reason: Error = new ConnectionDroppedError('the connection was closed')): void {
    this.isDropped = true;
    this.connection.stream.destroy(reason);
  }

  /** Closes the connection gracefully, and by force if the peer does not respond. */
  override async end(): Promise<void>;
  override async end(callback: (error: Error) => void): Promise<void>;
  override async end(callback?: (error: Error) => void): Promise<void> {
    this.isDropped = true;
    const force = setTimeout(() => this.connection.stream.destroy(), END_LIMIT_MS);
    await super.end().finally(() => clearTimeout(force));
    (callback as (() => void) | undefined)?.();
  }

  #enqueue(text: string, send: Send): Promise<unknown> {
    const endsTransaction = ENDS_TRANSACTION.test(text);
    const signal = endsTransaction ? undefined : currentWork()?.signal;
    const isCommit = COMMITS.test(text);
    const { measure } = this.guard;
    const kind = { signal, endsTransaction, isCommit };
    return this.#queue.run(() =>
      measure ? measure(text, () => this.#run(send, kind)) : this.#run(send, kind),
    );
  }

  #run(send: Send, { signal, endsTransaction, isCommit }: Kind): Promise<unknown> {
    if (signal?.aborted) {
      this.#queue.end();
      return Promise.reject(new CancelledError());
    }
    const { deadlineMs } = this.guard;
    const cancelAfterMs = endsTransaction ? undefined : this.guard.cancelAfterMs;
    const sentAt = performance.now();
    const statement = (async () => send())();
    let cancelling: Promise<void> | undefined;

    return new Promise((resolve, reject) => {
      const ended = statement.then(
        (result) => {
          if (this.#isStale(isCommit)) reject(this.#refuseReadOnly());
          else resolve(result);
        },
        (error: unknown) => {
          if (ENDS_SESSION.test(codeOf(error))) this.isDropped = true;
          if (isStaleStatement(error)) reject(this.#refuseStale());
          else reject(this.#isReadOnlyFailure(error) ? this.#refuseReadOnly() : error);
        },
      );
      const cancel = () => {
        cancelling ??= this.#cancel(ended);
      };
      const onAbort = () => {
        this.guard.onCancelled?.();
        cancel();
        reject(new CancelledError());
      };
      const timers = [
        deadlineMs !== undefined &&
          setTimeout(() => {
            const error = new StatementDeadlineError(deadlineMs);
            reject(error);
            this.drop(error);
            this.guard.onSilence?.(this, sentAt);
          }, deadlineMs),
        cancelAfterMs !== undefined && setTimeout(cancel, cancelAfterMs),
      ];
      if (signal) {
        setMaxListeners(0, signal);
        signal.addEventListener('abort', onAbort, { once: true });
      }

      void ended
        .then(() => {
          this.respondedAt = performance.now();
          for (const timer of timers) if (timer) clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          return cancelling;
        })
        .then(() => this.#queue.end());
    });
  }

  /**
   * Asks the server to cancel the statement. Drops the connection if the statement may still run or the cancellation
   * may hit the next one.
   */
  async #cancel(ended: Promise<void>): Promise<void> {
    const limit = new AbortController();
    const late = delay(CANCEL_LIMIT_MS, false, { signal: limit.signal }).catch(() => false);
    const request = sendCancelRequest(this);
    const isSettled = await Promise.race([
      Promise.all([request, ended]).then(([isDone]) => isDone),
      late,
    ]);
    limit.abort();
    if (!isSettled) this.drop(new ConnectionDroppedError('a cancelled statement did not end'));
  }

  #noteReported({ parameterName, parameterValue }: Reported): void {
    if (this.guard.isPooled || !ROLE_PARAMETERS.has(parameterName)) return;
    this.reportsRole = true;
    if (parameterValue === 'on') this.#readOnly.add(parameterName);
    else this.#readOnly.delete(parameterName);
  }

  /**
   * A read from a stale primary may be outdated and is rejected. A commit is reported, because it has happened there.
   */
  #isStale(isCommit: boolean): boolean {
    if (!this.guard.mustBeWritable || !this.isReadOnly) return false;
    if (isCommit) this.guard.onReadOnly?.(this);
    return !isCommit;
  }

  #isReadOnlyFailure(error: unknown): boolean {
    return this.guard.mustBeWritable === true && codeOf(error) === READ_ONLY_TRANSACTION;
  }

  #refuseStale(): Error {
    this.isDropped = true;
    this.guard.onStaleStatement?.();
    return new StaleStatementError();
  }

  #refuseReadOnly(): Error {
    this.isDropped = true;
    this.guard.onReadOnly?.(this);
    return new ReadOnlyServerError();
  }
}
