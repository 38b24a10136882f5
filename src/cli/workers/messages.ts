import type { Worker } from 'node:cluster';
import type { MetricObject } from '../../observability/metrics.js';

/** From a worker to its supervisor. */
export type WorkerMessage =
  /** The worker accepts requests. */
  | { type: 'ready'; url: string }
  /** A client has requested the metrics of all workers from this one. */
  | { type: 'scrape'; id: number }
  | { type: 'metrics'; id: number; metrics: MetricObject[] };

/** From the supervisor to a worker. */
export type SupervisorMessage =
  /** Finish requests in flight and exit. `isReplaced`: another worker accepts new connections already. */
  | { type: 'stop'; isReplaced: boolean }
  | { type: 'collect'; id: number }
  /** The metrics of all workers as text. */
  | { type: 'scraped'; id: number; text: string };

export const sendTo = (worker: Worker, message: SupervisorMessage): void => {
  // A worker that has just exited fails here.
  if (worker.isConnected()) worker.send(message, () => undefined);
};
