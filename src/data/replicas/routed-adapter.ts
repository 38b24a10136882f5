import type { SqlDriverAdapterFactory, SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import { databaseFailure } from '../database-failure.js';
import { NoConnectionError } from '../pool/pool-errors.js';
import { currentWork } from '../work/work.js';
import type { Replica } from './replica.js';
import type { Replicas } from './replica-set.js';

/** Sends the reads of units of work that may use a replica to it. Everything else goes to the primary. */
export const routedAdapter = <Factory extends SqlDriverAdapterFactory>(
  factory: Factory,
  replicas: Replicas,
): Factory => {
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    const queryPrimary = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const replica = replicas.current();
      if (!replica) return queryPrimary(query);
      try {
        return await queryReplica(replica, query);
      } catch (error) {
        if (!isFaultOf(replica, error)) throw error;
        const work = currentWork();
        if (work) work.replica = null;
        return queryPrimary(query);
      }
    };
    return adapter;
  };
  return factory;
};

const queryReplica = async (replica: Replica, query: SqlQuery): Promise<SqlResultSet> => {
  replica.running += 1;
  try {
    return await replica.queryable.queryRaw(query);
  } finally {
    replica.running -= 1;
  }
};

/** Whether the primary can run what the replica could not. */
const isFaultOf = (replica: Replica, error: unknown): boolean => {
  // Busy replicas do not burden the primary.
  if (error instanceof NoConnectionError) return false;
  const failure = databaseFailure(error);
  if (failure === 'overloaded') replica.suspect();
  // A conflict: the replica cancelled the read because it had to replay a change of its rows.
  return failure === 'overloaded' || failure === 'conflict';
};
