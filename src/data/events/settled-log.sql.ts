import { type Db, Prisma, type Sql } from '../db.js';
import { SERVER_EPOCH } from '../sql/server-epoch.sql.js';

/**
 * Changes when events are deleted, the table is rewritten, the server is started or the database is created, be it
 * from a backup or as a standby that takes over. Deletions are reported some seconds after their transaction.
 */
export const LOG_EPOCH = Prisma.sql`concat_ws('/', pg_relation_filenode('events'::regclass),
  pg_stat_get_tuples_deleted('events'::regclass), ${SERVER_EPOCH})`;

/** The server in a `LOG_EPOCH`; changes with every start and every failover. */
export const serverOf = (epoch: string): string => epoch.split('/').slice(-2).join('/');

/** Number of events before an ID that are compared after a failover. */
const TAIL = 100;

/** Fingerprint of the last events up to an ID. */
const tailUpTo = (id: Sql): Sql => Prisma.sql`(
  select hashtextextended(string_agg(concat_ws('/', t.id, t.type, t.created_by, t.created_at), ',' order by t.id), 0)::text
  from (select * from events where id <= ${id} order by id desc limit ${TAIL}::int) t)`;

export type LogSnapshot = {
  last: number;
  drawn: number;
  mark: string;
  nextTail: string | null;
  knownTail: string | null;
  writers: string[];
  seesWriters: boolean;
  seesDeletes: boolean;
};

/** The fingerprints are those up to `next`, by default the newest event, and up to `known`. */
export const readLogSnapshot = async (
  db: Db,
  { next, known }: { next: number | null; known: number },
): Promise<LogSnapshot> => {
  const [snapshot] = await db.$queryRaw<[LogSnapshot]>(Prisma.sql`
    select newest.last, ${LOG_EPOCH} as mark,
      coalesce((
        select least(pg_sequence_last_value(seqrelid), 2147483647)::int from pg_sequence
        where seqrelid = pg_get_serial_sequence('events', 'id')::regclass
          and has_sequence_privilege(seqrelid, 'usage, select')
      ), 0) as drawn,
      ${tailUpTo(Prisma.sql`coalesce(${next}::int, newest.last)`)} as "nextTail",
      ${tailUpTo(Prisma.sql`${known}`)} as "knownTail",
      -- An insert takes this lock before it draws its id and keeps it until it is committed.
      array(
        select distinct virtualtransaction from pg_locks
        where locktype = 'relation' and relation = 'events'::regclass and mode = 'RowExclusiveLock'
          and database = (select oid from pg_database where datname = current_database())
          and pid is distinct from pg_backend_pid()
      ) as writers,
      current_setting('track_counts')::bool as "seesDeletes",
      not pg_is_in_recovery() and not exists (
        select from pg_subscription_rel where srrelid = 'events'::regclass
      ) and coalesce((
        select seqcache = 1 from pg_sequence
        where seqrelid = pg_get_serial_sequence('events', 'id')::regclass
      ), false) as "seesWriters"
    from (select coalesce((select max(id) from events), 0) as last) newest`);
  return snapshot;
};
