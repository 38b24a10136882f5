import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import { type Call, createCalls } from '../../src/http/call.js';

/** Blocks the event loop, as executing an operation does. */
const work = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

/** Whether a client has to wait for its turn, after 15 requests that each record something. */
const waitsAfter = (record: (call: Call) => void): boolean => {
  const createCall = createCalls(loadConfig({}).traffic);
  const callOf = (client: string): Call => {
    const call = createCall('198.51.100.7');
    call.recognize(client);
    return call;
  };
  const send = (client: string, recordCall: (call: Call) => void) => {
    const call = callOf(client);
    const ending = new AbortController();
    work(5);
    const turn = call.throttle(ending.signal);
    turn?.catch(() => undefined);
    recordCall(call);
    ending.abort();
    return turn;
  };
  for (let index = 0; index < 2; index += 1) send('other', () => undefined);
  const requests = Array.from({ length: 15 }, () => send('costly', record));
  return requests.some(Boolean);
};

test.each<[what: string, little: (call: Call) => void, much: (call: Call) => void]>([
  ['errors', (call) => call.recordErrors(0), (call) => call.recordErrors(200)],
  ['responses', (call) => call.recordResponse(1_000), (call) => call.recordResponse(2_000_000)],
  ['bodies', (call) => call.recordBody(500), (call) => call.recordBody(1_000_000)],
])('%s count for the weight of a client', (_what, little, much) => {
  expect(waitsAfter(little)).toBe(false);
  expect(waitsAfter(much)).toBe(true);
});
