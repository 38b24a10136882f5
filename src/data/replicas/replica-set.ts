import type { Connection } from '../connection.js';
import { currentWork } from '../work/work.js';
import type { Replica } from './replica.js';
import { type ReplicaState, type WatchedReplica, watchReplica } from './watch-replica.js';

export type ReplicaReport = { place: string; state: ReplicaState; lagMs: number };

export type Replicas = {
  /** The replica that answers the reads of the current work. Null: the primary does. */
  current(): Replica | null;
  /**
   * Afterwards the server that answers the reads of the current work shows everything committed before `since`. Waits
   * for its replica briefly, then moves the work to the primary.
   */
  reach(since: number): Promise<void>;
  /**
   * Resolves when every replica in use shows everything committed before. For facts that are returned to a caller, such
   * as its own write: whatever the caller reads next, here or through another gateway, includes them.
   */
  catchUp(): Promise<void>;
  report(): ReplicaReport[];
  connections(): Connection[];
  close(): Promise<void>;
};

/** For a database without replicas. */
export const NO_REPLICAS: Replicas = {
  current: () => null,
  reach: async () => undefined,
  catchUp: async () => undefined,
  report: () => [],
  connections: () => [],
  close: async () => undefined,
};

type Options = {
  /** Display locations and how to connect. */
  servers: readonly { place: string; open: () => Promise<Connection> }[];
  primary: Pick<Connection, 'probe'>;
  onChange?: ((place: string, state: ReplicaState) => void) | undefined;
};

/** The replicas of a primary. Reads that may be answered by a replica use the least busy one that is in use. */
export const createReplicas = ({ servers, primary, onChange }: Options): Replicas => {
  const watched: WatchedReplica[] = servers.map(({ place, open }) =>
    watchReplica({ place, open, primary, onChange }),
  );
  const inUse = (): Replica[] =>
    watched.flatMap((server) => {
      const replica = server.replica();
      return replica ? [replica] : [];
    });
  const choose = (): Replica | null => {
    const [first, ...others] = inUse();
    if (!first) return null;
    return others.reduce((least, next) => (next.running < least.running ? next : least), first);
  };

  const current = (): Replica | null => {
    const work = currentWork();
    if (!work?.mayReadReplica) return null;
    if (work.replica === undefined) work.replica = choose();
    return work.replica;
  };

  return {
    current,
    reach: async (since) => {
      const replica = current();
      const work = currentWork();
      if (!replica || !work || replica.freshAt() >= since) return;
      await watched.find((server) => server.replica() === replica)?.reach(since);
      if (replica.freshAt() < since) work.replica = null;
    },
    catchUp: async () => {
      const now = performance.now();
      await Promise.all(watched.map(({ reach }) => reach(now)));
    },
    report: () =>
      watched.map(({ place, state, lagMs }) => ({ place, state: state(), lagMs: lagMs() })),
    connections: () =>
      watched.flatMap((server) => {
        const connection = server.connection();
        return connection ? [connection] : [];
      }),
    close: async () => {
      await Promise.all(watched.map(({ close }) => close()));
    },
  };
};
