import { RECORD_FIELDS } from '../events/event-record.js';
import type { EventFilter } from '../events/filter-options.js';
import { findSettledId } from '../events/find-settled-id.js';
import { ask } from '../gateway/ask.js';
import { GatewayError } from '../gateway/gateway-error.js';
import type { Gateway } from '../gateway/open-gateway.js';
import type { FollowedEvent } from './follow-events.js';

/** Enough to find one that is settled beside those that are just being written. */
const LEAST = 20;

const latest = (fields: string) => `query Latest($filter: EventFilter, $count: Int!) {
  events(filter: $filter, first: $count) { edges { cursor node { ${fields} } } }
}`;

type Answer = { events: { edges: FollowedEvent[] } };

/**
 * The newest events, oldest first, and the cursor to follow from. Only settled ones: behind a younger one, those would
 * be missed that are written just now and have a smaller number.
 */
export const readLatest = async (
  gateway: Gateway,
  { filter, last, signal }: { filter: EventFilter; last: number; signal: AbortSignal },
): Promise<{ events: FollowedEvent[]; cursor: string | null }> => {
  const bound = (await findSettledId(gateway, signal)) ?? Number.POSITIVE_INFINITY;
  try {
    const { data } = await ask<Answer>(gateway, {
      query: latest(last === 0 ? 'id' : RECORD_FIELDS),
      variables: { filter, count: Math.max(last, LEAST) },
      signal,
    });
    const settled = data.events.edges.filter(({ node }) => node.id <= bound);
    return { events: settled.slice(0, last).reverse(), cursor: settled[0]?.cursor ?? null };
  } catch (error) {
    // Looking for old events of a rare kind may take too long; to follow new ones there is no need of them.
    const isSlow = error instanceof GatewayError && error.code === 'TIMEOUT';
    if (last === 0 && isSlow) return { events: [], cursor: null };
    throw error;
  }
};
