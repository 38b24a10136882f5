import type { PGlite } from '@electric-sql/pglite';
import { PrismaPGlite } from 'pglite-prisma-adapter';

type Transaction = ReturnType<PGlite['transaction']>;

/** Hands on everything, and shows each transaction to an observer as it begins. */
const observed = (db: PGlite, observe: (transaction: Transaction) => void): PGlite =>
  new Proxy(db, {
    get: (target, key) => {
      const value = Reflect.get(target, key);
      if (key === 'transaction') {
        return (...args: Parameters<PGlite['transaction']>) => {
          const transaction = target.transaction(...args);
          transaction.catch(() => undefined);
          observe(transaction);
          return transaction;
        };
      }
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** Prisma's adapter for the embedded database; on its own it takes a COMMIT that failed for one that did not. */
export const createEmbeddedAdapter = (db: PGlite): PrismaPGlite => {
  let begun: Transaction | undefined;
  const factory = new PrismaPGlite(
    observed(db, (transaction) => {
      begun = transaction;
    }),
  );

  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    const startTransaction = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) => {
      const starting = startTransaction(isolationLevel);
      const outcome = begun;
      const transaction = await starting;
      const commit = transaction.commit.bind(transaction);
      transaction.commit = async () => {
        await commit();
        await outcome;
      };
      return transaction;
    };
    return adapter;
  };
  return factory;
};
