import { expect, test } from 'vitest';
import { createSlowOperationLog } from '../../src/observability/slow-operations.js';

const start = (limitMs: number) => {
  const lines: object[] = [];
  const clock = { now: 0 };
  let count = 0;
  const log = createSlowOperationLog({
    limitMs,
    logger: { warn: (line: object) => void lines.push(line) },
    onSlow: () => {
      count += 1;
    },
    now: () => clock.now,
  });
  return { log, lines, clock, count: () => count };
};

test('logs operations that reach the limit, with their duration', () => {
  const { log, lines, count } = start(100);
  log(99.9, () => ({ operation: 'Quick' }));
  log(100.2, () => ({ operation: 'Slow' }));
  expect(lines).toEqual([{ operation: 'Slow', ms: 100 }]);
  expect(count()).toBe(1);
});

test('logs 20 lines a minute, then the number of skipped ones', () => {
  const { log, lines, clock, count } = start(100);
  for (let n = 0; n < 50; n += 1) log(200, () => ({ n }));
  expect(lines).toHaveLength(20);
  clock.now = 60_000;
  log(200, () => ({ n: 50 }));
  log(200, () => ({ n: 51 }));
  expect(lines.slice(20)).toEqual([
    { n: 50, ms: 200, skipped: 30 },
    { n: 51, ms: 200 },
  ]);
  expect(count()).toBe(52);
});

test('logs nothing with a limit of 0', () => {
  const { log, lines, count } = start(0);
  log(1_000_000, () => ({}));
  expect([lines.length, count()]).toEqual([0, 0]);
});
