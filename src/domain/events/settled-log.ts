import { type Db, Prisma } from '../../data/db.js';

/**
 * Changes when events were deleted, the whole table was written anew, or the server was started, be it from a backup or
 * as a standby that takes over. The server tells of deleted rows some seconds after their transaction.
 */
export const LOG_MARK = Prisma.sql`concat_ws('/', pg_relation_filenode('events'::regclass),
  pg_stat_get_tuples_deleted('events'::regclass), extract(epoch from pg_postmaster_start_time()))`;

// An insert takes this lock before it draws its id and keeps it until it is committed.
const LOOK = Prisma.sql`
  select coalesce((select max(id) from events), 0) as last, ${LOG_MARK} as mark,
    array(
      select distinct virtualtransaction from pg_locks
      where locktype = 'relation' and relation = 'events'::regclass and mode = 'RowExclusiveLock'
        and database = (select oid from pg_database where datname = current_database())
        and pid is distinct from pg_backend_pid()
    ) as writers,
    not pg_is_in_recovery() and current_setting('track_counts')::bool and not exists (
      select from pg_subscription_rel where srrelid = 'events'::regclass
    ) and coalesce((
      select seqcache = 1 from pg_sequence
      where seqrelid = pg_get_serial_sequence('events', 'id')::regclass
    ), false) as "isTelling"`;

/** A transaction that is prepared for a commit by somebody else has another name than it had before. */
const PREPARED = /^-1\//;

type Look = { last: number; mark: string; writers: string[]; isTelling: boolean };

/** Up to `bound` no event will appear any more; `mark` names the state of the table in which that was found. */
export type Settled = { bound: number; mark: string };

export type SettledLog = {
  /** How far the log is settled by now; null where that cannot be known. */
  look(): Promise<Settled | null>;
};

/**
 * Finds out up to which id the log is complete. Ids are drawn before they are committed, so the largest one is final
 * only when everybody who was writing when it was seen has finished. On a replica, or where events come from another
 * server, the writers are out of sight.
 */
export const createSettledLog = (db: Db): SettledLog => {
  let settled: Settled | null = null;
  let waiting: { last: number; mark: string; writers: ReadonlySet<string> } | null = null;

  const judge = ({ last, mark, writers, isTelling }: Look): Settled | null => {
    if (!isTelling) return null;
    if (settled && (settled.mark !== mark || settled.bound > last)) settled = null;
    if (waiting && (waiting.mark !== mark || waiting.last > last)) waiting = null;
    const seen = { last, mark, writers: new Set(writers) };
    waiting ??= seen;
    const { writers: awaited } = waiting;
    const stillWriting = writers.some((writer) => awaited.has(writer) || PREPARED.test(writer));
    if (!stillWriting) {
      settled = { bound: waiting.last, mark };
      waiting = writers.length === 0 ? null : seen;
    }
    return settled;
  };

  const look = async () => {
    const [found] = await db.$queryRaw<[Look]>(LOOK);
    return judge(found);
  };

  // One at a time: an answer that overtakes a later one would say that writers are gone whom it has not seen yet.
  let looking: Promise<Settled | null> | null = null;
  return {
    look: () => {
      looking ??= look().finally(() => {
        looking = null;
      });
      return looking;
    },
  };
};
