import type { Logger } from './logger.js';

/** Lines per minute. Further slow operations are only counted. */
const MAX_LINES = 20;
const WINDOW_MS = 60_000;

type Options = {
  /** Operations that take this long are logged. 0: none. */
  limitMs: number;
  logger: Pick<Logger, 'warn'>;
  onSlow: () => void;
  now?: () => number;
};

/** Logs slow operations, at a bounded rate: they occur in great numbers when the database is slow. */
export const createSlowOperationLog = ({
  limitMs,
  logger,
  onSlow,
  now = () => performance.now(),
}: Options) => {
  let windowStart = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let skipped = 0;

  return (ms: number, facts: () => Record<string, unknown>): void => {
    if (limitMs === 0 || ms < limitMs) return;
    onSlow();
    if (now() - windowStart >= WINDOW_MS) {
      windowStart = now();
      lines = 0;
    }
    if (lines >= MAX_LINES) {
      skipped += 1;
      return;
    }
    lines += 1;
    logger.warn(
      { ...facts(), ms: Math.round(ms), ...(skipped > 0 && { skipped }) },
      'slow operation',
    );
    skipped = 0;
  };
};
