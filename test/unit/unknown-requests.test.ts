import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import { Actor } from '../../src/domain/actor.js';
import { createCalls } from '../../src/http/call.js';
import { createUnknownRequests } from '../../src/http/unknown-requests.js';

test('an address has a limited number of requests in flight', () => {
  const requests = createUnknownRequests(2);
  const enter = (address: string) => {
    const ended = new AbortController();
    requests.enter(address, ended.signal);
    return ended;
  };
  const first = enter('192.0.2.1');
  const second = enter('192.0.2.1');
  expect(() => enter('192.0.2.1')).toThrow(expect.objectContaining({ name: 'RateLimitError' }));
  enter('192.0.2.2');
  first.abort();
  enter('192.0.2.1');
  expect(() => enter('192.0.2.1')).toThrow('2 from your address');
  second.abort();
  enter('192.0.2.1');
});

test('a client that has already disconnected takes no slot', () => {
  const requests = createUnknownRequests(1);
  for (let index = 0; index < 5; index += 1) requests.enter('192.0.2.1', AbortSignal.abort());
  expect(() => requests.enter('192.0.2.1', new AbortController().signal)).not.toThrow();
});

test('an authenticated request stops counting before it has ended, and only once', () => {
  const requests = createUnknownRequests(2);
  const ended = new AbortController();
  const enter = (signal = new AbortController().signal) => requests.enter('192.0.2.1', signal);
  const leave = enter(ended.signal);
  enter();
  expect(() => enter()).toThrow();
  leave();
  enter();
  ended.abort();
  leave();
  expect(() => enter()).toThrow('2 from your address');
});

test('an address with no other request in flight starts again from zero', () => {
  const requests = createUnknownRequests(1);
  const leave = requests.enter('192.0.2.1', new AbortController().signal);
  leave();
  requests.enter('192.0.2.1', new AbortController().signal);
  leave();
  expect(() => requests.enter('192.0.2.1', new AbortController().signal)).toThrow();
});

test('requests with known credentials do not count, nor do those of authenticated callers', () => {
  const createCall = createCalls(loadConfig({}).traffic);
  const endings: AbortController[] = [];
  const enter = (prepare: (call: ReturnType<typeof createCall>) => void = () => undefined) => {
    const call = createCall('192.0.2.1');
    prepare(call);
    const ending = new AbortController();
    endings.push(ending);
    call.enter(ending.signal)?.catch(() => undefined);
    return call;
  };
  const actor = new Actor({
    kind: 'USER',
    userId: 7,
    author: 'ada',
    name: 'ada',
    grants: [],
    seesAllEvents: false,
    visibleProjects: null,
    ip: null,
  });
  for (let count = 0; count < 200; count += 1) {
    enter().identify(actor);
    enter((call) => call.recognize('known'));
  }
  for (let count = 0; count < 200; count += 1) enter();
  expect(() => enter()).toThrow('200 from your address');
  // Their credentials may be valid; if not, they count as the others.
  const withCredentials = Array.from({ length: 200 }, () =>
    enter((call) => call.queueAs('credentials')),
  );
  expect(() => enter((call) => call.queueAs('credentials'))).toThrow('200 from your address');
  expect(() => withCredentials[0]?.reject()).toThrow('200 from your address');
  enter((call) => call.queueAs('credentials'));
  enter((call) => call.recognize('known'));
  for (const ending of endings) ending.abort();
});
