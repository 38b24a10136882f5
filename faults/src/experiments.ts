import type { Experiment } from './experiment.js';
import { deadPeers } from './experiments/dead-peers.js';
import { failover } from './experiments/failover.js';
import { fairness } from './experiments/fairness.js';
import { fuzz } from './experiments/fuzz.js';
import { integrity } from './experiments/integrity.js';
import { memory } from './experiments/memory.js';
import { pgbouncer } from './experiments/pgbouncer.js';
import { proxies } from './experiments/proxies.js';
import { soak } from './experiments/soak.js';
import { websockets } from './experiments/websockets.js';

/** In order of execution. Experiments of one round run concurrently, because they measure no latencies. */
export const ROUNDS: readonly (readonly Experiment[])[] = [
  [memory],
  [fairness],
  [websockets],
  [deadPeers],
  [failover, pgbouncer],
  [proxies],
  [fuzz, integrity, soak],
];

export const EXPERIMENTS = ROUNDS.flat();
