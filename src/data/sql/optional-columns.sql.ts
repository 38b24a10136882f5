import { Prisma } from '../db.js';

/**
 * Makes columns that only some Unleash versions have readable on all of them. The inner select names them without an
 * alias: PostgreSQL resolves a name that no table there has to the outer scope, where it is null. The statement stays
 * valid while Unleash is upgraded, and needs privileges only on the columns it names.
 */
export const withOptionalColumns = (
  columns: Readonly<Record<string, 'text' | 'jsonb'>>,
  select: Prisma.Sql,
): Prisma.Sql => {
  const absent = Object.entries(columns).map(([name, type]) => `null::${type} as ${name}`);
  return Prisma.sql`select found.* from (select ${Prisma.raw(absent.join(', '))}) absent
    cross join lateral (${select}) found`;
};
