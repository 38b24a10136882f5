import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlQueryable,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';
import type { DatabaseTimes } from '../database-times.js';
import { untilCancelled } from '../work/work.js';
import type { EmbeddedSession, SessionLease } from './embedded-session.js';
import type { ThreadRequest } from './embedded-thread.js';

const INFO = { provider: 'postgres', adapterName: 'flaggraph-embedded' } as const;

type Send = (request: ThreadRequest) => Promise<unknown>;

const sqlOf = (request: ThreadRequest): string => {
  if ('query' in request) return request.query.sql;
  return 'sql' in request ? request.sql : '';
};

const queryable = (send: Send): SqlQueryable => ({
  ...INFO,
  queryRaw: async (query: SqlQuery) =>
    (await untilCancelled(send({ kind: 'queryRaw', query }))) as SqlResultSet,
  executeRaw: async (query: SqlQuery) =>
    (await untilCancelled(send({ kind: 'executeRaw', query }))) as number,
});

const transaction = (lease: SessionLease): Transaction => ({
  ...queryable(lease.send),
  options: { usePhantomQuery: true },
  commit: async () => {
    try {
      await lease.send({ kind: 'exec', sql: 'COMMIT' });
    } finally {
      lease.release();
    }
  },
  // Not awaited: later statements queue behind it, and a cancelled caller should not wait for a long statement.
  rollback: async () => {
    lease.send({ kind: 'exec', sql: 'ROLLBACK' }).catch(() => undefined);
    lease.release();
  },
});

/** Prisma's driver adapter for the embedded database. Transactions and single statements take turns. */
export const createEmbeddedAdapter = (
  session: EmbeddedSession,
  times: DatabaseTimes,
): SqlDriverAdapterFactory => {
  const take = async (): Promise<SessionLease> => {
    const lease = await times.wait(session.take);
    return {
      ...lease,
      send: (request) => times.statement(sqlOf(request), () => lease.send(request)),
    };
  };

  const send: Send = async (request) => {
    const lease = await take();
    try {
      return await lease.send(request);
    } finally {
      lease.release();
    }
  };

  const startTransaction: SqlDriverAdapter['startTransaction'] = async (isolationLevel) => {
    const lease = await take();
    const level = isolationLevel ? ` ISOLATION LEVEL ${isolationLevel}` : '';
    try {
      await lease.send({ kind: 'exec', sql: `BEGIN${level}` });
    } catch (error) {
      lease.release();
      throw error;
    }
    return transaction(lease);
  };

  const adapter: SqlDriverAdapter = {
    ...queryable(send),
    startTransaction,
    executeScript: async (sql) => {
      await send({ kind: 'exec', sql });
    },
    getConnectionInfo: () => ({ supportsRelationJoins: true }),
    dispose: async () => undefined,
  };
  return { ...INFO, connect: async () => ({ ...adapter }) };
};
