import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  createHeavyClientThrottle,
  type HeavyClientThrottle,
} from '../../src/http/heavy-client-throttle.js';

/** Of a request that does not end during the test. */
const open = (): AbortSignal => new AbortController().signal;

const known = (client: string) => ({ client });
const anonymous = (client: string) => ({ client, anonymous: 'anonymous' as const });

/** Blocks the event loop, as validating a document does. */
const work = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

/** A client with a fixed number of requests in flight, each a few milliseconds of work. */
const startClient = (
  throttle: HeavyClientThrottle,
  key: string,
  count: number,
  senderOf: typeof known = known,
) => {
  let isStopped = false;
  let done = 0;
  const waits: number[] = [];
  const run = async () => {
    while (!isStopped) {
      const startedAt = performance.now();
      const ending = new AbortController();
      const admission = throttle.begin(senderOf(key), ending.signal);
      await admission;
      waits.push(admission ? performance.now() - startedAt : 0);
      // Simulates waiting for the database.
      await delay(1);
      work(2);
      done += 1;
      ending.abort();
      await delay(0);
    }
  };
  const running = Promise.all(Array.from({ length: count }, run));
  return {
    waits,
    done: () => done,
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
};

/** A request that ends at once. */
const sendOne = (throttle: HeavyClientThrottle, client: string): void => {
  const ending = new AbortController();
  throttle.begin(known(client), ending.signal)?.catch(() => undefined);
  ending.abort();
};

/** The latencies of occasional requests. */
const measureLatencies = async (
  throttle: HeavyClientThrottle,
  times: number,
): Promise<number[]> => {
  const durations: number[] = [];
  for (let index = 0; index < times; index += 1) {
    await delay(15);
    const startedAt = performance.now();
    const ending = new AbortController();
    await throttle.begin(known('light'), ending.signal);
    await delay(1);
    durations.push(performance.now() - startedAt);
    ending.abort();
  }
  return durations.sort((one, other) => one - other);
};

test('a client with many requests in flight leaves time to another, and continues', async () => {
  const unfair: HeavyClientThrottle = {
    begin: () => undefined,
    end: () => undefined,
    takeTurn: () => undefined,
    record: () => undefined,
    hasOthers: () => true,
  };
  const medianBeside = async (throttle: HeavyClientThrottle) => {
    for (let index = 0; index < 5; index += 1) await throttle.begin(known('light'), open());
    const heavy = startClient(throttle, 'heavy', 20);
    const durations = await measureLatencies(throttle, 40);
    const done = heavy.done();
    await heavy.stop();
    return { median: durations[20] ?? 0, done };
  };
  const without = await medianBeside(unfair);
  const beside = await medianBeside(createHeavyClientThrottle());
  expect(beside.median).toBeLessThan(without.median / 2);
  expect(beside.done).toBeGreaterThan(20);
});

test('a single client never waits', async () => {
  const throttle = createHeavyClientThrottle();
  const client = startClient(throttle, 'alone', 20);
  await delay(300);
  await client.stop();
  expect(Math.max(...client.waits)).toBeLessThan(1);
});

test('a burst waits as soon as another client is present, unlike that client', async () => {
  const throttle = createHeavyClientThrottle();
  // The other client has sent more requests recently.
  for (let index = 0; index < 100; index += 1) {
    const ended = new AbortController();
    throttle.begin(known('steady'), ended.signal);
    ended.abort();
  }
  const burst = Array.from({ length: 60 }, () => throttle.begin(known('burst'), open()));
  const waiting = burst.filter((admission) => admission !== undefined);
  expect(waiting.length).toBeGreaterThanOrEqual(45);
  for (let index = 0; index < 10; index += 1) {
    expect(throttle.begin(known('steady'), open())).toBeUndefined();
  }
  await Promise.all(waiting);
});

test('requests that accumulate because each one takes long do not wait, unlike a burst', async () => {
  const throttle = createHeavyClientThrottle();
  void throttle.begin(known('other'), open());
  for (let index = 0; index < 30; index += 1) {
    expect(throttle.begin(known('steady'), open())).toBeUndefined();
    void throttle.takeTurn(known('other'), open());
    await delay(15);
  }
});

test('streams, and turns of other things than requests, are not in flight', () => {
  const throttle = createHeavyClientThrottle();
  void throttle.begin(known('other'), open());
  const streams = Array.from({ length: 8 }, open);
  for (const stream of streams) {
    expect(throttle.begin(known('follower'), stream)).toBeUndefined();
    throttle.end(stream);
  }
  for (let index = 0; index < 20; index += 1) {
    const [stream = open()] = streams;
    expect(throttle.takeTurn(known('follower'), stream)).toBeUndefined();
    expect(getEventListeners(stream, 'abort')).toEqual([]);
  }
  expect(throttle.begin(known('follower'), open())).toBeUndefined();
});

test('a request that waits several times is in flight once', () => {
  const throttle = createHeavyClientThrottle();
  void throttle.begin(known('other'), open());
  const request = new AbortController();
  for (let index = 0; index < 20; index += 1) {
    expect(throttle.begin(known('client'), request.signal)).toBeUndefined();
  }
  expect(getEventListeners(request.signal, 'abort')).toHaveLength(1);
});

test('requests that have ended are not in flight', () => {
  const throttle = createHeavyClientThrottle();
  throttle.begin(known('other'), open());
  for (let index = 0; index < 100; index += 1) {
    const ended = new AbortController();
    expect(throttle.begin(known('steady'), ended.signal)).toBeUndefined();
    ended.abort();
  }
});

test('several clients with equal load do not wait long', async () => {
  const throttle = createHeavyClientThrottle();
  const clients = ['one', 'two', 'three'].map((key) => startClient(throttle, key, 6));
  await delay(300);
  for (const client of clients) await client.stop();
  const done = clients.map((client) => client.done());
  expect(Math.min(...done)).toBeGreaterThan(Math.max(...done) / 2);
  for (const { waits } of clients) expect(Math.max(...waits)).toBeLessThan(50);
});

test('the number of waiting requests is limited, and each of them starts', async () => {
  const throttle = createHeavyClientThrottle({ maxWaiting: 3 });
  void throttle.begin(known('other'), open());
  void throttle.begin(known('other'), open());
  const requests: (Promise<void> | undefined)[] = [];
  const fill = () => {
    while (requests.filter(Boolean).length < 4) {
      work(5);
      requests.push(throttle.begin(known('heavy'), open()));
    }
  };
  // The event loop stays busy meanwhile.
  expect(fill).toThrow('3 of yours are queued');
  expect(throttle.begin(known('other'), open())).toBeUndefined();
  await Promise.all(requests);
});

test('expensive work counts as many requests', () => {
  const waits = (points: number) => {
    const throttle = createHeavyClientThrottle();
    const begin = (client: string) => {
      const ending = new AbortController();
      const admission = throttle.begin(known(client), ending.signal);
      admission?.catch(() => undefined);
      return { admission, end: () => ending.abort() };
    };
    for (let index = 0; index < 2; index += 1) begin('other').end();
    const requests: (Promise<void> | undefined)[] = [];
    for (let index = 0; index < 15; index += 1) {
      work(5);
      const { admission, end } = begin('costly');
      requests.push(admission);
      throttle.record(known('costly'), { points });
      end();
    }
    return requests.some(Boolean);
  };
  expect(waits(50)).toBe(false);
  expect(waits(20_000)).toBe(true);
});

test('clients without known credentials share their turns, whatever their addresses', async () => {
  const medianBeside = async (senderOf: typeof known) => {
    const throttle = createHeavyClientThrottle();
    const flood = ['1', '2', '3', '4', '5'].map((ip) => startClient(throttle, ip, 4, senderOf));
    const durations = await measureLatencies(throttle, 40);
    for (const client of flood) await client.stop();
    return { median: durations[20] ?? 0, done: flood.map((client) => client.done()) };
  };
  const separate = await medianBeside(known);
  const together = await medianBeside(anonymous);
  expect(together.median).toBeLessThan(separate.median / 2);
  expect(Math.min(...together.done)).toBeGreaterThan(0);
});

test('a client without known credentials waits even if it is the only one', async () => {
  const throttle = createHeavyClientThrottle();
  const client = startClient(throttle, 'alone', 20, anonymous);
  await delay(500);
  await client.stop();
  expect(client.waits.some((wait) => wait > 1)).toBe(true);
});

test('expensive requests are followed by a longer pause', async () => {
  const startedIn = async (points: number) => {
    const throttle = createHeavyClientThrottle();
    for (let index = 0; index < 3; index += 1) sendOne(throttle, 'other');
    const heavy = startClient(
      {
        ...throttle,
        begin: (sender, signal) => {
          throttle.record(sender, { points });
          return throttle.begin(sender, signal);
        },
      },
      'heavy',
      20,
    );
    const until = performance.now() + 600;
    while (performance.now() < until) {
      sendOne(throttle, 'other');
      work(3);
      await delay(0);
    }
    const done = heavy.done();
    await heavy.stop();
    return done;
  };
  const cheap = await startedIn(0);
  expect(await startedIn(10_000)).toBeLessThan(cheap / 2);
});

test('a request that is aborted leaves its line', async () => {
  const throttle = createHeavyClientThrottle({ maxWaiting: 2 });
  const controller = new AbortController();
  const requests: (Promise<void> | undefined)[] = [];
  while (requests.filter(Boolean).length < 2) {
    requests.push(throttle.begin(anonymous('one'), controller.signal));
  }
  expect(() => throttle.begin(anonymous('one'), open())).toThrow('2 of yours are queued');
  controller.abort(new Error('gone'));
  for (const request of requests.filter(Boolean)) await expect(request).rejects.toThrow('gone');
  await throttle.begin(anonymous('one'), open());
});

test('a request that was aborted before does not enter a line', () => {
  const throttle = createHeavyClientThrottle();
  const signal = AbortSignal.abort(new Error('gone'));
  expect(() => throttle.begin(anonymous('one'), signal)).toThrow('gone');
});

test('when too many requests wait in total, each client may queue one', async () => {
  const throttle = createHeavyClientThrottle();
  const controller = new AbortController();
  const { signal } = controller;
  const begin = (client: string) =>
    throttle.begin(anonymous(client), signal)?.catch(() => undefined);
  for (let index = 0; index < 2_004; index += 1) void begin(`${index % 500}`);
  expect(() => begin('0')).toThrow('of yours are queued');
  void begin('new');
  expect(() => begin('new')).toThrow('1 of yours are queued');
  controller.abort();
});

test.each(['probe', 'credentials'] as const)(
  'other anonymous requests do not delay requests of kind %s',
  async (kind) => {
    const throttle = createHeavyClientThrottle();
    const { signal } = new AbortController();
    for (let index = 0; index < 500; index += 1) {
      void throttle.begin(anonymous(`${index}`), signal)?.catch(() => undefined);
    }
    expect(throttle.begin(anonymous('other'), signal)).toBeInstanceOf(Promise);
    expect(throttle.begin({ client: 'other', anonymous: kind }, signal)).toBeUndefined();
  },
);

test('probes wait but are never rejected, however many of an address wait', async () => {
  const throttle = createHeavyClientThrottle({ maxWaiting: 10 });
  const begin = () => throttle.begin({ client: 'balancer', anonymous: 'probe' }, open());
  const probes = Array.from({ length: 200 }, begin);
  expect(probes.filter((admission) => admission !== undefined).length).toBeGreaterThan(190);
  await Promise.all(probes);
});

test('probes of hundreds of addresses take turns quickly', async () => {
  const throttle = createHeavyClientThrottle();
  const begin = (client: string) => throttle.begin({ client, anonymous: 'probe' }, open());
  const flood = Array.from({ length: 400 }, (_, index) => begin(`${index}`));
  const startedAt = performance.now();
  await begin('kubelet');
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  await Promise.all(flood);
});

test('a client that keeps the event loop busy waits, even with fewer requests than others', () => {
  const waitsOf = (ms: number) => {
    const throttle = createHeavyClientThrottle();
    const begin = (client: string) => {
      const ending = new AbortController();
      const admission = throttle.begin(known(client), ending.signal);
      admission?.catch(() => undefined);
      return { isWaiting: admission !== undefined, end: () => ending.abort() };
    };
    const waits = { honest: 0, slow: 0 };
    for (let round = 0; round < 60; round += 1) {
      // Requests of the other client accumulate while the event loop is busy.
      const others = [begin('honest'), begin('honest'), begin('honest')];
      const slow = begin('slow');
      work(10);
      throttle.record(known('slow'), { ms });
      waits.honest += others.filter(({ isWaiting }) => isWaiting).length;
      waits.slow += slow.isWaiting ? 1 : 0;
      for (const { end } of [...others, slow]) end();
    }
    return waits;
  };
  const { honest, slow } = waitsOf(10);
  expect(slow).toBeGreaterThan(0);
  expect(honest).toBe(0);
  // Without the time, the client with more requests waits.
  expect(waitsOf(0)).toMatchObject({ slow: 0 });
  expect(waitsOf(0).honest).toBeGreaterThan(0);
});

test('a client that uses a third of the event loop is served at its own pace, even if it is held', async () => {
  const throttle = createHeavyClientThrottle();
  let held = 0;
  let unserved = 0;
  let maxUnserved = 0;
  const serve = async () => {
    const ending = new AbortController();
    const admission = throttle.begin(known('steady'), ending.signal);
    if (admission) held += 1;
    unserved += 1;
    await admission;
    work(6);
    throttle.record(known('steady'), { ms: 6 });
    ending.abort();
    unserved -= 1;
  };
  const until = performance.now() + 3_000;
  while (performance.now() < until) {
    // Others keep the event loop busy, and their time is not known.
    sendOne(throttle, 'other');
    void serve();
    work(10);
    maxUnserved = Math.max(maxUnserved, unserved);
    await delay(1);
  }
  expect(held).toBeGreaterThan(20);
  expect(maxUnserved).toBeLessThan(20);
});

test('a client does not wait for time that is not recorded for anyone', async () => {
  const throttle = createHeavyClientThrottle();
  for (let index = 0; index < 2; index += 1) void throttle.begin(known('other'), open());
  const waits: boolean[] = [];
  const until = performance.now() + 3_000;
  while (performance.now() < until) {
    sendOne(throttle, 'other');
    const ending = new AbortController();
    const admission = throttle.begin(known('steady'), ending.signal);
    waits.push(admission !== undefined);
    await admission;
    work(7);
    throttle.record(known('steady'), { ms: 7 });
    ending.abort();
    work(12);
    await delay(1);
  }
  expect(waits.length).toBeGreaterThan(50);
  // Until the event loop is known to be busy.
  expect(waits.filter(Boolean).length).toBeLessThan(5);
});

test('a client with many requests in flight because of a busy event loop does not wait', () => {
  const throttle = createHeavyClientThrottle();
  const begin = (client: string) => throttle.begin(known(client), new AbortController().signal);
  begin('busy');
  for (let index = 0; index < 8; index += 1) expect(begin('victim')).toBeUndefined();
  throttle.record(known('busy'), { ms: 200 });
  for (let index = 0; index < 8; index += 1) expect(begin('victim')).toBeUndefined();
});

test('requests that wait while their client is heavy are not overtaken, and start when it is alone', async () => {
  const throttle = createHeavyClientThrottle();
  // The first requests of a client, whose credentials are not known yet, count as those of another.
  for (let count = 0; count < 3; count += 1) {
    void throttle.begin({ client: 'address', anonymous: 'credentials' }, open());
  }
  const client = startClient(throttle, 'heavy', 20);
  await delay(3_000);
  await client.stop();
  expect(client.waits.some((ms) => ms > 0)).toBe(true);
  expect(Math.max(...client.waits)).toBeLessThan(1_000);
}, 20_000);
