import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../gateway/ask.js';
import type { Gateway } from '../gateway/open-gateway.js';
import type { EventFilter } from './filter-options.js';

const QUERY = `query SettledEnd($filter: EventFilter) {
  eventLog { settledId canSettle cursor(filter: $filter) }
}`;

type Answer = {
  eventLog: { settledId: number | null; canSettle: boolean; cursor: string | null };
};

const PAUSE_MS = 300;
/** Most who write have finished by then. */
const WORTH_TELLING_MS = 2_000;

/** What to say to somebody who waits for the end of the log. */
export const WAITING =
  'Somebody has written events in a transaction that is still open. Waiting for its end, so that none of them is missed …';

export type SettledEndOptions = {
  /** Events that will be read or followed from there. Default all. */
  filter?: EventFilter;
  signal: AbortSignal;
  /** Told once, where it takes long. */
  onWait: () => void;
};

/**
 * The place up to which no event will appear any more, and its cursor; null where nobody can tell, as on a replica. A
 * gateway that has just begun knows only when those have finished who are writing, so that may take as long as they do.
 */
export const findSettledEnd = async (
  gateway: Gateway,
  { filter = {}, signal, onWait }: SettledEndOptions,
): Promise<{ id: number; cursor: string } | null> => {
  const begunAt = performance.now();
  let hasTold = false;
  for (;;) {
    const { data } = await ask<Answer>(gateway, { query: QUERY, variables: { filter }, signal });
    const { settledId: id, canSettle, cursor } = data.eventLog;
    if (id !== null && cursor !== null) return { id, cursor };
    if (!canSettle) return null;
    if (!hasTold && performance.now() - begunAt > WORTH_TELLING_MS) {
      onWait();
      hasTold = true;
    }
    await delay(PAUSE_MS, undefined, { signal });
  }
};
