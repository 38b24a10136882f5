import { Prisma } from '../db.js';

/**
 * The epoch: changes when the server restarts or the database is created. Within it, transaction IDs and row locations
 * are assigned once; after a restore from a backup they are assigned again.
 */
export const SERVER_EPOCH = Prisma.sql`concat_ws('/', extract(epoch from pg_postmaster_start_time()),
  (select oid from pg_database where datname = current_database()))`;
