import pg from 'pg';
import type { PoolState } from '../connection.js';
import type { DatabaseTimes } from '../database-times.js';
import { CancelledError, currentWork, runDetached } from '../work/work.js';
import { createFairSlots } from './fair-slots.js';
import { type Guard, GuardedClient } from './guarded-client.js';
import {
  ConnectionDroppedError,
  StaleStatementError,
  StatementDeadlineError,
} from './pool-errors.js';
import { checkRole } from './session-settings.js';

export type PoolOptions = {
  config: pg.ClientConfig;
  size: number;
  guard: Guard;
  times: DatabaseTimes;
  /** Sets up a new connection. If it rejects, the connection is closed. */
  prepare: (client: GuardedClient) => Promise<void>;
  /** A statement got no response: connections outside of the pool may be dead, too. */
  onSilence?: () => void;
};

export type GuardedPool = {
  /** For Prisma's adapter, which uses `query` and `connect`. */
  pool: pg.Pool;
  state(): PoolState;
  /** Reports the server that a new connection outside of the pool leads to. */
  noteServer(epoch: string | null): void;
  /** Closes all connections, even those in use. */
  dropAll(reason: string): void;
  /** Statements cancelled on the server so far. */
  cancelledCount(): number;
  /** Waits briefly for statements in flight, then closes all connections. */
  close(): Promise<void>;
};

type Release = (error?: Error | boolean) => void;
type PooledClient = GuardedClient & { release: Release };

/** Bounds how long a connection to a former primary can survive. */
const MAX_LIFETIME_SECONDS = 300;
const IDLE_TIMEOUT_MS = 30_000;
/** Maximum wait for a free connection. Opening one has its own timeout. */
const WAIT_MS = 5_000;
const PREPARE_LIMIT_MS = 5_000;
const CLOSE_LIMIT_MS = 1_500;
/** How often the role is checked on servers that don't report it. */
const ROLE_CHECK_MS = 5_000;

/**
 * A pool of guarded connections that callers share fairly. The wait for a connection ends with its work. A connection
 * is reused only when it is idle and outside of a transaction, and never once it was found dead, read-only or on
 * another server than the rest.
 */
export const createPool = ({
  config,
  size,
  guard,
  times,
  prepare,
  onSilence,
}: PoolOptions): GuardedPool => {
  const clients = new Set<GuardedClient>();
  const idle = new Set<GuardedClient>();
  const slots = createFairSlots({ size, waitMs: WAIT_MS });
  let cancelled = 0;
  let serverEpoch: string | null = null;

  const dropWhere = (isUntrusted: (client: GuardedClient) => boolean, reason: string): void => {
    for (const client of clients) {
      if (!isUntrusted(client)) continue;
      // Connections in use are closed when they are released.
      client.isDropped = true;
      if (idle.has(client)) client.drop(new ConnectionDroppedError(reason));
    }
  };

  const noteServer = (epoch: string | null): void => {
    if (!guard.mustBeWritable || epoch === serverEpoch) return;
    // The address now leads to another server: the other connections may lead to a stale primary.
    if (serverEpoch !== null) {
      dropWhere((other) => other.serverEpoch !== epoch, 'the database server has changed');
    }
    serverEpoch = epoch;
  };

  const settleNew = async (client: GuardedClient): Promise<void> => {
    clients.add(client);
    const force = setTimeout(
      () => client.drop(new StatementDeadlineError(PREPARE_LIMIT_MS)),
      PREPARE_LIMIT_MS,
    );
    // All callers share a new connection, so the caller that requested it must not cancel its setup.
    try {
      await runDetached(() => prepare(client));
    } catch (error) {
      clients.delete(client);
      throw error;
    } finally {
      clearTimeout(force);
    }
    noteServer(client.serverEpoch);
  };

  const guarded: Guard = {
    ...guard,
    measure: times.statement,
    onCancelled: () => {
      cancelled += 1;
    },
    onReadOnly: () => dropWhere(() => true, 'the database has become read-only'),
    onStaleStatement: () => dropWhere(() => true, 'the tables of a statement have changed'),
    onSilence: (_client, sentAt) => {
      for (const other of clients) {
        if (other.respondedAt < sentAt || idle.has(other)) {
          other.drop(new ConnectionDroppedError('the database does not respond'));
        }
      }
      onSilence?.();
    },
  };

  const pool = new pg.Pool({
    ...config,
    max: size,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    Client: GuardedClient as unknown as new () => pg.ClientBase,
    onConnect: (client: pg.ClientBase) => settleNew(client as GuardedClient),
    ...{ guard: guarded },
  });
  // The pool itself removes a connection that breaks while idle. Without a listener, the event would end the process.
  pool.on('error', () => undefined);
  pool.on('acquire', (client) => idle.delete(client as unknown as GuardedClient));
  pool.on('remove', (client) => {
    clients.delete(client as unknown as GuardedClient);
    idle.delete(client as unknown as GuardedClient);
  });

  const returnToPool = (client: PooledClient, release: Release, error?: Error | boolean): void => {
    if (client.isDropped) client.drop();
    const isUnfit = error || client.isDropped || client.isInTransaction;
    if (!isUnfit) idle.add(client);
    release(isUnfit ? true : undefined);
  };
  const withRelease = (client: PooledClient, releaseSlot: () => void): PooledClient => {
    const { release } = client;
    client.release = (error) => {
      const end = () => {
        returnToPool(client, release, error);
        releaseSlot();
      };
      const { settled } = client;
      if (settled) void settled.then(end);
      else end();
    };
    return client;
  };
  const plainConnect = pool.connect.bind(pool) as unknown as () => Promise<PooledClient>;
  const connect = async (releaseSlot: () => void): Promise<PooledClient> => {
    try {
      return withRelease(await plainConnect(), releaseSlot);
    } catch (error) {
      releaseSlot();
      throw error;
    }
  };
  const takeNow = async (): Promise<PooledClient> => {
    const releaseSlot = await slots.enter();
    const client = await untilAborted(connect(releaseSlot));
    try {
      if (needsRoleCheck(client)) await checkRole(client);
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (!client.isDropped) return client;
    client.release(true);
    return takeNow();
  };
  const take = () => times.wait(takeNow);
  const queryOnce = async (...args: Parameters<pg.Pool['query']>): Promise<unknown> => {
    const client = await take();
    try {
      return await client.query(...args);
    } finally {
      client.release();
    }
  };
  /** A new connection prepares its statements again. */
  const query = (...args: Parameters<pg.Pool['query']>): Promise<unknown> =>
    queryOnce(...args).catch((error: unknown) => {
      if (error instanceof StaleStatementError) return queryOnce(...args);
      throw error;
    });
  pool.connect = take as unknown as pg.Pool['connect'];
  pool.query = query as unknown as pg.Pool['query'];

  return {
    pool,
    state: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: slots.waiting() }),
    noteServer,
    dropAll: (reason) => {
      for (const client of clients) client.drop(new ConnectionDroppedError(reason));
    },
    cancelledCount: () => cancelled,
    close: async () => {
      let force: NodeJS.Timeout | undefined;
      const forced = new Promise<void>((resolve) => {
        force = setTimeout(() => {
          for (const client of clients) client.drop();
          resolve();
        }, CLOSE_LIMIT_MS);
      });
      await Promise.race([pool.end(), forced]).finally(() => clearTimeout(force));
    },
  };
};

/** Servers that don't report role changes are polled. */
const needsRoleCheck = ({ guard, reportsRole, roleCheckedAt }: GuardedClient): boolean =>
  guard.mustBeWritable === true &&
  !reportsRole &&
  performance.now() - roleCheckedAt > ROLE_CHECK_MS;

/** Stops waiting for a connection when the work is aborted. The connection goes to the next waiter. */
const untilAborted = async (arriving: Promise<PooledClient>): Promise<PooledClient> => {
  const signal = currentWork()?.signal;
  if (!signal) return arriving;

  let cancel = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    cancel = () => reject(new CancelledError());
  });
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    return await Promise.race([arriving, aborted]);
  } catch (error) {
    void arriving.then(
      (client) => client.release(),
      () => undefined,
    );
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};
