import type { Connection, PoolState } from '../connection.js';
import { readDatabaseUrl } from '../pool/database-url.js';
import { openPostgres, type PostgresOptions } from '../postgres.js';
import { createReplicas, NO_REPLICAS, type Replicas } from './replica-set.js';
import type { ReplicaState } from './watch-replica.js';

type Options = Omit<PostgresOptions, 'databaseUrl'> & {
  replicaUrls?: readonly string[] | undefined;
  onReplicaChange?: ((place: string, state: ReplicaState) => void) | undefined;
};

/** Connects to the replicas in the background: the gateway starts without them, too. */
export const openReplicas = (
  primary: Connection,
  { replicaUrls = [], onReplicaChange, ...options }: Options,
): Replicas => {
  if (primary.kind === 'embedded' || replicaUrls.length === 0) return NO_REPLICAS;
  const servers = replicaUrls.map((databaseUrl) => ({
    place: readDatabaseUrl(databaseUrl).place,
    open: () => openPostgres({ ...options, databaseUrl, isReplica: true }),
  }));
  return createReplicas({ servers, primary, onChange: onReplicaChange });
};

/** Connections to all servers. */
export const poolOf = (servers: readonly Connection[]): PoolState => {
  const sum: PoolState = { open: 0, idle: 0, waiting: 0 };
  for (const { pool } of servers) {
    const state = pool?.() ?? { open: 0, idle: 0, waiting: 0 };
    sum.open += state.open;
    sum.idle += state.idle;
    sum.waiting += state.waiting;
  }
  return sum;
};

/** Cancelled statements on all servers. */
export const cancelledOn = (servers: readonly Connection[]): number =>
  servers.reduce((sum, { cancelledCount }) => sum + (cancelledCount?.() ?? 0), 0);
