import { describe, expect, test } from 'vitest';
import {
  createByteBudget,
  NO_OWNER,
  UNKNOWN_BODIES,
  UNKNOWN_PAGES,
  unknownPagesOf,
} from '../../src/data/work/byte-budget.js';
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.js';
import { createTokenBuckets } from '../../src/http/token-bucket.js';

const NEVER = new AbortController().signal;

describe('token buckets', () => {
  const create = (options = {}) => {
    let time = 0;
    const buckets = createTokenBuckets(
      { points: 100, windowMs: 1_000 },
      { now: () => time, ...options },
    );
    return {
      buckets,
      pass: (ms: number) => {
        time += ms;
      },
    };
  };

  test('are refilled evenly, per key', () => {
    const { buckets, pass } = create();
    expect(buckets.take('a', 100)).toBe(0);
    expect(buckets.take('a', 10)).toBe(100);
    expect(buckets.take('b', 100)).toBe(0);
    pass(99);
    expect(buckets.take('a', 10)).toBe(1);
    pass(1);
    expect(buckets.take('a', 10)).toBe(0);
    expect(buckets.stateOf('a')).toEqual({ remaining: 0, resetSeconds: 1 });
    expect(buckets.stateOf('unknown')).toEqual({ remaining: 100, resetSeconds: 0 });
  });

  test('allow costs above their capacity when they are full', () => {
    const { buckets, pass } = create();
    expect(buckets.take('a', 5_000)).toBe(0);
    expect(buckets.take('a', 5_000)).toBe(1_000);
    pass(1_000);
    expect(buckets.take('a', 5_000)).toBe(0);
  });

  test('accept refunds up to their capacity', () => {
    const { buckets } = create();
    buckets.take('a', 60);
    buckets.refund('a', 50);
    buckets.refund('b', 50);
    expect(buckets.stateOf('a').remaining).toBe(90);
    buckets.refund('a', 50);
    expect(buckets.take('a', 100)).toBe(0);
    expect(buckets.take('b', 101)).toBe(0);
    expect(buckets.take('b', 1)).toBeGreaterThan(0);
  });

  test('are limited in number', () => {
    let evicted = 0;
    const { buckets } = create({
      maxKeys: 10,
      onEvict: () => {
        evicted += 1;
      },
    });
    for (let key = 0; key < 25; key++) buckets.take(String(key), 1);
    expect(evicted).toBe(15);
    expect(buckets.stateOf('0').remaining).toBe(100);
    expect(buckets.stateOf('24').remaining).toBe(99);
  });
});

describe('the concurrency limit', () => {
  const wait = () => {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    return { ended, end };
  };

  test('runs a limited number per key, the others in order, and other keys independently', async () => {
    const limit = createConcurrencyLimit(2);
    const started: string[] = [];
    const works = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => ({ name, ...wait() }));
    const ends = works.map(({ name, ended }) =>
      limit(name[0] ?? '', NEVER, async () => {
        started.push(name);
        await ended;
      }),
    );
    await Promise.resolve();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    works[1]?.end();
    await ends[1];
    await Promise.resolve();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (const { end } of works) end();
    await Promise.all(ends);
    expect(started.at(-1)).toBe('a4');
  });

  test('rejects work above the queue limit, and removes that of disconnected callers', async () => {
    const limit = createConcurrencyLimit(1, { maxWaiting: 2 });
    const first = wait();
    const running = limit('a', NEVER, () => first.ended);
    const controller = new AbortController();
    const cancelled = limit('a', controller.signal, async () => 'never');
    const waiting = limit('a', NEVER, async () => 'second');
    await expect(limit('a', NEVER, async () => 'third')).rejects.toMatchObject({
      name: 'RateLimitError',
    });
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ name: 'CancelledError' });
    const third = limit('a', NEVER, async () => 'third');
    first.end();
    await running;
    expect(await Promise.all([waiting, third])).toEqual(['second', 'third']);
  });
});

describe('the byte budget', () => {
  const MB = 1_000_000;

  test('leaves half of it to others, and reuses released bytes', () => {
    const budget = createByteBudget({ max: 10 * MB, maxPerWork: 5 * MB });
    expect(budget.take('a', 5 * MB, 5 * MB)).toBe(true);
    expect(budget.take('a', MB, MB)).toBe(false);
    expect(budget.take('b', 5 * MB, 5 * MB)).toBe(true);
    expect(budget.take('c', MB, MB)).toBe(false);
    expect(budget.inFlight()).toBe(10 * MB);
    budget.release('b', 5 * MB);
    expect(budget.take('c', MB, MB)).toBe(true);
    budget.release('a', 5 * MB);
    budget.release('c', MB);
    expect(budget.inFlight()).toBe(0);
  });

  test('leaves most of it to known clients', () => {
    const budget = createByteBudget({ max: 8 * MB, maxPerWork: 4 * MB });
    const shares = [
      [NO_OWNER, 10],
      [UNKNOWN_BODIES, 10],
      [UNKNOWN_PAGES, 20],
    ] as const;
    for (const [owner, fitting] of shares) {
      for (let count = 0; count < fitting; count += 1)
        expect(budget.take(owner, 100_000, 100_000)).toBe(true);
      expect(budget.take(owner, 100_000, 100_000)).toBe(false);
    }
    expect(budget.take('a', 4 * MB, 4 * MB)).toBe(true);
  });

  test('leaves most of the pages to other addresses, and always one page to each', () => {
    const budget = createByteBudget({ max: 16 * MB, maxPerWork: 4 * MB });
    const [a, b] = [unknownPagesOf('192.0.2.1'), unknownPagesOf('192.0.2.2')];
    expect(budget.take(a, 900_000, 900_000)).toBe(true);
    expect(budget.take(a, 200_000, 200_000)).toBe(false);
    expect(budget.take(b, 2 * MB, 2 * MB)).toBe(true);
    expect(budget.take(b, 1, 1)).toBe(false);
    // All addresses together have a quarter of the budget.
    expect(budget.take(unknownPagesOf('192.0.2.3'), 2 * MB, 2 * MB)).toBe(false);
    budget.release(b, 2 * MB);
    expect(budget.take(unknownPagesOf('192.0.2.3'), 2 * MB, 2 * MB)).toBe(true);
    budget.release(a, 900_000);
    expect(budget.take(a, MB, MB)).toBe(true);
    expect(budget.inFlight()).toBe(3 * MB);
  });

  test('counts small responses, and never rejects them', () => {
    const budget = createByteBudget({ max: MB, maxPerWork: MB });
    expect(budget.take('a', MB, MB)).toBe(true);
    expect(budget.take('b', 1_000, 1_000)).toBe(true);
    expect(budget.inFlight()).toBe(MB + 1_000);
  });
});
