import type { Prisma } from '../db.js';

/** The SQL condition for a value, or none without a value. For lists joined with `and`. */
export const condition = <Value>(
  value: Value | undefined,
  sql: (value: Value) => Prisma.Sql,
): Prisma.Sql[] => (value === undefined ? [] : [sql(value)]);

/** Escapes a text for use in LIKE patterns. */
export const literalPattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
