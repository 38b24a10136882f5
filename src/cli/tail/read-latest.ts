import { RECORD_FIELDS } from '../../export/event-record.js';
import type { EventFilter } from '../../export/filter-options.js';
import { findWatermark } from '../events/find-watermark.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { sendRequest } from '../gateway/send-request.js';
import type { FollowedEvent } from './follow-events.js';

/** Enough to include a settled event besides those still being written. */
const MIN_COUNT = 20;

const LATEST = `query Latest($filter: EventFilter, $count: Int!) {
  events(filter: $filter, first: $count) { edges { cursor node { ${RECORD_FIELDS} } } }
}`;

type QueryResult = { events: { edges: FollowedEvent[] } };

export type Latest = {
  filter: EventFilter;
  last: number;
  signal: AbortSignal;
  /** Called once if the end of the log takes long to determine. */
  onWait: () => void;
};

/**
 * The newest events, oldest first, and the cursor to follow from: the watermark, whether or not anything matched.
 * Following from a newer event would miss events with smaller IDs that are still being written.
 */
export const readLatest = async (
  gateway: Gateway,
  { filter, last, signal, onWait }: Latest,
): Promise<{ events: FollowedEvent[]; cursor: string | null }> => {
  const end = await findWatermark(gateway, { filter, signal, onWait });
  const cursor = end?.cursor ?? null;
  if (last === 0) return { events: [], cursor };

  const { data } = await sendRequest<QueryResult>(gateway, {
    query: LATEST,
    variables: { filter, count: Math.max(last, MIN_COUNT) },
    signal,
  });
  const bound = end?.id ?? Number.POSITIVE_INFINITY;
  const settled = data.events.edges.filter(({ node }) => node.id <= bound);
  return { events: settled.slice(0, last).reverse(), cursor };
};
