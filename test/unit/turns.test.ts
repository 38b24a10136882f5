import { expect, test } from 'vitest';
import { createTurns, inTurns } from '../../src/http/turns.js';

/** Blocks the event loop. */
const work = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('a few steps run at once', () => {
  const run = inTurns(2);
  const done: number[] = [];
  for (const step of [1, 2, 3]) run(() => done.push(step));
  expect(done).toEqual([1, 2, 3]);
});

test('many steps run in order, with other work in between', async () => {
  const run = inTurns(2);
  const done: number[] = [];
  for (let step = 0; step < 30; step += 1) {
    run(() => {
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
  const run = inTurns(2);
  const done: string[] = [];
  run(() => {
    work(3);
    done.push('long');
  });
  run(() => done.push('waiting'));
  run(() => done.push('last'));
  expect(done).toEqual(['long']);
  await expect.poll(() => done).toEqual(['long', 'waiting', 'last']);
});

test('owners take turns', async () => {
  const turns = createTurns(2);
  const done: string[] = [];
  for (const owner of ['many', 'many', 'many', 'many', 'few']) {
    turns.runLater(owner, () => {
      work(3);
      done.push(owner);
    });
  }
  await expect.poll(() => done.length).toBe(5);
  expect(done.indexOf('few')).toBe(1);
});

test('a turn includes what its steps wake', async () => {
  const turns = createTurns(2);
  let woken = 0;
  for (let step = 0; step < 30; step += 1) {
    let wake: () => void = () => undefined;
    void new Promise<void>((resolve) => {
      wake = resolve;
    }).then(() => {
      work(1);
      woken += 1;
    });
    turns.runLater('', () => wake());
  }
  let most = 0;
  while (woken < 30) {
    const before = woken;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, woken - before);
  }
  expect(most).toBeLessThanOrEqual(4);
});
