import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFairSlots } from '../../src/data/pool/fair-slots.js';
import { createTimeSlicer } from '../../src/data/work/time-slicer.js';
import { createWork, runAs } from '../../src/data/work/work.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const create = () => {
  const slots = createFairSlots({ size: 10, waitMs: 5_000 });
  const work = (owner: string) => createWork(undefined, { owner });
  const largeWork = (owner: string) => ({
    ...work(owner),
    slicer: createTimeSlicer(new AbortController().signal),
  });
  /** Requests this many slots; returns the release functions of those that are granted. */
  const take = async (owner: string, count: number, createOwn = work) => {
    const releases: (() => void)[] = [];
    for (let index = 0; index < count; index += 1) {
      void runAs(createOwn(owner), () => slots.enter()).then(
        (release) => releases.push(release),
        () => undefined,
      );
    }
    await vi.advanceTimersByTimeAsync(0);
    return releases;
  };
  /** Uses this many slots for some time. */
  const use = async (owner: string, count: number, ms: number) => {
    const releases = await take(owner, count);
    await vi.advanceTimersByTimeAsync(ms);
    for (const release of releases) release();
  };
  const takeLarge = (owner: string, count: number) => take(owner, count, largeWork);
  return { take, takeLarge, use };
};

test('one owner gets at most half of the slots', async () => {
  const { take } = create();
  expect(await take('a', 8)).toHaveLength(5);
  expect(await take('b', 8)).toHaveLength(5);
});

test('an owner that used slots for long gets one at a time while others are present', async () => {
  const { take, use } = create();
  await use('slow', 5, 2_000);
  await use('other', 1, 10);
  const releases = await take('slow', 5);
  expect(releases).toHaveLength(1);
  releases[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(releases).toHaveLength(2);
});

test('an owner that is alone keeps its share, however long it uses it', async () => {
  const { take, use } = create();
  await use('slow', 5, 5_000);
  expect(await take('slow', 5)).toHaveLength(5);
});

test('an owner regains its share after a while', async () => {
  const { take, use } = create();
  await use('slow', 5, 2_000);
  await vi.advanceTimersByTimeAsync(15_000);
  await use('other', 1, 10);
  expect(await take('slow', 5)).toHaveLength(5);
});

test('an owner whose statements are slow because of another one keeps its share', async () => {
  const { take, use } = create();
  const slow = use('slow', 5, 4_000);
  await use('victim', 1, 3_000);
  await slow;
  expect(await take('victim', 5)).toHaveLength(5);
  expect(await take('slow', 5)).toHaveLength(1);
});

test('large operations get one slot while others are present, besides the small ones of their owner', async () => {
  const { take, takeLarge, use } = create();
  expect(await takeLarge('alone', 3)).toHaveLength(3);
  await use('other', 1, 10);
  expect(await takeLarge('a', 3)).toHaveLength(1);
  expect(await take('a', 2)).toHaveLength(2);
});

test('large and small operations of an owner share its half of the slots', async () => {
  const { take, takeLarge } = create();
  expect(await takeLarge('alone', 3)).toHaveLength(3);
  expect(await take('alone', 5)).toHaveLength(2);
});
