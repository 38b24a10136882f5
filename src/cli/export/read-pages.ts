import { MAX_EVENTS_LIMIT } from '../../domain/paging.js';
import { type EventRecord, RECORD_FIELDS } from '../events/event-record.js';
import type { EventFilter } from '../events/filter-options.js';
import { GatewayError } from '../gateway/gateway-error.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { ResponseTooLargeError, sendRequest } from '../gateway/send-request.js';
import { type Retries, withRetries } from '../gateway/with-retries.js';

/** Events vary in size, so page sizes adapt to this many bytes to bound memory. */
const TARGET_BYTES = 500_000;
const MAX_BYTES = 16_000_000;
const FIRST_SIZE = 100;

const PAGE = `query Export($filter: EventFilter, $size: Int!, $before: String) {
  events(filter: $filter, last: $size, before: $before) {
    nodes { ${RECORD_FIELDS} }
    pageInfo { startCursor hasPreviousPage }
  }
}`;

type QueryResult = {
  events: {
    nodes: EventRecord[];
    pageInfo: { startCursor: string | null; hasPreviousPage: boolean };
  };
};

/** Events, oldest first, and the cursor of the last one. */
export type ExportPage = { events: EventRecord[]; cursor: string };

export const nextPageSize = (size: number, { count, bytes }: { count: number; bytes: number }) =>
  Math.max(1, Math.min(MAX_EVENTS_LIMIT, size * 2, Math.floor((TARGET_BYTES * count) / bytes)));

const isTooMuch = (error: unknown): boolean =>
  error instanceof ResponseTooLargeError ||
  (error instanceof GatewayError && ['TIMEOUT', 'PAYLOAD_TOO_LARGE'].includes(error.code ?? ''));

/**
 * All matching events after a cursor, oldest first. The graph lists the newest first, so its pages are read backward.
 */
export async function* readPages(
  gateway: Gateway,
  { filter, after, retries }: { filter: EventFilter; after: string | null; retries: Retries },
): AsyncGenerator<ExportPage> {
  const { signal } = retries;
  let size = FIRST_SIZE;
  let before = after;

  const readPage = async (): Promise<{ data: QueryResult; bytes: number }> => {
    try {
      return await sendRequest<QueryResult>(gateway, {
        query: PAGE,
        variables: { filter, size, before },
        signal,
        // A single event is accepted at any size.
        ...(size > 1 && { maxBytes: MAX_BYTES }),
      });
    } catch (error) {
      if (size === 1 || !isTooMuch(error)) throw error;
      size = Math.floor(size / 2);
      return readPage();
    }
  };

  for (;;) {
    const { data, bytes } = await withRetries(retries, readPage);
    const { nodes, pageInfo } = data.events;
    if (pageInfo.startCursor === null) return;
    size = nextPageSize(size, { count: nodes.length, bytes });
    before = pageInfo.startCursor;
    yield { events: nodes.reverse(), cursor: before };
    if (!pageInfo.hasPreviousPage) return;
  }
}
