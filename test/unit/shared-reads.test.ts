import { afterEach, expect, test, vi } from 'vitest';
import { createSharedReads } from '../../src/domain/shared-reads.js';

/** Reads a changing value; each read ends when the test ends it. */
const createSource = () => {
  const reads: { value: number; end: () => void; fail: (error: Error) => void }[] = [];
  const source = {
    value: 0,
    reads,
    read: () =>
      new Promise<number>((resolve, reject) => {
        const { value } = source;
        reads.push({ value, end: () => resolve(value), fail: reject });
      }),
  };
  return source;
};

afterEach(() => {
  vi.useRealTimers();
});

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test('callers during a read share the next one', async () => {
  const { share } = createSharedReads();
  const source = createSource();
  const first = share('all', source.read);
  const others = [1, 2, 3].map(() => share('all', source.read));
  source.reads[0]?.end();
  await nextTick();
  expect(source.reads).toHaveLength(2);
  source.reads[1]?.end();
  expect(await Promise.all([first, ...others])).toEqual([0, 0, 0, 0]);
  expect(source.reads).toHaveLength(2);
});

test('a caller never gets a value read before its call', async () => {
  const { share } = createSharedReads();
  const source = createSource();
  const reads: { least: number; result: Promise<number> }[] = [];
  const startRead = () => reads.push({ least: source.value, result: share('all', source.read) });
  for (let step = 0; step < 200; step++) {
    source.value += 1;
    for (let caller = 0; caller <= step % 4; caller++) startRead();
    if (step % 3 === 0) {
      for (const read of source.reads) read.end();
      await nextTick();
    }
  }
  const ended = setInterval(() => source.reads.map((read) => read.end()), 1);
  for (const { least, result } of reads) expect(await result).toBeGreaterThanOrEqual(least);
  clearInterval(ended);
  expect(source.reads.length).toBeLessThan(reads.length / 3);
});

test('a failure rejects the callers that shared the read, and no later ones', async () => {
  const { share } = createSharedReads();
  const source = createSource();
  const first = share('all', source.read);
  const second = share('all', source.read);
  source.reads[0]?.fail(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await nextTick();
  source.reads[1]?.end();
  expect(await second).toBe(0);
  const third = share('all', source.read);
  source.reads[2]?.end();
  expect(await third).toBe(0);
});

test('different keys are independent', async () => {
  const { share } = createSharedReads();
  const source = createSource();
  const reads = ['one', 'other'].map((key) => share(key, source.read));
  expect(source.reads).toHaveLength(2);
  for (const read of source.reads) read.end();
  await Promise.all(reads);
});

test('callers do not wait for a hanging read', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { share } = createSharedReads();
  const source = createSource();
  const hanging = share('all', source.read);
  vi.advanceTimersByTime(30_000);
  const behind = share('all', source.read);
  vi.advanceTimersByTime(1);
  const beside = share('all', source.read);
  expect(source.reads).toHaveLength(2);
  source.reads[1]?.end();
  expect(await beside).toBe(0);
  source.reads[0]?.end();
  expect(await hanging).toBe(0);
  await nextTick();
  source.reads[2]?.end();
  expect(await behind).toBe(0);
});
