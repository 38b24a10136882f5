import { expect, test } from 'vitest';
import { invalidValue } from '../../src/rest/errors.js';

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
};

test.each([
  [5, '5'],
  [null, 'null'],
  [undefined, 'undefined'],
  ['short', '"short"'],
  [[1, 2], 'an array'],
  [{ a: 1 }, 'an object'],
  [nested(100_000), 'an object'],
  [nested(100_001), 'an array'],
  ['x'.repeat(500), `"${'x'.repeat(199)}…`],
])('an invalid value is quoted within bounds (%#)', (value, quoted) => {
  const { message } = invalidValue('/body/name', 'must be a name', value);
  expect(message).toBe(`'/body/name' must be a name. You sent ${quoted}.`);
});
