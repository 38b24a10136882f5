import type { EventFilter } from '../events/filter-options.js';
import { findSettledEnd, type SettledEndOptions } from '../events/find-settled-end.js';
import { ask } from '../gateway/ask.js';
import type { Gateway } from '../gateway/open-gateway.js';

const LARGEST_ID = 2 ** 31 - 1;

type Answer = { events: { nodes: { id: number }[] } };

/**
 * The id of the last event that an export begun now will hold. Behind the settled part of the log, events with smaller
 * numbers may still appear; where nobody can tell how far it is settled, the newest event has to do.
 */
export const findUpperBound = async (
  gateway: Gateway,
  { signal, onWait }: Pick<SettledEndOptions, 'signal' | 'onWait'>,
): Promise<number> => {
  const end = await findSettledEnd(gateway, { signal, onWait });
  if (end !== null) return end.id;
  const query = '{ events(first: 1) { nodes { id } } }';
  const { data } = await ask<Answer>(gateway, { query, signal });
  return data.events.nodes[0]?.id ?? 0;
};

type IdFilter = { to?: number | null } & Record<string, unknown>;

/** The same filter for events up to that id; a narrower bound of its own stays. */
export const upTo = (filter: EventFilter, bound: number): EventFilter => {
  if (bound >= LARGEST_ID) return filter;
  const id = (filter['id'] ?? {}) as IdFilter;
  return { ...filter, id: { ...id, to: Math.min(id.to ?? LARGEST_ID, bound + 1) } };
};
