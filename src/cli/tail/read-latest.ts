import { RECORD_FIELDS } from '../events/event-record.js';
import type { EventFilter } from '../events/filter-options.js';
import { findSettledEnd } from '../events/find-settled-end.js';
import { ask } from '../gateway/ask.js';
import type { Gateway } from '../gateway/open-gateway.js';
import type { FollowedEvent } from './follow-events.js';

/** Enough to find one that is settled beside those that are just being written. */
const LEAST = 20;

const LATEST = `query Latest($filter: EventFilter, $count: Int!) {
  events(filter: $filter, first: $count) { edges { cursor node { ${RECORD_FIELDS} } } }
}`;

type Answer = { events: { edges: FollowedEvent[] } };

export type Latest = {
  filter: EventFilter;
  last: number;
  signal: AbortSignal;
  /** Told once, where the end of the log is long in coming. */
  onWait: () => void;
};

/**
 * The newest events, oldest first, and the cursor to follow from: the end of what is settled, whether or not anything
 * has matched so far. Behind a younger event, those would be missed that are written just now and have a smaller number.
 */
export const readLatest = async (
  gateway: Gateway,
  { filter, last, signal, onWait }: Latest,
): Promise<{ events: FollowedEvent[]; cursor: string | null }> => {
  const end = await findSettledEnd(gateway, { filter, signal, onWait });
  const cursor = end?.cursor ?? null;
  if (last === 0) return { events: [], cursor };

  const { data } = await ask<Answer>(gateway, {
    query: LATEST,
    variables: { filter, count: Math.max(last, LEAST) },
    signal,
  });
  const bound = end?.id ?? Number.POSITIVE_INFINITY;
  const settled = data.events.edges.filter(({ node }) => node.id <= bound);
  return { events: settled.slice(0, last).reverse(), cursor };
};
