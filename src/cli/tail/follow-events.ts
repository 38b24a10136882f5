import { setTimeout as delay } from 'node:timers/promises';
import { type EventRecord, RECORD_FIELDS } from '../events/event-record.js';
import type { EventFilter } from '../events/filter-options.js';
import { failureOf, postTo } from '../gateway/ask.js';
import { GatewayError, refusalOf, unreachable } from '../gateway/gateway-error.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { readSse, SseError } from './read-sse.js';

const FOLLOW = `subscription Tail($filter: EventFilter, $after: String) {
  events(filter: $filter, after: $after) { cursor node { ${RECORD_FIELDS} } }
}`;

/** Gateways send a sign of life much more often. */
const SILENCE_MS = 60_000;
/** A connection that stood so long was a good one. */
const STEADY_MS = 5_000;
const PAUSES = [500, 1_000, 2_000, 5_000, 10_000] as const;

export type FollowedEvent = { cursor: string; node: EventRecord };

export type Follow = {
  filter: EventFilter;
  /** Begins behind this cursor; null begins now. */
  after: string | null;
  signal: AbortSignal;
  /** Told when the stream broke off, and how long nothing is tried. */
  onPause: (error: GatewayError, ms: number) => void;
  /** Told when it broke off before there was an event to go on behind; once for each stream. */
  onGap: () => void;
  pauses?: readonly number[];
  silenceMs?: number;
};

/** Passes bytes on as long as they come; a dead connection tells nobody that it is dead. */
async function* withinSilence(
  bytes: AsyncIterable<Uint8Array>,
  silenceMs: number,
  connection: AbortController,
): AsyncGenerator<Uint8Array> {
  const tooLong = () => connection.abort(new Error(`nothing came for ${silenceMs / 1000} s`));
  let timer = setTimeout(tooLong, silenceMs);
  try {
    for await (const chunk of bytes) {
      clearTimeout(timer);
      yield chunk;
      // Who takes his time with an event is not to blame the connection for it.
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
  if (errors || !result) throw refusalOf(errors ?? []);
  return result.events;
};

/** One connection, until it ends. */
async function* followOnce(
  gateway: Gateway,
  { filter, after, signal, silenceMs = SILENCE_MS }: Follow,
  { onConnected, hasWorked }: { onConnected: () => void; hasWorked: () => boolean },
): AsyncGenerator<FollowedEvent> {
  const connection = new AbortController();
  const early = setTimeout(() => connection.abort(new Error('no answer came')), silenceMs);
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
      throw new GatewayError(`${gateway.url} sends a stream that is none of a gateway.`);
    }
    throw unreachable(gateway.url, connection.signal.reason ?? error);
  } finally {
    clearTimeout(early);
    connection.abort();
  }
}

/** Something on the way has cut an event short. */
const brokenStream = () =>
  new GatewayError('The stream broke off in the middle of an event.', { isPassing: true });

const ENDED = new GatewayError('The gateway has ended the stream.', { isPassing: true });

/** How connecting goes: the pauses grow until a connection has stood for a while. */
const createPatience = (pauses: readonly number[]) => {
  let failures = 0;
  let connectedAt: number | null = null;
  let wasConnected = false;
  return {
    onConnected: () => {
      connectedAt = performance.now();
      wasConnected = true;
    },
    /** How long to wait after this failure; null where there is no point in waiting. */
    pauseAfter: (error: unknown): number | null => {
      const hasStood = connectedAt !== null && performance.now() - connectedAt > STEADY_MS;
      failures = hasStood ? 1 : failures + 1;
      connectedAt = null;
      if (!(error instanceof GatewayError)) return null;
      // The gateway may still count the connection that was lost.
      const mayPass = error.isPassing || (wasConnected && error.code === 'LIMIT_EXCEEDED');
      if (!mayPass || (!wasConnected && failures > pauses.length)) return null;
      return pauses[Math.min(failures, pauses.length) - 1] ?? null;
    },
  };
};

/** Events as they are recorded, without an end: who was cut off goes on behind the last one he has seen. */
export async function* followEvents(
  gateway: Gateway,
  follow: Follow,
): AsyncGenerator<FollowedEvent> {
  const { signal, onPause, onGap, pauses = PAUSES } = follow;
  const { onConnected, pauseAfter } = createPatience(pauses);
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
