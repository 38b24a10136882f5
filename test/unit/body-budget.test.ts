import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createByteBudget } from '../../src/data/work/byte-budget.js';
import { createBodyBudget } from '../../src/http/body-budget.js';
import { createPrecompressed } from '../../src/http/precompressed.js';

const openResponse = () => {
  const listeners: (() => void)[] = [];
  const response = {
    closed: false,
    req: { socket: { destroyed: false } },
    on: (_event: string, listener: () => void) => listeners.push(listener),
  } as unknown as ServerResponse;
  const close = () => {
    for (const listener of listeners) listener();
  };
  return { response, close };
};

const responseWith = (body: string | Buffer) => ({ status: 200, headers: {}, body });

test('a body that several responses share counts once, until the last of them is closed', () => {
  const budget = createByteBudget({ max: 10_000, maxPerWork: 10_000 });
  const bodies = createBodyBudget(budget);
  const body = Buffer.alloc(4_000);
  const opened = Array.from({ length: 5 }, openResponse);
  for (const { response } of opened) {
    expect(bodies.hold(response, 'a', responseWith(body)).status).toBe(200);
  }
  expect(budget.inFlight()).toBe(4_000);
  const other = openResponse();
  expect(bodies.hold(other.response, 'a', responseWith('x'.repeat(9_000))).status).toBe(503);
  for (const { close } of opened) close();
  expect(budget.inFlight()).toBe(0);
});

test('a static body does not count, whatever its encoding', async () => {
  const budget = createByteBudget({ max: 10_000, maxPerWork: 10_000 });
  const bodies = createBodyBudget(budget);
  const precompressed = createPrecompressed(Buffer.from('text '.repeat(50_000)));
  for (const encoding of ['identity', 'gzip', 'br']) {
    const request = { headers: { 'accept-encoding': encoding } } as unknown as IncomingMessage;
    const { body } = await precompressed(request);
    const { response } = openResponse();
    expect(bodies.hold(response, 'a', responseWith(body)).body).toBe(body);
  }
  expect(budget.inFlight()).toBe(0);
});
