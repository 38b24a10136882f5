import { Prisma } from '../db.js';
import type { KeysetPage } from '../paging.js';

/** One expression of an order. Never null: items without a value sort as the lowest. */
export type SortKey = {
  sql: Prisma.Sql;
  type: 'text' | 'bigint';
  /** Sorts against the direction of the list, such as the oldest first among the highest weights. */
  isReversed?: boolean;
};

/** The values of the sort keys of one item. */
export type Position = readonly (string | number | bigint)[];

export type OrderedPage = KeysetPage<Position> & { descending?: boolean };

const sqlOf = (value: Position[number] | undefined, type: SortKey['type']): Prisma.Sql =>
  type === 'text' ? Prisma.sql`${String(value)}::text` : Prisma.sql`${BigInt(value ?? 0)}::bigint`;

/** Whether the keys are beyond a position: the first that differs decides. */
const beyond = (keys: readonly SortKey[], position: Position, ascending: boolean): Prisma.Sql => {
  const alternatives = keys.map(({ sql, type, isReversed = false }, index) => {
    const isGreater = ascending !== isReversed;
    const operator = isGreater ? Prisma.sql`>` : Prisma.sql`<`;
    const equal = keys
      .slice(0, index)
      .map((key, before) => Prisma.sql`${key.sql} = ${sqlOf(position[before], key.type)}`);
    const conditions = [...equal, Prisma.sql`${sql} ${operator} ${sqlOf(position[index], type)}`];
    return Prisma.sql`(${Prisma.join(conditions, ' and ')})`;
  });
  return Prisma.sql`(${Prisma.join(alternatives, ' or ')})`;
};

/** Condition for the items of a page, without its limit. */
export const keysetBounds = (keys: readonly SortKey[], page: OrderedPage): Prisma.Sql => {
  const ascending = !page.descending;
  const conditions = [
    Prisma.sql`true`,
    ...(page.after === undefined ? [] : [beyond(keys, page.after, ascending)]),
    ...(page.before === undefined ? [] : [beyond(keys, page.before, !ascending)]),
  ];
  return Prisma.join(conditions, ' and ');
};

/** Reads a backward page from its end. */
export const keysetOrder = (keys: readonly SortKey[], page: OrderedPage): Prisma.Sql => {
  const ascending = !page.descending !== (page.backward ?? false);
  return Prisma.join(
    keys.map(({ sql, isReversed = false }) =>
      ascending === isReversed ? Prisma.sql`${sql} desc` : Prisma.sql`${sql} asc`,
    ),
  );
};
