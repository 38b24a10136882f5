import type { Config } from '../config/config.js';
import type { Connection } from '../data/connection.js';
import { type InspectedReplica, inspectReplica } from '../data/replicas/inspect-replica.js';

const PROBLEMS: Readonly<Record<Exclude<InspectedReplica['state'], 'usable'>, string>> = {
  'not-a-replica': 'the server is not a replica, or does not report how far it has replayed',
  'of-another-primary': 'it replicates another server than the one of DATABASE_URL',
  unreachable: 'it cannot be reached, or has not replicated the tables',
};

/** A recommendation for each replica that the gateway would not use. */
export const replicaProblems = async (
  { replicaUrls }: Config,
  primary: Connection | undefined,
): Promise<string[]> => {
  if (!primary) return [];
  const replicas = await Promise.all(replicaUrls.map((url) => inspectReplica(primary, url)));
  return replicas.flatMap(({ place, state }) =>
    state === 'usable' ? [] : [`The replica ${place} is not used: ${PROBLEMS[state]}.`],
  );
};
