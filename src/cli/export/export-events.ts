import type { EventFilter } from '../../export/filter-options.js';
import type { FormatName } from '../../export/formats.js';
import { GatewayError } from '../gateway/gateway-error.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { sendRequest } from '../gateway/send-request.js';
import { type Retries, withRetries } from '../gateway/with-retries.js';
import type { ExportPosition } from './export-position.js';
import { readExport } from './read-export.js';
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
  const { gateway, sink, retries, onWait = () => undefined } = work;
  const { signal } = retries;
  const bound = await withRetries(retries, () => findUpperBound(gateway, { signal, onWait }));
  const position = { upTo: bound, after: null, count: 0 };
  // Creates the output, even if nothing follows.
  await sink.write('', position);
  return position;
};

/** Writes all matching events, oldest first, up to the newest one at the start. Yields each position it reaches. */
export async function* exportEvents(work: Export): AsyncGenerator<ExportPosition> {
  const { gateway, sink, filter, format, retries, onTotal } = work;
  const from = work.from ?? (await begin(work));
  yield from;

  onTotal?.(await countEvents(gateway, upTo(filter, from.upTo), retries.signal), from);
  const wanted = { filter, format, upTo: from.upTo, after: from.after };
  let { count } = from;
  for await (const { bytes, events, after } of readExport(gateway, wanted, retries)) {
    count += events;
    const position = { upTo: from.upTo, after, count };
    await sink.write(bytes.toString('utf8'), position);
    yield position;
  }
  await sink.finish();
}
