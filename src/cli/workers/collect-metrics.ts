import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import type { MetricObject } from '../../observability/metrics.js';
import { sendTo, type WorkerMessage } from './messages.js';

/** A worker that does not respond is left out. */
const COLLECT_MS = 1_000;

let nextId = 0;

/** The metrics of one worker. Null if it does not respond in time. */
const readMetrics = (worker: Worker): Promise<MetricObject[] | null> =>
  new Promise((resolve) => {
    nextId += 1;
    const id = nextId;
    const end = (metrics: MetricObject[] | null): void => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      resolve(metrics);
    };
    const onMessage = (message: WorkerMessage): void => {
      if (message.type === 'metrics' && message.id === id) end(message.metrics);
    };
    const timer = setTimeout(end, COLLECT_MS, null);
    worker.on('message', onMessage);
    sendTo(worker, { type: 'collect', id });
  });

/** Sends the metrics of all workers to the one that has to return them. */
export const collectMetrics = async (
  workers: Iterable<Worker>,
  requester: Worker,
  id: number,
): Promise<void> => {
  const all = await Promise.all([...workers].map(readMetrics));
  const collected = all.filter((metrics) => metrics !== null);
  const registry = AggregatorRegistry.aggregate(collected as unknown as object[]);
  sendTo(requester, { type: 'scraped', id, text: await registry.metrics() });
};
