import { describe, expect, test } from 'vitest';
import { ExactNumber } from '../../src/data/json/exact-number.js';
import { createRandom } from '../../src/demo/random.js';
import { writeJson } from '../../src/http/write-json.js';
import { randomJson } from '../testkit/json-pairs.js';

const DEPTH = 20_000;

/** The same value nested in more lists than JSON.stringify supports. */
const nest = (value: unknown): unknown => {
  let outer = value;
  for (let level = 0; level < DEPTH; level += 1) outer = [outer];
  return outer;
};
const unnest = (json: string) => json.slice(DEPTH, -DEPTH);

describe('the JSON writer', () => {
  test('is needed at depths that JSON.stringify does not support', () => {
    expect(() => JSON.stringify(nest(1))).toThrow(RangeError);
  });

  test('writes the same text as JSON.stringify at any depth', () => {
    const random = createRandom(6_000);
    const values = Array.from({ length: 1_000 }, () => randomJson(random, 4));
    expect(writeJson(values)).toBe(JSON.stringify(values));
    expect(unnest(writeJson(nest(values)))).toBe(JSON.stringify(values));
  });

  test('omits values that are not JSON, and calls toJSON', () => {
    const value = {
      date: new Date(0),
      number: new ExactNumber('1e400'),
      nothing: undefined,
      none: null,
      run: () => 1,
      list: [undefined, () => 1, { gone: undefined }, Number.NaN, 'ü "\\\n\ud83d'],
      toJSON: 'a text',
    };
    expect(unnest(writeJson(nest(value)))).toBe(JSON.stringify(value));
  });

  test('fails like JSON.stringify for other values', () => {
    expect(() => writeJson({ big: 1n })).toThrow(TypeError);
  });
});
