import { Prisma } from './db.js';

/**
 * Changes when the server was started or the database made. Until then numbers of transactions and places of rows are
 * given out once; after a restore from a backup they are given out again.
 */
export const SERVER_MARK = Prisma.sql`concat_ws('/', extract(epoch from pg_postmaster_start_time()),
  (select oid from pg_database where datname = current_database()))`;
