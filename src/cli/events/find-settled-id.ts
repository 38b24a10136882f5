import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../gateway/ask.js';
import type { Gateway } from '../gateway/open-gateway.js';

type Answer = { eventLog: { settledId: number | null } };

/** A gateway that has just begun knows only when those have finished who are writing. */
const TRIES = 10;
const PAUSE_MS = 300;

/** The number up to which no event will appear any more; null where nobody can tell, as on a replica. */
export const findSettledId = async (
  gateway: Gateway,
  signal: AbortSignal,
): Promise<number | null> => {
  for (let tries = 1; ; tries += 1) {
    const { data } = await ask<Answer>(gateway, { query: '{ eventLog { settledId } }', signal });
    const { settledId } = data.eventLog;
    if (settledId !== null || tries === TRIES) return settledId;
    await delay(PAUSE_MS, undefined, { signal });
  }
};
