import type { Connection } from '../connection.js';
import { readDatabaseUrl } from '../pool/database-url.js';
import { openPostgres } from '../postgres.js';
import { faultOf, type ReplicaFault } from './replica-fault.js';
import { readPrimaryStatus, readReplicaStatus } from './replica-status.sql.js';

export type InspectedReplica = {
  /** Display location of the database, without user and password. */
  place: string;
  state: 'usable' | ReplicaFault | 'unreachable';
  /** Why it could not be reached. Null otherwise. */
  reason: string | null;
};

/** Checks once whether a server can be used as a replica of the primary. */
export const inspectReplica = async (
  primary: Connection,
  databaseUrl: string,
): Promise<InspectedReplica> => {
  const { place } = readDatabaseUrl(databaseUrl);
  try {
    const replica = await openPostgres({ databaseUrl, poolSize: 1, isReplica: true });
    try {
      const written = await primary.withSession(readPrimaryStatus);
      const found = await replica.withSession(readReplicaStatus);
      return { place, state: faultOf(written, found) ?? 'usable', reason: null };
    } finally {
      await replica.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { place, state: 'unreachable', reason };
  }
};
