import { expect, test } from 'vitest';
import { excessOfRequest } from '../../src/graphql/document-limits.js';
import { BODY_SHAPE } from '../../src/graphql/handler.js';
import { exceedsShape } from '../../src/http/json-shape.js';

const nested = (levels: number) => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 ? [value] : { value };
  return value;
};

test.each<[string, unknown]>([
  ['nothing', {}],
  ['few values', { query: '{ a }', variables: { a: [1, 2, { b: 'c' }] } }],
  ['brackets and commas in texts', { query: '[{,'.repeat(20_000), variables: {} }],
  ['quotes and backslashes in texts', { query: '\\"[{,'.repeat(20_000), variables: {} }],
  ['a quote after backslashes in a text', { query: `${'\\'.repeat(7)}"${'[{,'.repeat(20_000)}` }],
  [
    'as many values as possible',
    { variables: { list: Array.from({ length: 4_999 }, () => ({})) } },
  ],
  ['as deep as possible', { variables: nested(50) }],
])('a request that may be parsed: %s', (_title, value) => {
  expect(excessOfRequest(value)).toBeNull();
  expect(exceedsShape(JSON.stringify(value), BODY_SHAPE)).toBe(false);
});

test.each<[string, string]>([
  ['too many levels', JSON.stringify({ variables: nested(60) })],
  ['brackets', '['.repeat(1_000_000)],
  ['closed brackets', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
  [
    'empty objects',
    JSON.stringify({ variables: { list: Array.from({ length: 200_000 }, () => ({})) } }),
  ],
  ['brackets after a text that ends with backslashes', `"\\\\\\\\"${'['.repeat(100_000)}`],
  ['numbers', JSON.stringify({ variables: { list: Array.from({ length: 200_000 }, () => 1) } })],
])('a request that is rejected without parsing it: %s', (_title, text) => {
  expect(exceedsShape(text, BODY_SHAPE)).toBe(true);
});
