import { expect, test } from 'vitest';
import { createTurns } from '../../src/http/in-turns.js';

/** Blocks the event loop. */
const work = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('a few steps run at once', () => {
  const inTurns = createTurns();
  const done: number[] = [];
  for (const step of [1, 2, 3]) inTurns(() => done.push(step));
  expect(done).toEqual([1, 2, 3]);
});

test('many steps run in order, with other work in between', async () => {
  const inTurns = createTurns();
  const done: number[] = [];
  for (let step = 0; step < 30; step += 1) {
    inTurns(() => {
      work(1);
      done.push(step);
    });
  }
  const progress: number[] = [];
  while (done.length < 30) {
    progress.push(done.length);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(done).toEqual(Array.from({ length: 30 }, (_, step) => step));
  expect(progress.length).toBeGreaterThanOrEqual(10);
});

test('steps that come while others wait run after them', async () => {
  const inTurns = createTurns();
  const done: string[] = [];
  inTurns(() => {
    work(3);
    done.push('long');
  });
  inTurns(() => done.push('waiting'));
  inTurns(() => done.push('last'));
  expect(done).toEqual(['long']);
  await expect.poll(() => done).toEqual(['long', 'waiting', 'last']);
});
