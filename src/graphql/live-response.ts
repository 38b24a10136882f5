import { OverloadedError } from '../domain/errors.js';
import type { LiveResponse } from '../http/send-live.js';
import { toGraphQLError } from './errors.js';

const LIVE = /^text\/event-stream\b/i;

/** Yoga sets these on event streams. They describe the connection, not the response. */
const CONNECTION_HEADERS: readonly string[] = ['connection', 'content-encoding'];

export const headersOf = (response: Response): Record<string, string> =>
  Object.fromEntries(
    [...response.headers]
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !CONNECTION_HEADERS.includes(name)),
  );

/** Whether a response is an event stream, which may be endless. */
export const isLive = (
  response: Response,
): response is Response & { body: ReadableStream<Uint8Array> } =>
  response.body !== null && LIVE.test(response.headers.get('content-type') ?? '');

/** In the graphql-sse protocol. */
const closeMessage = (): string => {
  const error = toGraphQLError(
    new OverloadedError('Client too slow: stream closed. Reconnect with your last cursor.'),
  );
  return `event: next\ndata: ${JSON.stringify({ errors: [error] })}\n\nevent: complete\ndata:\n\n`;
};

const NEWLINE = 10;

const endsMessage = (bytes: Uint8Array): boolean =>
  bytes.at(-1) === NEWLINE && bytes.at(-2) === NEWLINE;

/** Yoga sends a message in parts. */
const readMessage = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array | null> => {
  const parts: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return null;
    parts.push(value);
    if (endsMessage(value)) return parts.length === 1 ? value : Buffer.concat(parts);
  }
};

const streamOf = (body: ReadableStream<Uint8Array>): LiveResponse['stream'] => {
  const reader = body.getReader();
  let hasEnded = false;
  return {
    read: async () => {
      // A stream that is cancelled during a read ends with an error.
      const message = await readMessage(reader).catch(() => null);
      return hasEnded ? null : message;
    },
    cancel: () => {
      if (hasEnded) return;
      hasEnded = true;
      // Not through the reader: Yoga's would first wait for the pending read.
      body.cancel().catch(() => undefined);
    },
  };
};

export const toLiveResponse = (
  response: Response & { body: ReadableStream<Uint8Array> },
): LiveResponse => {
  return {
    status: response.status,
    headers: {
      ...headersOf(response),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // nginx would otherwise buffer the stream.
      'x-accel-buffering': 'no',
    },
    stream: streamOf(response.body),
    closeMessage: closeMessage(),
  };
};
