import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../observability/logger.js';
import { collectMetrics } from './collect-metrics.js';
import { sendTo, type WorkerMessage } from './messages.js';

const MIN_RESTART_MS = 1_000;
const MAX_RESTART_MS = 30_000;

type Options = {
  count: number;
  logger: Logger;
  /** Maximum time from SIGTERM to the exit of a worker. */
  stopLimitMs: number;
  /** A terminal sends SIGHUP when it closes; service managers send it to reload. */
  isTerminal: boolean;
};

/** For a worker to report that it could not stop in time. */
const REPORT_MS = 1_000;

/** Runs the same command in several processes that share the port. Resolves when all of them accept requests. */
export const superviseWorkers = async ({
  count,
  logger,
  stopLimitMs,
  isTerminal,
}: Options): Promise<void> => {
  /** Workers that accept requests. */
  const serving = new Set<Worker>();
  const starting = new Set<Promise<void>>();
  const stopping = new Set<Worker>();
  let isStopping = false;
  let isReloading = false;
  let isReloadWanted = false;

  const launch = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = cluster.fork();
      worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'scrape') {
          collectMetrics(serving, worker, message.id).catch((error: unknown) =>
            logger.error({ err: error }, 'failed to collect metrics'),
          );
        }
        if (message.type !== 'ready') return;
        resolve();
        // Messages to a process that has just begun to start are lost.
        if (stopping.has(worker)) stop(worker);
        else serving.add(worker);
      });
      worker.once('exit', (exitCode, signal) => {
        reject(new Error('the worker has exited'));
        stopping.delete(worker);
        // A worker that has to stop no longer serves.
        if (!serving.delete(worker) || isStopping) return;
        logger.error({ worker: worker.process.pid, exitCode, signal }, 'a worker has exited');
        void replace();
      });
    });

  const start = async (): Promise<void> => {
    const started = launch();
    starting.add(started);
    await started.finally(() => starting.delete(started));
  };

  const replace = async (): Promise<void> => {
    for (let waitMs = MIN_RESTART_MS; !isStopping; waitMs = Math.min(2 * waitMs, MAX_RESTART_MS)) {
      await delay(waitMs);
      logger.info('starting a worker');
      try {
        return await start();
      } catch {
        logger.error('a worker did not start again');
      }
    }
  };

  const stop = (worker: Worker, isReplaced = false): void => {
    serving.delete(worker);
    stopping.add(worker);
    sendTo(worker, { type: 'stop', isReplaced });
  };

  /** Each worker goes on until another one has taken its place. */
  const replaceAll = async (): Promise<void> => {
    // These may have started with the files of before.
    await Promise.allSettled(starting);
    for (const worker of [...serving]) {
      if (isStopping) return;
      await start();
      if (serving.has(worker)) stop(worker, true);
    }
  };

  const reload = async (): Promise<void> => {
    isReloadWanted = true;
    if (isReloading) return;
    isReloading = true;
    while (isReloadWanted && !isStopping) {
      isReloadWanted = false;
      logger.info('reloading');
      try {
        await replaceAll();
        logger.info('reloaded');
      } catch {
        logger.error('a worker did not start, the others continue as before');
      }
    }
    isReloading = false;
  };

  const allWorkers = (): Worker[] =>
    Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

  const stopAll = async (signal: string): Promise<void> => {
    const workers = allWorkers();
    const kill = () => {
      for (const worker of workers) worker.process.kill('SIGKILL');
    };
    if (isStopping) {
      kill();
      process.exit(1);
    }
    isStopping = true;
    logger.info({ signal }, 'stopping');
    const exits = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) if (!stopping.has(worker)) stop(worker);
    const codes = await Promise.race([Promise.all(exits), delay(stopLimitMs + REPORT_MS)]);
    kill();
    process.exit(codes?.every((code) => code === 0) ? 0 : 1);
  };

  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stopAll(signal));
  process.on('SIGHUP', (signal) => void (isTerminal ? stopAll(signal) : reload()));
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
