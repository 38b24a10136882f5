import { describe, expect, test } from 'vitest';
import { createHistoryBudget } from '../../src/domain/features/history/history-budget.js';

describe('what a request may take to tell the past', () => {
  const budget = () =>
    createHistoryBudget({ field: 'asOf', asked: 'moments', read: 100, walked: 30_000 });

  test('is counted over all it reads', () => {
    const { read } = budget();
    read(60);
    read(40);
    expect(() => read(1)).toThrow(/'asOf' would have to read more than 100 events/);
  });

  test('is told while it lasts', () => {
    const counted = budget();
    expect(counted.left).toBe(100);
    counted.read(60);
    expect(counted.left).toBe(40);
  });

  test('is counted over all it goes through, while others have their turn', async () => {
    const { walk } = budget();
    let turns = 0;
    const other = setInterval(() => {
      turns += 1;
    }, 0);
    for (let done = 0; done < 30_000; done += 100) {
      // Work that keeps everybody else waiting.
      for (const begun = performance.now(); performance.now() - begun < 0.05; );
      await walk(100);
    }
    clearInterval(other);
    expect(turns).toBeGreaterThanOrEqual(2);
    await expect(walk(1)).rejects.toThrow(/'asOf' would have to go through more than 30000 events/);
  });

  test('is shared by works that wait for each other, also after one failed', async () => {
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
