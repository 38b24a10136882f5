import { Gauge, type Registry } from 'prom-client';

export type ReplicaSource = {
  report(): { place: string; state: string; lagMs: number }[];
};

/** Which replicas are used, and how old their data can be. */
export const addReplicaMetrics = (registers: Registry[], { report }: ReplicaSource): void => {
  new Gauge({
    name: 'flaggraph_replica_in_use',
    help: 'Whether reads are sent to the replica.',
    labelNames: ['replica'],
    // Of several workers.
    aggregator: 'min',
    registers,
    collect() {
      for (const { place, state } of report()) {
        this.set({ replica: place }, state === 'in-use' ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'flaggraph_replica_lag_seconds',
    help: 'How old the data of the replica can be.',
    labelNames: ['replica'],
    aggregator: 'max',
    registers,
    collect() {
      for (const { place, lagMs } of report()) this.set({ replica: place }, lagMs / 1_000);
    },
  });
};
