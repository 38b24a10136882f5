import type { SqlDriverAdapterFactory, SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import { databaseFailure } from './database-failure.js';
import { assertNotCancelled, countRows, countSize, currentWork } from './work/work.js';
import { wrapAdapter } from './wrap-adapter.js';

type Options = {
  /** Called when a statement names a missing table or column. */
  onUnknownObject?: () => void;
};

// Transactions are rolled back even if their caller has disconnected.
const ROLLBACK = /^\s*rollback\s*$/i;

const FIXED_SIZE = 8;

const sizeOf = ({ rows }: SqlResultSet): number => {
  let size = 0;
  for (const row of rows) {
    for (const value of row) size += typeof value === 'string' ? value.length : FIXED_SIZE;
  }
  return size;
};

/**
 * Counts statements per process and per work, and rejects those of cancelled work. Prisma's own query events carry all
 * parameters, which costs more than some statements do.
 */
export const countedAdapter = <Factory extends SqlDriverAdapterFactory>(
  factory: Factory,
  { onUnknownObject }: Options = {},
) => {
  let statements = 0;
  const begin = ({ sql }: SqlQuery) => {
    if (!ROLLBACK.test(sql)) assertNotCancelled();
    statements += 1;
    const work = currentWork();
    if (work) work.usage.statements += 1;
  };
  const noteFailure = (error: unknown): never => {
    if (databaseFailure(error) === 'unknown-object') onUnknownObject?.();
    throw error;
  };
  const adapter = wrapAdapter(factory, (queryable) => {
    const queryRaw = queryable.queryRaw.bind(queryable);
    const executeRaw = queryable.executeRaw.bind(queryable);
    queryable.queryRaw = async (query) => {
      begin(query);
      const result = await queryRaw(query).catch(noteFailure);
      countRows(result.rows.length);
      countSize(sizeOf(result));
      return result;
    };
    queryable.executeRaw = async (query) => {
      begin(query);
      return executeRaw(query).catch(noteFailure);
    };
  });
  return { adapter, statementCount: () => statements };
};
