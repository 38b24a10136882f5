import { expect, test } from 'vitest';
import { toLiveResponse } from '../../src/graphql/live-response.js';

const responseOf = (parts: readonly string[]) => {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(encoder.encode(part));
      controller.close();
    },
  });
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  return toLiveResponse(response as Response & { body: ReadableStream<Uint8Array> });
};

test('reads a stream message by message, however it is chunked', async () => {
  const { stream } = responseOf([':\n\n', 'event: next\n', 'data: {}\n\n', 'event: next\n']);
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  for (let chunk = await stream.read(); chunk !== null; chunk = await stream.read()) {
    pieces.push(decoder.decode(chunk));
  }
  expect(pieces).toEqual([':\n\n', 'event: next\ndata: {}\n\n']);
});

test('the close message for a slow client consists of complete messages', () => {
  expect(responseOf([]).closeMessage).toMatch(
    /^event: next\ndata: .*\n\nevent: complete\ndata:\n\n$/,
  );
});
