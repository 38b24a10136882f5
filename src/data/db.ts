import { Prisma, PrismaClient } from './generated/prisma/client.js';

export type * from './generated/prisma/client.js';
export { Prisma, PrismaClient };

/** The client or an open transaction: what an operation needs to read and write. */
export type Db = Omit<
  PrismaClient,
  '$connect' | '$disconnect' | '$on' | '$use' | '$extends' | '$transaction'
>;
