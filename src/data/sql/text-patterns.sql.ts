import { Prisma } from '../db.js';
import { literalPattern } from './conditions.sql.js';

/** Literal, case-sensitive parts of a text; all that are present must match. */
export type TextPattern = { startsWith?: string; contains?: string };

export const matchesPattern = (column: Prisma.Sql, pattern: TextPattern): Prisma.Sql[] => [
  ...(pattern.startsWith === undefined
    ? []
    : [Prisma.sql`${column} like ${`${literalPattern(pattern.startsWith)}%`}`]),
  ...(pattern.contains === undefined
    ? []
    : [Prisma.sql`${column} like ${`%${literalPattern(pattern.contains)}%`}`]),
];
