import type { SqlSession } from '../sql-session.js';

/** Identifies a history of writes: replicas of one primary share it. */
type History = { cluster: string; timeline: number };

/** How far the primary has written. Positions of one history can be compared. */
export type PrimaryStatus = History & { written: number };

/** How far a replica has replayed. Null if the server does not know. */
export type ReplicaStatus = History & { isReplica: boolean; replayed: number | null };

// A commit is visible to others once it is flushed, unless `synchronous_commit` is off.
const PRIMARY_STATUS = `
  SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::float8 AS written,
    ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int AS timeline,
    (SELECT system_identifier::text FROM pg_control_system()) AS cluster`;

// The receiver's timeline is visible to privileged users only. The others follow a failover some minutes later.
const REPLICA_STATUS = `
  SELECT pg_is_in_recovery() AS "isReplica",
    pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 AS replayed,
    greatest(
      (SELECT timeline_id FROM pg_control_checkpoint()),
      (SELECT min_recovery_end_timeline FROM pg_control_recovery()),
      (SELECT received_tli FROM pg_stat_wal_receiver)
    ) AS timeline,
    (SELECT system_identifier::text FROM pg_control_system()) AS cluster`;

const readOne = async <Row>(session: SqlSession, sql: string): Promise<Row> => {
  const { rows } = await session.query<Row>(sql);
  const [row] = rows;
  if (!row) throw new Error('the server did not report its position');
  return row;
};

export const readPrimaryStatus = (session: SqlSession) =>
  readOne<PrimaryStatus>(session, PRIMARY_STATUS);

export const readReplicaStatus = (session: SqlSession) =>
  readOne<ReplicaStatus>(session, REPLICA_STATUS);
