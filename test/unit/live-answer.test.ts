import { expect, test } from 'vitest';
import { toLiveAnswer } from '../../src/graphql/live-answer.js';

const answerOf = (parts: readonly string[]) => {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(encoder.encode(part));
      controller.close();
    },
  });
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  return toLiveAnswer(response as Response & { body: ReadableStream<Uint8Array> });
};

test('a stream is read message by message, however it is cut', async () => {
  const { stream } = answerOf([':\n\n', 'event: next\n', 'data: {}\n\n', 'event: next\n']);
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  for (let piece = await stream.read(); piece !== null; piece = await stream.read()) {
    pieces.push(decoder.decode(piece));
  }
  expect(pieces).toEqual([':\n\n', 'event: next\ndata: {}\n\n']);
});

test('what is left to say to a slow reader is whole messages, too', () => {
  expect(answerOf([]).farewell).toMatch(/^event: next\ndata: .*\n\nevent: complete\ndata:\n\n$/);
});
