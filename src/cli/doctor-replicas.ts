import type { Config } from '../config/config.js';
import type { Connection } from '../data/connection.js';
import { type InspectedReplica, inspectReplica } from '../data/replicas/inspect-replica.js';

const PROBLEMS: Readonly<Record<Exclude<InspectedReplica['state'], 'usable'>, string>> = {
  'not-a-replica': 'the server is not a replica, or does not report how far it has replayed',
  'of-another-primary': 'it replicates another server than the one of DATABASE_URL',
  unreachable: 'it cannot be reached, or has not replicated the tables',
};

export const inspectReplicas = async (
  { replicaUrls }: Config,
  primary: Connection | undefined,
): Promise<InspectedReplica[]> =>
  primary ? Promise.all(replicaUrls.map((url) => inspectReplica(primary, url))) : [];

/** A recommendation for each replica that the gateway would not use. */
export const replicaProblems = (replicas: readonly InspectedReplica[]): string[] =>
  replicas.flatMap(({ place, state, reason }) =>
    state === 'usable'
      ? []
      : [`The replica ${place} is not used: ${PROBLEMS[state]}.${reason ? ` ${reason}` : ''}`],
  );
