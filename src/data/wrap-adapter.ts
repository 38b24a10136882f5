import type { SqlDriverAdapterFactory, SqlQueryable } from '@prisma/driver-adapter-utils';

/** Wraps each connection of an adapter and each transaction, so that all statements pass through `wrap`. */
export const wrapAdapter = <Factory extends SqlDriverAdapterFactory>(
  factory: Factory,
  wrap: (queryable: SqlQueryable) => void,
): Factory => {
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    wrap(adapter);
    const startTransaction = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolation) => {
      const transaction = await startTransaction(isolation);
      wrap(transaction);
      return transaction;
    };
    return adapter;
  };
  return factory;
};
