import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/config.js';
import type { MetricObject } from '../../observability/metrics.js';
import type { SupervisorMessage, WorkerMessage } from './messages.js';

/** Longer than the supervisor waits for other workers. */
const SCRAPE_MS = 2_000;

export const isWorker = (): boolean => cluster.isWorker;

/** Workers start with the same messages for the operator, which only the first one prints. */
export const isFirst = (): boolean => (cluster.worker?.id ?? 1) === 1;

const part = (limit: number, workers: number): number => Math.ceil(limit / workers);

/** The settings of one of several workers: its part of the limits. Memory limits are per process. */
export const shareOf = (config: Config): Config => {
  const { workers, traffic } = config;
  return {
    ...config,
    poolSize: Math.floor(config.poolSize / workers),
    traffic: {
      ...traffic,
      maxConnections: traffic.maxConnections && part(traffic.maxConnections, workers),
      rateLimitPoints: part(traffic.rateLimitPoints, workers),
      authFailuresPerMinute: part(traffic.authFailuresPerMinute, workers),
      maxConcurrentOperations: part(traffic.maxConcurrentOperations, workers),
    },
  };
};

const send = (message: WorkerMessage): void => {
  process.send?.(message);
};

export const reportReady = (url: string): void => send({ type: 'ready', url });

/** What a worker and its supervisor do for each other: metrics of all workers, and stopping. */
export const connectToSupervisor = () => {
  const pending = new Map<number, (text: string) => void>();
  let nextId = 0;
  let read: () => Promise<MetricObject[]> = async () => [];
  let stop: (isReplaced: boolean) => void = () => process.exit(0);
  let isStopping = false;
  // Terminals and service managers signal all processes of a group; the supervisor decides when its workers stop.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  process.on('message', async (message: SupervisorMessage) => {
    if (message.type === 'collect') {
      send({ type: 'metrics', id: message.id, metrics: await read() });
    } else if (message.type === 'scraped') pending.get(message.id)?.(message.text);
    else if (!isStopping) {
      isStopping = true;
      stop(message.isReplaced);
    }
  });
  // A worker that cannot start exits, although its supervisor could still send messages.
  process.channel?.unref();
  return {
    onStop: (stopServing: (isReplaced: boolean) => void): void => {
      stop = stopServing;
    },
    provideMetrics: (readOwn: () => Promise<MetricObject[]>): void => {
      read = readOwn;
    },
    /** Metrics of all workers as text. Null if the supervisor does not respond in time. */
    scrape: async (): Promise<string | null> => {
      nextId += 1;
      const id = nextId;
      const answer = new Promise<string>((resolve) => pending.set(id, resolve));
      send({ type: 'scrape', id });
      const text = await Promise.race([answer, delay(SCRAPE_MS, null, { ref: false })]);
      pending.delete(id);
      return text;
    },
  };
};
