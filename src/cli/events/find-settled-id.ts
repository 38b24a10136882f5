import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../gateway/ask.js';
import type { Gateway } from '../gateway/open-gateway.js';

type Answer = { eventLog: { settledId: number | null; canSettle: boolean } };

const PAUSE_MS = 300;

/**
 * The number up to which no event will appear any more; null where nobody can tell, as on a replica. A gateway that has
 * just begun knows only when those have finished who are writing, so that may take as long as they do.
 */
export const findSettledId = async (
  gateway: Gateway,
  signal: AbortSignal,
): Promise<number | null> => {
  for (;;) {
    const { data } = await ask<Answer>(gateway, {
      query: '{ eventLog { settledId canSettle } }',
      signal,
    });
    const { settledId, canSettle } = data.eventLog;
    if (settledId !== null || !canSettle) return settledId;
    await delay(PAUSE_MS, undefined, { signal });
  }
};
