import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DocumentNode, print } from 'graphql';
import {
  type EventFilter,
  LiveEventsDocument,
  type LiveEventsSubscription,
} from '../generated/documents.js';
import type { LiveClient, LiveResult } from './live-client.js';
import { fromGraphqlError, LiveError, toLiveError } from './live-error.js';

type AnyEdge = { cursor: string };
export type EdgeOf<Data> = Data extends { events: infer Edge } ? Edge : never;

export type LiveStatus =
  | { state: 'connecting' }
  /** Connected: events arrive from now on. */
  | { state: 'open' }
  /** Disconnected; the next attempt is in `delayMs` milliseconds. */
  | { state: 'waiting'; delayMs: number; error: LiveError | undefined }
  /** Ended: aborted, or an error that another attempt cannot solve. */
  | { state: 'closed'; error: LiveError | undefined };

export type LiveOptions<Data extends { events: AnyEdge } = LiveEventsSubscription> = {
  /** From `sseClient` or `webSocketClient`. */
  client: LiveClient;
  /** The same filter as in `Query.events`. */
  filter?: EventFilter | null | undefined;
  /** Starts after this cursor. With `eventLog.cursor` of the page that was shown first, no event is missed. */
  after?: string | null | undefined;
  /** A subscription with the variables `$filter` and `$after` that selects `events { cursor }`. */
  document?: TypedDocumentNode<Data, { filter?: EventFilter | null; after?: string | null }>;
  signal?: AbortSignal | undefined;
  onStatus?: ((status: LiveStatus) => void) | undefined;
  /** Pause before the first retry. It doubles with each further one. Default 1000. */
  minDelayMs?: number;
  /** Longest pause between retries. Default 30000. */
  maxDelayMs?: number;
};

type Handlers<Data> = {
  onEvent: (edge: EdgeOf<Data>) => void;
  /** Called once, when the stream cannot continue: an invalid token, a missing permission, an invalid filter. */
  onError?: ((error: LiveError) => void) | undefined;
};

/** Cursors of the last events, enough to recognize an event that is sent again after a reconnect. */
const MAX_SEEN_CURSORS = 1_000;
const createMemory = () => {
  const seen = new Set<string>();
  return (cursor: string): boolean => {
    if (seen.has(cursor)) return false;
    seen.add(cursor);
    if (seen.size > MAX_SEEN_CURSORS) seen.delete(seen.values().next().value as string);
    return true;
  };
};

const operationNameOf = (document: DocumentNode): string | undefined => {
  const operation = document.definitions.find(({ kind }) => kind === 'OperationDefinition');
  return operation?.kind === 'OperationDefinition' ? operation.name?.value : undefined;
};

const edgeOf = ({ data, errors }: LiveResult): AnyEdge => {
  const edge = (data as { events?: AnyEdge } | null | undefined)?.events;
  if (typeof edge?.cursor === 'string') return edge;
  if (errors?.[0]) throw fromGraphqlError(errors[0]);
  throw new LiveError('The document must be a subscription that selects `events { cursor }`.', {
    isTemporary: false,
  });
};

/**
 * Follows the event log. After an interruption it reconnects from the last cursor, so that every event arrives once and
 * in order. Returns a function that stops it.
 */
export const followEvents = <Data extends { events: AnyEdge } = LiveEventsSubscription>(
  options: LiveOptions<Data> & Handlers<Data>,
): (() => void) => {
  const { client, filter, signal, onEvent, onError, onStatus } = options;
  const { minDelayMs = 1_000, maxDelayMs = 30_000 } = options;
  const document: DocumentNode = options.document ?? LiveEventsDocument;
  const query = print(document);
  const operationName = operationNameOf(document);
  const isNew = createMemory();
  let after = options.after ?? undefined;
  let failures = 0;
  let isEnded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let close = () => {};

  const end = (error?: LiveError) => {
    if (isEnded) return;
    isEnded = true;
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    close();
    onStatus?.({ state: 'closed', error });
    if (error !== undefined) onError?.(error);
  };
  const stop = () => end();

  const retry = (error?: LiveError) => {
    if (error !== undefined && !error.isTemporary) return end(error);
    const grown = Math.min(minDelayMs * 2 ** failures, maxDelayMs);
    // Clients that lost one gateway at the same time must not return at the same time.
    const delayMs = Math.max(grown * (0.5 + Math.random() / 2), (error?.retryAfter ?? 0) * 1_000);
    failures += 1;
    onStatus?.({ state: 'waiting', delayMs, error });
    timer = setTimeout(open, delayMs);
  };

  const open = () => {
    let isOpen = true;
    const leave = (error?: LiveError) => {
      if (!isOpen || isEnded) return;
      isOpen = false;
      close();
      retry(error);
    };
    close = () => {};
    onStatus?.({ state: 'connecting' });
    const unsubscribe = client.subscribe(
      {
        query,
        ...(operationName !== undefined && { operationName }),
        variables: { filter: filter ?? null, ...(after !== undefined && { after }) },
      },
      {
        open: () => {
          if (isOpen && !isEnded) onStatus?.({ state: 'open' });
        },
        next: (result) => {
          if (!isOpen || isEnded) return;
          try {
            const edge = edgeOf(result);
            failures = 0;
            after = edge.cursor;
            if (isNew(edge.cursor)) onEvent(edge as EdgeOf<Data>);
          } catch (error) {
            // An error of the caller's own code must not reconnect again and again.
            if (error instanceof LiveError) leave(error);
            else end(new LiveError('`onEvent` failed.', { isTemporary: false, cause: error }));
          }
        },
        error: (error) => leave(toLiveError(error)),
        complete: () => leave(),
      },
    );
    close = unsubscribe;
    if (isEnded || !isOpen) unsubscribe();
  };

  if (signal?.aborted) return stop;
  signal?.addEventListener('abort', stop, { once: true });
  open();
  return stop;
};
