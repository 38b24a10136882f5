import type { SqlDriverAdapterFactory, SqlQueryable } from '@prisma/driver-adapter-utils';
import { countRows, countStatement, isMeasured } from './tally.js';

const counted = <Queryable extends SqlQueryable>(queryable: Queryable): Queryable => {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  queryable.queryRaw = async (query) => {
    if (!isMeasured()) return queryRaw(query);
    countStatement();
    const result = await queryRaw(query);
    countRows(result.rows.length);
    return result;
  };
  queryable.executeRaw = (query) => {
    countStatement();
    return executeRaw(query);
  };
  return queryable;
};

/** An adapter whose statements, and the rows they bring, are counted for those who measure their work. */
export const countedAdapter = <Factory extends SqlDriverAdapterFactory>(
  factory: Factory,
): Factory => {
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = counted(await connect());
    const startTransaction = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) =>
      counted(await startTransaction(isolationLevel));
    return adapter;
  };
  return factory;
};
