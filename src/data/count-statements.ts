import type { SqlDriverAdapterFactory, SqlQueryable } from '@prisma/driver-adapter-utils';

/**
 * Counts the statements that go through an adapter, those inside of transactions too. Prisma itself tells of each
 * statement only together with all of its parameters, which costs more than some statements do.
 */
export const countStatements = (factory: SqlDriverAdapterFactory): (() => number) => {
  let count = 0;
  const counted = <Target extends SqlQueryable>(target: Target): Target => {
    const queryRaw = target.queryRaw.bind(target);
    const executeRaw = target.executeRaw.bind(target);
    target.queryRaw = (query) => {
      count += 1;
      return queryRaw(query);
    };
    target.executeRaw = (query) => {
      count += 1;
      return executeRaw(query);
    };
    return target;
  };

  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = counted(await connect());
    const startTransaction = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolation) => counted(await startTransaction(isolation));
    return adapter;
  };
  return () => count;
};
