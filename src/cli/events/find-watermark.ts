import { setTimeout as delay } from 'node:timers/promises';
import type { EventFilter } from '../../export/filter-options.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { sendRequest } from '../gateway/send-request.js';

const QUERY = `query SettledEnd($filter: EventFilter) {
  eventLog { settledId canSettle cursor(filter: $filter) }
}`;

type QueryResult = {
  eventLog: { settledId: number | null; canSettle: boolean; cursor: string | null };
};

const PAUSE_MS = 300;
/** Most open transactions have ended by then. */
const NOTIFY_AFTER_MS = 2_000;

/** Shown while waiting for the end of the log. */
export const WAITING =
  'Waiting for an open transaction that has written events, so that none of them is missed …';

export type WatermarkOptions = {
  /** Events to read or follow from there. Default all. */
  filter?: EventFilter;
  signal: AbortSignal;
  /** Called once if it takes long. */
  onWait: () => void;
};

/**
 * The watermark of the event log and its cursor. Null if it can't be determined, as on a replica. A gateway that has
 * just started must wait until the open transactions have ended, which takes as long as they do.
 */
export const findWatermark = async (
  gateway: Gateway,
  { filter = {}, signal, onWait }: WatermarkOptions,
): Promise<{ id: number; cursor: string } | null> => {
  const startedAt = performance.now();
  let hasNotified = false;
  for (;;) {
    const { data } = await sendRequest<QueryResult>(gateway, {
      query: QUERY,
      variables: { filter },
      signal,
    });
    const { settledId: id, canSettle, cursor } = data.eventLog;
    if (id !== null && cursor !== null) return { id, cursor };
    if (!canSettle) return null;
    if (!hasNotified && performance.now() - startedAt > NOTIFY_AFTER_MS) {
      onWait();
      hasNotified = true;
    }
    await delay(PAUSE_MS, undefined, { signal });
  }
};
