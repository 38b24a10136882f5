import { expect, test } from 'vitest';
import { databaseFailure } from '../../src/data/database-failure.js';
import { createByteBudget } from '../../src/data/work/byte-budget.js';
import { createSingleFlight, withTimeout } from '../../src/data/work/single-flight.js';
import {
  assertNotCancelled,
  countSize,
  createWork,
  currentWork,
  runAs,
} from '../../src/data/work/work.js';

const nextTick = () => new Promise((resolve) => setImmediate(resolve));
const never = () => new Promise<never>(() => undefined);

test('concurrent calls share one read, later ones read again', async () => {
  let reads = 0;
  const read = createSingleFlight(async () => {
    await nextTick();
    return ++reads;
  });
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  expect(await read()).toBe(2);
});

test('a read survives the caller that started it', async () => {
  const controller = new AbortController();
  const work = createWork(controller.signal);
  const read = createSingleFlight(async () => {
    await nextTick();
    assertNotCancelled();
    return 'read';
  });
  const first = runAs(work, read);
  const second = read();
  controller.abort();
  expect(await Promise.all([first, second])).toEqual(['read', 'read']);
});

test('a read is cancelled when all its callers have disconnected, and the next call reads again', async () => {
  const controllers = [new AbortController(), new AbortController()];
  const signals: (AbortSignal | undefined)[] = [];
  const current: boolean[] = [];
  const read = createSingleFlight(async (isCurrent) => {
    const signal = currentWork()?.signal;
    signals.push(signal);
    await nextTick();
    current.push(isCurrent());
    assertNotCancelled();
    return 'read';
  });
  const all = controllers.map(({ signal }) => runAs(createWork(signal), read));
  controllers[0]?.abort();
  expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
  controllers[1]?.abort();
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  const later = runAs(createWork(), read);
  for (const { status } of await Promise.allSettled(all)) expect(status).toBe('rejected');
  expect(await later).toBe('read');
  expect(current).toEqual([false, true]);
});

test('a read uses the share of no caller, so that none can fail it for the others', async () => {
  const budget = createByteBudget({ max: 100, maxPerWork: 100 });
  const work = createWork(undefined, { owner: 'full', budget });
  const read = createSingleFlight(async () => {
    countSize(60);
    return currentWork()?.owner;
  });
  const readAs = () => runAs(work, read);
  runAs(work, () => countSize(50));
  expect(() => runAs(work, () => countSize(60))).toThrow();
  expect(await Promise.all([readAs(), read()])).toEqual(['', '']);
  expect(work.usage.size).toBeLessThan(120);
});

test('a read for a caller that may read a replica may do so, too', async () => {
  const read = createSingleFlight(async () => currentWork()?.mayReadReplica);
  expect(await runAs(createWork(undefined, { mayReadReplica: true }), read)).toBe(true);
  expect(await runAs(createWork(), read)).toBe(false);
});

test('a read without a response is abandoned: its callers fail, and the next call reads again', async () => {
  const reads: (() => Promise<string>)[] = [never, async () => 'good'];
  const read = createSingleFlight(async () => (reads.shift() ?? never)(), 30);
  const [first, second] = await Promise.allSettled([read(), read()]);
  for (const { status } of [first, second]) expect(status).toBe('rejected');
  expect(databaseFailure((first as PromiseRejectedResult).reason)).toBe('overloaded');
  expect(await read()).toBe('good');
});

test('an abandoned read knows that it is no longer the current one', async () => {
  let end: () => void = () => undefined;
  const current: boolean[] = [];
  const read = createSingleFlight(async (isCurrent) => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    current.push(isCurrent());
  }, 30);
  await expect(read()).rejects.toThrow('no response');
  end();
  await nextTick();
  expect(current).toEqual([false]);
});

test('a failure after the time limit is not left unhandled', async () => {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error('late')), 40);
  });
  await expect(withTimeout(10, late)).rejects.toThrow('no response');
  await new Promise((resolve) => setTimeout(resolve, 60));
});
