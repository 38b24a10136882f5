import { expect, test } from 'vitest';

type Collected = {
  MAX_SHOWN: number;
  collectEvents: (response: Response) => Response;
};
const path = '../../web/collect-events.js';
const { collectEvents, MAX_SHOWN } = (await import(path)) as Collected;

const next = (data: unknown) => `event: next\ndata: ${JSON.stringify(data)}\n\n`;

const responseOf = (pieces: string[], type = 'text/event-stream; charset=utf-8') =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    }),
    { headers: { 'content-type': type } },
  );

const resultsOf = async (response: Response) =>
  [...(await response.text()).matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? ''));

test('adds each event to those before it, the newest first', async () => {
  const pieces = [1, 2].map((id) => next({ data: { events: { node: { id } } } }));
  expect(await resultsOf(collectEvents(responseOf(pieces)))).toEqual([
    { data: { events: [{ node: { id: 1 } }] } },
    { data: { events: [{ node: { id: 2 } }, { node: { id: 1 } }] } },
  ]);
});

test('keeps a limited number of events', async () => {
  const pieces = Array.from({ length: MAX_SHOWN + 5 }, (_, id) => next({ data: { events: id } }));
  const last = (await resultsOf(collectEvents(responseOf(pieces)))).at(-1);
  expect(last.data.events).toHaveLength(MAX_SHOWN);
  expect(last.data.events[0]).toBe(MAX_SHOWN + 4);
});

test('reads messages that arrive in pieces, and keeps comments, errors and the end', async () => {
  const whole = `:\n\n${next({ data: { events: 'ä' } })}${next({ errors: [{ message: 'ended' }] })}event: complete\ndata:\n\n`;
  const bytes = Buffer.from(whole);
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  const response = new Response(
    new ReadableStream({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  );
  const text = await collectEvents(response).text();
  expect(text).toBe(
    `:\n\n${next({ data: { events: ['ä'] } })}${next({ errors: [{ message: 'ended' }], data: { events: ['ä'] } })}event: complete\ndata:\n\n`,
  );
});

test('returns other responses as they are', async () => {
  const response = responseOf(['{"data":null}'], 'application/json');
  expect(collectEvents(response)).toBe(response);
});
