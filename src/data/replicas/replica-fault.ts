import type { PrimaryStatus, ReplicaStatus } from './replica-status.sql.js';

/** Why a server that responds cannot be used as a replica of the primary. */
export type ReplicaFault =
  /** It was promoted, or never was a replica. */
  | 'not-a-replica'
  /** It replicates another server than the primary, or a former one. */
  | 'of-another-primary';

export const faultOf = (primary: PrimaryStatus, found: ReplicaStatus): ReplicaFault | null => {
  if (!found.isReplica || found.replayed === null) return 'not-a-replica';
  const isSame = found.cluster === primary.cluster && found.timeline === primary.timeline;
  return isSame ? null : 'of-another-primary';
};
