import type { EventFilter } from '../../export/filter-options.js';
import { findWatermark, type WatermarkOptions } from '../events/find-watermark.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { sendRequest } from '../gateway/send-request.js';

const LARGEST_ID = 2 ** 31 - 1;

type QueryResult = { events: { nodes: { id: number }[] } };

/**
 * ID of the last event of an export that starts now. Beyond the watermark, events with smaller IDs may still appear. If
 * the watermark is unknown, the newest event is used.
 */
export const findUpperBound = async (
  gateway: Gateway,
  { signal, onWait }: Pick<WatermarkOptions, 'signal' | 'onWait'>,
): Promise<number> => {
  const end = await findWatermark(gateway, { signal, onWait });
  if (end !== null) return end.id;
  const query = '{ events(first: 1) { nodes { id } } }';
  const { data } = await sendRequest<QueryResult>(gateway, { query, signal });
  return data.events.nodes[0]?.id ?? 0;
};

type IdFilter = { before?: number | null } & Record<string, unknown>;

/** Limits the filter to events up to that ID. A narrower limit of its own stays. */
export const upTo = (filter: EventFilter, bound: number): EventFilter => {
  if (bound >= LARGEST_ID) return filter;
  const id = (filter['id'] ?? {}) as IdFilter;
  return { ...filter, id: { ...id, before: Math.min(id.before ?? LARGEST_ID, bound + 1) } };
};
