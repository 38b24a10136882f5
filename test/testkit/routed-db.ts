import type { Db, Prisma } from '../../src/data/db.js';

/** A database that routes statements to several others, like a pool with connections to two servers. */
export const createRoutedDb = (route: (statement: Prisma.Sql) => Db): Db => {
  const routed = {
    $queryRaw: (statement: Prisma.Sql) => route(statement).$queryRaw(statement),
  };
  return routed as unknown as Db;
};

/** Whether a statement reads the watermark. */
export const readsWatermark = ({ sql }: Prisma.Sql): boolean => sql.includes('pg_locks');
