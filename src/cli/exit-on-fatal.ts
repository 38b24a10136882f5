import { settledWithin } from '../data/timeouts.js';
import type { Logger } from '../observability/logger.js';

export type FatalExit = {
  /** Runs before the process exits, last added first. */
  onExit(close: () => Promise<void>): void;
  /** Logs one line and exits with status 1. */
  exit(error: unknown, message: string): void;
};

// After an unhandled error the state is unknown: close what can be closed, and wait for nothing else.
const CLOSE_LIMIT_MS = 5_000;

/** Turns uncaught exceptions and unhandled rejections into one log line and an orderly exit. */
export const exitOnFatal = (logger: Logger): FatalExit => {
  const closers: (() => Promise<void>)[] = [];
  let isEnding = false;

  const exit = async (error: unknown, message: string): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    logger.fatal({ err: error }, message);
    for (const close of closers.reverse()) {
      await settledWithin(CLOSE_LIMIT_MS, Promise.resolve().then(close));
    }
    process.exit(1);
  };
  process.on('uncaughtException', (error) => exit(error, 'uncaught exception'));
  process.on('unhandledRejection', (reason) => exit(reason, 'unhandled rejection'));
  return { onExit: (close) => closers.push(close), exit };
};
