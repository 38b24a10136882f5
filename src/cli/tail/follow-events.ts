import { setTimeout as delay } from 'node:timers/promises';
import { type EventRecord, RECORD_FIELDS } from '../../export/event-record.js';
import type { EventFilter } from '../../export/filter-options.js';
import { firstErrorOf, GatewayError, unreachable } from '../gateway/gateway-error.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { failureOf, postTo } from '../gateway/send-request.js';
import { readSse, SseError } from './read-sse.js';

const FOLLOW = `subscription Tail($filter: EventFilter, $after: String) {
  events(filter: $filter, after: $after) { cursor node { ${RECORD_FIELDS} } }
}`;

/** Gateways send keep-alives much more often. */
const SILENCE_MS = 60_000;
/** A connection that lasts this long resets the backoff. */
const STEADY_MS = 5_000;
const PAUSES = [500, 1_000, 2_000, 5_000, 10_000] as const;

export type FollowedEvent = { cursor: string; node: EventRecord };

export type Follow = {
  filter: EventFilter;
  /** Starts after this cursor. Null starts now. */
  after: string | null;
  signal: AbortSignal;
  /** Called when the stream is interrupted, with the delay before the next attempt. */
  onPause: (error: GatewayError, ms: number) => void;
  /** Called when it is interrupted before there was an event to resume after; once per stream. */
  onGap: () => void;
  pauses?: readonly number[];
  silenceMs?: number;
};

/** Passes bytes on and aborts on silence, because a dead connection reports nothing. */
async function* withinSilence(
  bytes: AsyncIterable<Uint8Array>,
  silenceMs: number,
  connection: AbortController,
): AsyncGenerator<Uint8Array> {
  const tooLong = () => connection.abort(new Error(`nothing received for ${silenceMs / 1000} s`));
  let timer = setTimeout(tooLong, silenceMs);
  try {
    for await (const chunk of bytes) {
      clearTimeout(timer);
      yield chunk;
      // A slow consumer must not count as a silent connection.
      timer = setTimeout(tooLong, silenceMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

const resultOf = (data: string): FollowedEvent => {
  const { data: result, errors } = JSON.parse(data) as {
    data?: { events: FollowedEvent };
    errors?: unknown[];
  };
  if (errors || !result) throw firstErrorOf(errors ?? []);
  return result.events;
};

/** One connection, until it ends. */
async function* followOnce(
  gateway: Gateway,
  { filter, after, signal, silenceMs = SILENCE_MS }: Follow,
  { onConnected, hasWorked }: { onConnected: () => void; hasWorked: () => boolean },
): AsyncGenerator<FollowedEvent> {
  const connection = new AbortController();
  const early = setTimeout(() => connection.abort(new Error('no response')), silenceMs);
  try {
    const response = await postTo(
      gateway,
      { query: FOLLOW, variables: { filter, after } },
      { accept: 'text/event-stream', signal: AbortSignal.any([signal, connection.signal]) },
    );
    clearTimeout(early);
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    if (!isStream || !response.body) {
      throw failureOf(gateway.url, response, await response.text());
    }
    onConnected();
    for await (const { event, data } of readSse(
      withinSilence(response.body, silenceMs, connection),
    )) {
      if (event === 'complete') return;
      if (event === 'next') yield resultOf(data);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GatewayError) throw error;
    if (error instanceof SyntaxError && hasWorked()) throw brokenStream();
    if (error instanceof SyntaxError || error instanceof SseError) {
      throw new GatewayError(
        `${gateway.url} sent a stream that is not from a gateway. Check the address in --url.`,
      );
    }
    throw unreachable(gateway.url, connection.signal.reason ?? error);
  } finally {
    clearTimeout(early);
    connection.abort();
  }
}

/** An intermediary cut an event short. */
const brokenStream = () =>
  new GatewayError('The stream was cut off in the middle of an event.', { isTransient: true });

const ENDED = new GatewayError('The gateway closed the stream.', { isTransient: true });

/** Backoff for reconnecting: delays grow until a connection has lasted for a while. */
const createBackoff = (pauses: readonly number[]) => {
  let failures = 0;
  let connectedAt: number | null = null;
  let wasConnected = false;
  return {
    onConnected: () => {
      connectedAt = performance.now();
      wasConnected = true;
    },
    /** The delay after this failure. Null if a retry is pointless. */
    pauseAfter: (error: unknown): number | null => {
      const hasLasted = connectedAt !== null && performance.now() - connectedAt > STEADY_MS;
      failures = hasLasted ? 1 : failures + 1;
      connectedAt = null;
      if (!(error instanceof GatewayError)) return null;
      // The gateway may still count the lost connection.
      const mayPass = error.isTransient || (wasConnected && error.code === 'LIMIT_EXCEEDED');
      if (!mayPass || (!wasConnected && failures > pauses.length)) return null;
      return pauses[Math.min(failures, pauses.length) - 1] ?? null;
    },
  };
};

/** Follows events without end. After an interruption it resumes after the last event seen. */
export async function* followEvents(
  gateway: Gateway,
  follow: Follow,
): AsyncGenerator<FollowedEvent> {
  const { signal, onPause, onGap, pauses = PAUSES } = follow;
  const { onConnected, pauseAfter } = createBackoff(pauses);
  let { after } = follow;
  let hasShown = false;
  let isConnected = false;
  const connection = {
    onConnected: () => {
      isConnected = true;
      onConnected();
    },
    hasWorked: () => hasShown,
  };
  for (;;) {
    try {
      for await (const event of followOnce(gateway, { ...follow, after }, connection)) {
        after = event.cursor;
        hasShown = true;
        yield event;
      }
      throw ENDED;
    } catch (error) {
      signal.throwIfAborted();
      const ms = pauseAfter(error);
      if (ms === null) throw error;
      onPause(error as GatewayError, ms);
      if (after === null && isConnected) onGap();
      isConnected = false;
      await delay(ms, undefined, { signal });
    }
  }
}
