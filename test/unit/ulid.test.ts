import { expect, test } from 'vitest';
import { createUlid } from '../../src/domain/ulid.js';

test('encodes the timestamp in the first ten characters of a ULID', () => {
  // The example of the specification.
  expect(createUlid(1_469_918_176_385).slice(0, 10)).toBe('01ARYZ6S41');
  expect(createUlid(0).slice(0, 10)).toBe('0000000000');
  expect(createUlid(2 ** 48 - 1).slice(0, 10)).toBe('7ZZZZZZZZZ');
});

test('fills the other sixteen characters at random', () => {
  const ids = Array.from({ length: 1_000 }, () => createUlid(0));
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(id).toMatch(/^0{10}[0-9A-HJKMNP-TV-Z]{16}$/);
});

test('orders IDs by time', () => {
  expect(createUlid(1_000) < createUlid(1_001)).toBe(true);
});
