import { OverloadedError } from '../domain/errors.js';
import type { LiveAnswer } from '../http/send-live.js';
import { toGraphQLError } from './errors.js';

const LIVE = /^text\/event-stream\b/i;

export const headersOf = (response: Response): Record<string, string> =>
  Object.fromEntries([...response.headers].map(([name, value]) => [name.toLowerCase(), value]));

/** Whether an answer is a stream of events; such a one may have no end. */
export const isLive = (
  response: Response,
): response is Response & { body: ReadableStream<Uint8Array> } =>
  response.body !== null && LIVE.test(response.headers.get('content-type') ?? '');

/** In the protocol of graphql-sse. */
const farewell = (): string => {
  const error = toGraphQLError(
    new OverloadedError(
      'You read more slowly than events come. Connect again with the last cursor you have.',
    ),
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

const streamOf = (body: ReadableStream<Uint8Array>): LiveAnswer['stream'] => {
  const reader = body.getReader();
  let hasEnded = false;
  return {
    read: async () => {
      // A stream that is cancelled while something is awaited ends with an error.
      const message = await readMessage(reader).catch(() => null);
      return hasEnded ? null : message;
    },
    cancel: () => {
      if (hasEnded) return;
      hasEnded = true;
      // Not by its reader: Yoga's would first wait for what it is reading.
      body.cancel().catch(() => undefined);
    },
  };
};

export const toLiveAnswer = (
  response: Response & { body: ReadableStream<Uint8Array> },
): LiveAnswer => {
  const { 'content-encoding': _none, connection: _own, ...headers } = headersOf(response);
  return {
    status: response.status,
    headers: {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // nginx would collect the stream before it hands anything on.
      'x-accel-buffering': 'no',
    },
    stream: streamOf(response.body),
    farewell: farewell(),
  };
};
