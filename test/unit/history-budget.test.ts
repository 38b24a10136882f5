import { describe, expect, test } from 'vitest';
import { createHistoryBudget } from '../../src/domain/features/history/history-budget.js';

describe('the history budget of a request', () => {
  const budget = () =>
    createHistoryBudget({ field: 'asOf', requested: 'moments', read: 100, walked: 30_000 });

  test('limits the events it reads', () => {
    const { read } = budget();
    read(60);
    read(40);
    expect(() => read(1)).toThrow(/'asOf' would read more than 100 events/);
  });

  test('reports what is left', () => {
    const counted = budget();
    expect(counted.left).toBe(100);
    counted.read(60);
    expect(counted.left).toBe(40);
  });

  test('limits the events it processes, and yields to the event loop', async () => {
    const { walk } = budget();
    let turns = 0;
    const other = setInterval(() => {
      turns += 1;
    }, 0);
    for (let done = 0; done < 30_000; done += 100) {
      // Work that blocks the event loop.
      for (const startedAt = performance.now(); performance.now() - startedAt < 0.05; );
      await walk(100);
    }
    clearInterval(other);
    expect(turns).toBeGreaterThanOrEqual(3);
    await expect(walk(1)).rejects.toThrow(/'asOf' would replay more than 30000 events/);
  });

  test('runs tasks one at a time, even after one fails', async () => {
    const { inTurn } = budget();
    const done: string[] = [];
    const work = (name: string, ms: number) => async () => {
      done.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, ms));
      done.push(`${name} ends`);
      if (name === 'first') throw new Error('lost');
    };
    const first = inTurn(work('first', 20));
    const second = inTurn(work('second', 1));
    await expect(first).rejects.toThrow('lost');
    await second;
    expect(done).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });
});
