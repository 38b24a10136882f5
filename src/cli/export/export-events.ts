import type { EventFilter } from '../events/filter-options.js';
import { GatewayError } from '../gateway/gateway-error.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { sendRequest } from '../gateway/send-request.js';
import { type Retries, withRetries } from '../gateway/with-retries.js';
import type { ExportPosition } from './export-position.js';
import { FORMATS, type FormatName } from './formats.js';
import { readPages } from './read-pages.js';
import type { Sink } from './sink.js';
import { findUpperBound, upTo } from './upper-bound.js';

export type Export = {
  gateway: Gateway;
  sink: Sink;
  filter: EventFilter;
  format: FormatName;
  /** Where an earlier run stopped. Null starts from the beginning. */
  from: ExportPosition | null;
  retries: Retries;
  /** Called if determining the log's watermark takes long. */
  onWait?: (() => void) | undefined;
  /** Called with the total count, null if unknown. If omitted, events are not counted. */
  onTotal?: ((total: number | null, from: ExportPosition) => void) | undefined;
};

/** The count is optional: the export works without it. */
const countEvents = async (
  gateway: Gateway,
  filter: EventFilter,
  signal: AbortSignal,
): Promise<number | null> => {
  try {
    const { data } = await sendRequest<{ events: { totalCount: number } }>(gateway, {
      query:
        'query Count($filter: EventFilter) { events(first: 1, filter: $filter) { totalCount } }',
      variables: { filter },
      signal,
    });
    return data.events.totalCount;
  } catch (error) {
    if (error instanceof GatewayError && error.isTransient) return null;
    throw error;
  }
};

const begin = async (work: Export): Promise<ExportPosition> => {
  const { gateway, sink, format, retries, onWait = () => undefined } = work;
  const { signal } = retries;
  const bound = await withRetries(retries, () => findUpperBound(gateway, { signal, onWait }));
  const position = { upTo: bound, cursor: null, count: 0 };
  await sink.write(FORMATS[format].header, position);
  return position;
};

/** Writes all matching events, oldest first, up to the newest one at the start. Yields each position it reaches. */
export async function* exportEvents(work: Export): AsyncGenerator<ExportPosition> {
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
    const position = { upTo: from.upTo, cursor, count };
    await sink.write(events.map(line).join(''), position);
    yield position;
  }
  await sink.finish();
}
