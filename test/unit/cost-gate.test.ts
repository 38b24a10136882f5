import { expect, test } from 'vitest';
import { createWork, runAs } from '../../src/data/work/work.js';
import { createCostGate } from '../../src/http/cost-gate.js';

/** Starts operations that run until the test ends them. */
const operator = (gate: ReturnType<typeof createCostGate>) => {
  const running: string[] = [];
  const begin = (owner: string, points: number, name: string, signal?: AbortSignal) => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const outcome = runAs(createWork(signal), () =>
      gate(owner, points, async () => {
        running.push(name);
        await ended;
        running.splice(running.indexOf(name), 1);
        return name;
      }),
    ).catch((error: Error) => error.name);
    return { end, outcome };
  };
  return { running, begin };
};

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

test('operations in flight cost no more than the limit, and one owner uses at most half of it', async () => {
  const { running, begin } = operator(createCostGate(40_000));
  const first = begin('a', 16_000, 'a1');
  const second = begin('a', 16_000, 'a2');
  const others = [begin('b', 16_000, 'b1'), begin('c', 8_000, 'c1'), begin('c', 400, 'c2')];
  await settle();
  expect(running).toEqual(['c2', 'a1', 'b1', 'c1']);
  first.end();
  await settle();
  expect(running).toEqual(['c2', 'b1', 'c1', 'a2']);
  for (const { end } of [second, ...others]) end();
  expect(await Promise.all([first, second, ...others].map(({ outcome }) => outcome))).toEqual([
    'a1',
    'a2',
    'b1',
    'c1',
    'c2',
  ]);
});

test('one owner runs one large operation at a time, beside smaller ones', async () => {
  const { running, begin } = operator(createCostGate(100_000));
  const first = begin('a', 20_000, 'a1');
  const second = begin('a', 20_000, 'a2');
  const others = [begin('a', 400, 'a3'), begin('b', 20_000, 'b1')];
  await settle();
  expect(running).toEqual(['a3', 'a1', 'b1']);
  first.end();
  await settle();
  expect(running).toEqual(['a3', 'b1', 'a2']);
  for (const { end } of [second, ...others]) end();
});

test('an operation above the limit runs alone', async () => {
  const { running, begin } = operator(createCostGate(100_000));
  const small = begin('a', 50_000, 'small');
  const large = begin('b', 500_000, 'large');
  await settle();
  expect(running).toEqual(['small']);
  small.end();
  await settle();
  expect(running).toEqual(['large']);
  large.end();
});

test('an operation that fails or is cancelled releases its capacity', async () => {
  const gate = createCostGate(100_000);
  const { running, begin } = operator(gate);
  await expect(gate('a', 50_000, async () => Promise.reject(new Error('no')))).rejects.toThrow();
  const holder = begin('a', 50_000, 'holder');
  const controller = new AbortController();
  const waiting = begin('a', 50_000, 'waiting', controller.signal);
  await settle();
  controller.abort();
  expect(await waiting.outcome).toBe('CancelledError');
  holder.end();
  const next = begin('a', 50_000, 'next');
  await settle();
  expect(running).toEqual(['next']);
  next.end();
});

test('one owner runs a few operations at a time beside others, and more when it is alone', async () => {
  const alone = operator(createCostGate());
  const all = Array.from({ length: 8 }, (_, index) => alone.begin('a', 7_000, `a${index}`));
  await settle();
  expect(alone.running).toHaveLength(8);
  for (const { end } of all) end();

  const shared = operator(createCostGate());
  const small = shared.begin('b', 10, 'b1');
  const large = Array.from({ length: 8 }, (_, index) => shared.begin('a', 7_000, `a${index}`));
  await settle();
  expect(shared.running).toEqual(['b1', 'a0']);
  for (const { end } of [small, ...large]) end();
  expect(await large.at(-1)?.outcome).toBe('a7');
});
