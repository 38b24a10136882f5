import { MAX_EVENTS_LIMIT } from '../../domain/paging.js';
import { type EventRecord, RECORD_FIELDS } from '../events/event-record.js';
import type { EventFilter } from '../events/filter-options.js';
import { AnswerTooLargeError, ask } from '../gateway/ask.js';
import { GatewayError } from '../gateway/gateway-error.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { type Retries, withRetries } from '../gateway/with-retries.js';

/** Events may be of any size; pages are kept near this one, so that memory is. */
const USUAL_BYTES = 500_000;
const MOST_BYTES = 16_000_000;
const FIRST_SIZE = 100;

const PAGE = `query Export($filter: EventFilter, $size: Int!, $before: String) {
  events(filter: $filter, last: $size, before: $before) {
    nodes { ${RECORD_FIELDS} }
    pageInfo { startCursor hasPreviousPage }
  }
}`;

type Answer = {
  events: {
    nodes: EventRecord[];
    pageInfo: { startCursor: string | null; hasPreviousPage: boolean };
  };
};

/** Some events, oldest first, and the cursor of the last of them. */
export type ExportPage = { events: EventRecord[]; cursor: string };

export const nextPageSize = (size: number, { count, bytes }: { count: number; bytes: number }) =>
  Math.max(1, Math.min(MAX_EVENTS_LIMIT, size * 2, Math.floor((USUAL_BYTES * count) / bytes)));

const isTooMuch = (error: unknown): boolean =>
  error instanceof AnswerTooLargeError ||
  (error instanceof GatewayError && ['TIMEOUT', 'PAYLOAD_TOO_LARGE'].includes(error.code ?? ''));

/** All matching events behind a cursor, oldest first. The graph lists the newest first, so its list is read from its end. */
export async function* readPages(
  gateway: Gateway,
  { filter, after, retries }: { filter: EventFilter; after: string | null; retries: Retries },
): AsyncGenerator<ExportPage> {
  const { signal } = retries;
  let size = FIRST_SIZE;
  let before = after;

  const readPage = async (): Promise<{ data: Answer; bytes: number }> => {
    try {
      return await ask<Answer>(gateway, {
        query: PAGE,
        variables: { filter, size, before },
        signal,
        // A single event is taken as it comes.
        ...(size > 1 && { mostBytes: MOST_BYTES }),
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
