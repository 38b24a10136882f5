import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from './gateway-error.js';

export type Retries = {
  /** Milliseconds before each retry. */
  pauses: readonly number[];
  onPause: (error: GatewayError, ms: number) => void;
  signal: AbortSignal;
};

/** About fifteen seconds in total, long enough for a restart of the gateway. */
export const RETRY_PAUSES: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000];

/** Retries transient failures. */
export const withRetries = async <Result>(
  { pauses, onPause, signal }: Retries,
  work: () => Promise<Result>,
): Promise<Result> => {
  for (const ms of pauses) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GatewayError) || !error.isTransient) throw error;
      onPause(error, ms);
      await delay(ms, undefined, { signal });
    }
  }
  return work();
};
