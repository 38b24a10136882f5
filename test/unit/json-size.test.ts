import { expect, test } from 'vitest';
import { jsonSize } from '../../src/http/json-size.js';

test.each([
  ['text'.repeat(100)],
  [{ list: Array.from({ length: 500 }, (_, id) => ({ id, name: `name ${id}` })) }],
  [{ a: null, b: true, c: [1, 2, 3] }],
])('approximates the size of the JSON', (value) => {
  const exact = JSON.stringify(value).length;
  const size = jsonSize(value, Number.MAX_SAFE_INTEGER);
  expect(size).toBeGreaterThan(exact * 0.8);
  expect(size).toBeLessThan(exact * 3);
});

test('stops counting above the limit, and handles any depth', () => {
  const payload = Array.from({ length: 1_000 }, () => 'x'.repeat(1_000));
  const repeated = Array.from({ length: 1_000 }, () => payload);
  expect(
    jsonSize(
      Array.from({ length: 1_000 }, () => repeated),
      5_000_000,
    ),
  ).toBeLessThan(6_500_000);
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(jsonSize(deep, Number.MAX_SAFE_INTEGER)).toBeGreaterThan(100_000);
});
