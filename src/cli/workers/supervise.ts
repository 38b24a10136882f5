import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../observability/logger.js';
import { collectMetrics } from './collect-metrics.js';
import type { WorkerMessage } from './messages.js';

const MIN_RESTART_MS = 1_000;
const MAX_RESTART_MS = 30_000;

type Options = {
  count: number;
  logger: Logger;
  /** Maximum time from SIGTERM to the exit of a worker. */
  stopLimitMs: number;
};

/** Runs the same command in several processes that share the port. Resolves when all of them accept requests. */
export const superviseWorkers = async ({ count, logger, stopLimitMs }: Options): Promise<void> => {
  /** Workers that accept requests. */
  const serving = new Set<Worker>();
  let isStopping = false;
  let isReloading = false;

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = cluster.fork();
      worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'scrape') {
          collectMetrics(serving, worker, message.id).catch((error: unknown) =>
            logger.error({ err: error }, 'failed to collect metrics'),
          );
        }
        if (message.type !== 'ready') return;
        serving.add(worker);
        resolve();
      });
      worker.once('exit', (exitCode, signal) => {
        reject(new Error('the worker has exited'));
        // A worker that has to stop no longer serves.
        if (!serving.delete(worker) || isStopping) return;
        logger.error({ worker: worker.process.pid, exitCode, signal }, 'a worker has exited');
        void replace();
      });
    });

  const replace = async (): Promise<void> => {
    for (let waitMs = MIN_RESTART_MS; !isStopping; waitMs = Math.min(2 * waitMs, MAX_RESTART_MS)) {
      await delay(waitMs);
      try {
        return await start();
      } catch {
        logger.error('a worker did not start again');
      }
    }
  };

  const stop = (worker: Worker): void => {
    serving.delete(worker);
    worker.process.kill('SIGTERM');
  };

  /** Each worker goes on until another one has taken its place. */
  const reload = async (): Promise<void> => {
    if (isReloading || isStopping) return;
    isReloading = true;
    logger.info('reloading');
    try {
      for (const worker of [...serving]) {
        await start();
        if (serving.has(worker)) stop(worker);
      }
      logger.info('reloaded');
    } catch {
      logger.error('a worker did not start, the others continue as before');
    }
    isReloading = false;
  };

  const stopAll = async (signal: string): Promise<void> => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    // The second signal ends workers at once.
    for (const worker of workers) stop(worker);
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping');
    const exits = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    const codes = await Promise.race([Promise.all(exits), delay(stopLimitMs)]);
    for (const worker of workers) worker.process.kill('SIGKILL');
    process.exit(codes?.every((code) => code === 0) ? 0 : 1);
  };

  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stopAll(signal));
  process.on('SIGHUP', () => void reload());
  try {
    // The first one alone: it may have to create tables.
    await start();
    await Promise.all(Array.from({ length: count - 1 }, start));
  } catch {
    // The worker has reported why.
    isStopping = true;
    for (const worker of serving) stop(worker);
    process.exitCode = 1;
  }
};
