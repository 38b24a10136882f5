import { expect, test } from 'vitest';
import { createStartTurns, noteAccepted } from '../../src/http/start-turns.js';

/** Blocks the event loop, as validating a document does. */
const work = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a request starts at once', async () => {
  const start = createStartTurns();
  expect(start('a')).toBeNull();
  await nextTurn();
  await nextTurn();
  expect(start('a')).toBeNull();
});

test('requests that are ready together start in several turns of the event loop', async () => {
  const start = createStartTurns();
  const started: number[] = [];
  let turn = 0;
  const run = async () => {
    await start('a');
    work(2);
    started.push(turn);
  };
  const all = Promise.all(Array.from({ length: 20 }, run));
  while (started.length < 20) {
    turn += 1;
    await nextTurn();
  }
  await all;
  expect(new Set(started).size).toBeGreaterThanOrEqual(15);
});

test('owners take turns', async () => {
  const start = createStartTurns();
  const order: string[] = [];
  const run = async (owner: string) => {
    await start(owner);
    work(2);
    order.push(owner);
  };
  await Promise.all(['a', 'a', 'a', 'a', 'a', 'b'].map(run));
  expect(order.indexOf('b')).toBeLessThanOrEqual(2);
});

test('requests wait while connections are accepted, but not for long', async () => {
  const start = createStartTurns();
  noteAccepted();
  let isStarted = false;
  const startedAt = performance.now();
  const starting = Promise.resolve(start('a')).then(() => {
    isStarted = true;
  });
  for (let turn = 0; turn < 5; turn += 1) {
    noteAccepted();
    await nextTurn();
    // On a busy machine, five turns can take longer than a request waits at most.
    if (performance.now() - startedAt < 15) expect(isStarted).toBe(false);
  }
  while (!isStarted && performance.now() - startedAt < 5_000) {
    noteAccepted();
    await nextTurn();
  }
  await starting;
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
