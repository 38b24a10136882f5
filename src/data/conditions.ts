import type { Prisma } from './db.js';

/** The condition that a value sets, or none where there is no value; for lists that are joined with `and`. */
export const condition = <Value>(
  value: Value | undefined,
  sql: (value: Value) => Prisma.Sql,
): Prisma.Sql[] => (value === undefined ? [] : [sql(value)]);
