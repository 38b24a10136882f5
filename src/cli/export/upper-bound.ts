import type { EventFilter } from '../events/filter-options.js';
import { ask } from '../gateway/ask.js';
import type { Gateway } from '../gateway/open-gateway.js';

const LARGEST_ID = 2 ** 31 - 1;

/** The id of the last event that an export begun now will hold. */
export const findUpperBound = async (gateway: Gateway, signal: AbortSignal): Promise<number> => {
  const { data } = await ask<{ events: { nodes: { id: number }[] } }>(gateway, {
    query: '{ events(first: 1) { nodes { id } } }',
    signal,
  });
  return data.events.nodes[0]?.id ?? 0;
};

type IdFilter = { to?: number | null } & Record<string, unknown>;

/** The same filter for events up to that id; a narrower bound of its own stays. */
export const upTo = (filter: EventFilter, bound: number): EventFilter => {
  if (bound >= LARGEST_ID) return filter;
  const id = (filter['id'] ?? {}) as IdFilter;
  return { ...filter, id: { ...id, to: Math.min(id.to ?? LARGEST_ID, bound + 1) } };
};
