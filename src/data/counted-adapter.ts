import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { countRows, countStatement, isMeasured } from './tally.js';
import { wrapAdapter } from './wrap-adapter.js';

/**
 * Counts the statements that go through an adapter: all of them, and, with the rows they bring, for those who measure
 * their work. Prisma itself tells of each statement only together with all of its parameters, which costs more than some
 * statements do.
 */
export const countedAdapter = <Factory extends SqlDriverAdapterFactory>(factory: Factory) => {
  let statements = 0;
  const adapter = wrapAdapter(factory, (queryable) => {
    const queryRaw = queryable.queryRaw.bind(queryable);
    const executeRaw = queryable.executeRaw.bind(queryable);
    queryable.queryRaw = async (query) => {
      statements += 1;
      if (!isMeasured()) return queryRaw(query);
      countStatement();
      const result = await queryRaw(query);
      countRows(result.rows.length);
      return result;
    };
    queryable.executeRaw = (query) => {
      statements += 1;
      countStatement();
      return executeRaw(query);
    };
  });
  return { adapter, statementCount: () => statements };
};
