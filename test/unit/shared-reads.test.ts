import { expect, test } from 'vitest';
import { createSharedReads } from '../../src/domain/shared-reads.js';

/** Reads a value that others change; each read ends when it is told to. */
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

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('all who ask during a read are given the next one', async () => {
  const { share } = createSharedReads();
  const source = createSource();
  const first = share('all', source.read);
  const others = [1, 2, 3].map(() => share('all', source.read));
  source.reads[0]?.end();
  await turn();
  expect(source.reads).toHaveLength(2);
  source.reads[1]?.end();
  expect(await Promise.all([first, ...others])).toEqual([0, 0, 0, 0]);
  expect(source.reads).toHaveLength(2);
});

test('nobody is given what was read before he asked', async () => {
  const { share } = createSharedReads();
  const source = createSource();
  const asked: { least: number; given: Promise<number> }[] = [];
  const ask = () => asked.push({ least: source.value, given: share('all', source.read) });
  for (let step = 0; step < 200; step++) {
    source.value += 1;
    for (let caller = 0; caller <= step % 4; caller++) ask();
    if (step % 3 === 0) {
      for (const read of source.reads) read.end();
      await turn();
    }
  }
  const ended = setInterval(() => source.reads.map((read) => read.end()), 1);
  for (const { least, given } of asked) expect(await given).toBeGreaterThanOrEqual(least);
  clearInterval(ended);
  expect(source.reads.length).toBeLessThan(asked.length / 3);
});

test('a failure is told to those who shared it, and to nobody after them', async () => {
  const { share } = createSharedReads();
  const source = createSource();
  const first = share('all', source.read);
  const second = share('all', source.read);
  source.reads[0]?.fail(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await turn();
  source.reads[1]?.end();
  expect(await second).toBe(0);
  const third = share('all', source.read);
  source.reads[2]?.end();
  expect(await third).toBe(0);
});

test('different keys have nothing to do with each other', async () => {
  const { share } = createSharedReads();
  const source = createSource();
  const asked = ['one', 'other'].map((key) => share(key, source.read));
  expect(source.reads).toHaveLength(2);
  for (const read of source.reads) read.end();
  await Promise.all(asked);
});
