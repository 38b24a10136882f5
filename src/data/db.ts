import { Prisma, PrismaClient } from './generated/prisma/client.js';

export type * from './generated/prisma/client.js';
export { Prisma, PrismaClient };

/** A part of a statement that is passed on. Only `*.sql.ts` files contain SQL. */
export type Sql = Prisma.Sql;

type Kept = Exclude<
  keyof PrismaClient,
  '$connect' | '$disconnect' | '$on' | '$use' | '$extends' | '$transaction'
>;

/**
 * The client or an open transaction. Omits `findUnique`: Prisma batches those of several requests under the first one,
 * so cancelling it would cancel the rest.
 */
export type Db = {
  [Key in Kept]: Key extends `$${string}`
    ? PrismaClient[Key]
    : Omit<PrismaClient[Key], 'findUnique' | 'findUniqueOrThrow'>;
};
