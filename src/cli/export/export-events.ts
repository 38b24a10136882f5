import type { EventFilter } from '../events/filter-options.js';
import { ask } from '../gateway/ask.js';
import { GatewayError } from '../gateway/gateway-error.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { type Retries, withRetries } from '../gateway/with-retries.js';
import { FORMATS, type FormatName } from './formats.js';
import type { Place } from './place.js';
import { readPages } from './read-pages.js';
import type { Sink } from './sink.js';
import { findUpperBound, upTo } from './upper-bound.js';

export type Export = {
  gateway: Gateway;
  sink: Sink;
  filter: EventFilter;
  format: FormatName;
  /** Where an earlier run has stopped; null begins. */
  from: Place | null;
  retries: Retries;
  /** Told where it is long in coming how far the log is complete. */
  onWait?: (() => void) | undefined;
  /** Told how many there are in all, where that can be found out. Left out, nobody counts. */
  onTotal?: ((total: number | null, from: Place) => void) | undefined;
};

/** Counting is a courtesy: an export that cannot be counted is no worse. */
const countEvents = async (
  gateway: Gateway,
  filter: EventFilter,
  signal: AbortSignal,
): Promise<number | null> => {
  try {
    const { data } = await ask<{ events: { totalCount: number } }>(gateway, {
      query:
        'query Count($filter: EventFilter) { events(first: 1, filter: $filter) { totalCount } }',
      variables: { filter },
      signal,
    });
    return data.events.totalCount;
  } catch (error) {
    if (error instanceof GatewayError && error.isPassing) return null;
    throw error;
  }
};

const begin = async (work: Export): Promise<Place> => {
  const { gateway, sink, format, retries, onWait = () => undefined } = work;
  const { signal } = retries;
  const bound = await withRetries(retries, () => findUpperBound(gateway, { signal, onWait }));
  const place = { upTo: bound, cursor: null, count: 0 };
  await sink.write(FORMATS[format].header, place);
  return place;
};

/** Writes all events that match, oldest first, up to the newest there is at the beginning; tells each place it reaches. */
export async function* exportEvents(work: Export): AsyncGenerator<Place> {
  const { gateway, sink, filter, format, retries, onTotal } = work;
  const from = work.from ?? (await begin(work));
  yield from;

  const bounded = upTo(filter, from.upTo);
  onTotal?.(await countEvents(gateway, bounded, retries.signal), from);
  const { line } = FORMATS[format];
  let { count } = from;
  for await (const { events, cursor } of readPages(gateway, {
    filter: bounded,
    after: from.cursor,
    retries,
  })) {
    count += events.length;
    const place = { upTo: from.upTo, cursor, count };
    await sink.write(events.map(line).join(''), place);
    yield place;
  }
  await sink.finish();
}
