import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/demo/random.js';
import { ExactNumber } from '../../src/domain/exact-number.js';
import { writeJson } from '../../src/http/write-json.js';
import { randomJson } from '../testkit/json-pairs.js';

const DEPTH = 20_000;

/** The same value below so many lists that JSON.stringify cannot write it. */
const buried = (value: unknown): unknown => {
  let outer = value;
  for (let level = 0; level < DEPTH; level += 1) outer = [outer];
  return outer;
};
const unbury = (json: string) => json.slice(DEPTH, -DEPTH);

describe('writing JSON', () => {
  test('is beyond JSON.stringify at such a depth', () => {
    expect(() => JSON.stringify(buried(1))).toThrow(RangeError);
  });

  test('writes at any depth what JSON.stringify would have written', () => {
    const random = createRandom(6_000);
    const values = Array.from({ length: 1_000 }, () => randomJson(random, 4));
    expect(writeJson(values)).toBe(JSON.stringify(values));
    expect(unbury(writeJson(buried(values)))).toBe(JSON.stringify(values));
  });

  test('leaves out what is no JSON, and asks things how they are written', () => {
    const value = {
      date: new Date(0),
      number: new ExactNumber('1e400'),
      nothing: undefined,
      none: null,
      run: () => 1,
      list: [undefined, () => 1, { gone: undefined }, Number.NaN, 'ü "\\\n\ud83d'],
      toJSON: 'a text',
    };
    expect(unbury(writeJson(buried(value)))).toBe(JSON.stringify(value));
  });

  test('fails as JSON.stringify does for anything else', () => {
    expect(() => writeJson({ big: 1n })).toThrow(TypeError);
  });
});
