import { type Db, Prisma } from '../../data/db.js';
import { SERVER_MARK } from '../../data/server-mark.js';

/**
 * Changes when events were deleted, the whole table was written anew, or the server was started or the database made,
 * be it from a backup or as a standby that takes over. The server tells of deleted rows some seconds after their
 * transaction.
 */
export const LOG_MARK = Prisma.sql`concat_ws('/', pg_relation_filenode('events'::regclass),
  pg_stat_get_tuples_deleted('events'::regclass), ${SERVER_MARK})`;

// An insert takes this lock before it draws its id and keeps it until it is committed.
const LOOK = Prisma.sql`
  select coalesce((select max(id) from events), 0) as last, ${LOG_MARK} as mark,
    coalesce((
      select least(pg_sequence_last_value(seqrelid), 2147483647)::int from pg_sequence
      where seqrelid = pg_get_serial_sequence('events', 'id')::regclass
        and has_sequence_privilege(seqrelid, 'usage, select')
    ), 0) as drawn,
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
    ), false) as "seesWriters"`;

/** A transaction that is prepared for a commit by somebody else has another name than it had before. */
const PREPARED = /^-1\//;

type Look = {
  last: number;
  drawn: number;
  mark: string;
  writers: string[];
  seesWriters: boolean;
  seesDeletes: boolean;
};

/** Up to `bound` no event will appear any more; `mark` names the state of the table in which that was found. */
export type Settled = { bound: number; mark: string };

export type LogState = {
  /** The largest id there is. */
  last: number;
  /** The largest id that was ever handed out, also to an event that is gone; `last` where the sequence may not be read. */
  drawn: number;
  /** How far the log is settled by now; null while somebody writes whose ids are not known, or for ever. */
  settled: Settled | null;
  /** Whether those who write events can be seen from here; if not, the log never counts as settled. */
  seesWriters: boolean;
  /** Whether the mark would tell of deleted events. */
  seesDeletes: boolean;
};

export type SettledLog = { look(): Promise<LogState> };

/**
 * Finds out up to which id the log is complete. Ids are drawn before they are committed, so the largest one is final
 * only when everybody who was writing when it was seen has finished. On a replica, or where events come from another
 * server, the writers are out of sight.
 */
export const createSettledLog = (db: Db): SettledLog => {
  let settled: Settled | null = null;
  let waiting: { last: number; mark: string; writers: ReadonlySet<string> } | null = null;

  const judge = ({ last, mark, writers }: Look): Settled | null => {
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
    const { last, seesWriters, seesDeletes } = found;
    const drawn = Math.max(last, found.drawn);
    return { last, drawn, settled: seesWriters ? judge(found) : null, seesWriters, seesDeletes };
  };

  // One at a time: an answer that overtakes a later one would say that writers are gone whom it has not seen yet.
  let looking: Promise<LogState> | null = null;
  return {
    look: () => {
      looking ??= look().finally(() => {
        looking = null;
      });
      return looking;
    },
  };
};
