import { buildSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import { excessOf, OPERATION_LIMITS, validateWithin } from '../../src/graphql/document-limits.js';

const { literalValues, variableValues, variableDepth, textLength } = OPERATION_LIMITS;

const nested = (levels: number): unknown => {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};

test('variables at the limits are accepted', () => {
  expect(excessOf({ ids: Array(variableValues - 1).fill(1) })).toBeNull();
  expect(excessOf(nested(variableDepth))).toBeNull();
  expect(excessOf({ text: 'x'.repeat(textLength) })).toBeNull();
  expect(excessOf(null)).toBeNull();
});

test('variables beyond a limit are rejected', () => {
  expect(excessOf({ ids: Array(variableValues).fill(1) })).toMatch(/at most 5000 values/);
  expect(excessOf({ one: Array(2_600).fill(1), other: Array(2_600).fill(1) })).toMatch(/values/);
  expect(excessOf(nested(variableDepth + 1))).toMatch(/nested 50 levels deep/);
  expect(excessOf({ text: 'x'.repeat(textLength + 1) })).toMatch(/at most 10000 characters/);
});

test('documents with more values than the limit are rejected before validation, and variables are suggested', () => {
  const schema = buildSchema('type Query { sum(of: [[Int!]!]): Int }');
  // The lists are values, too.
  const documentOf = (values: number) => {
    const lists = Array.from({ length: 9 }, () => '[]');
    return parse(`{ sum(of: [${lists.join(' ')} [${'1 '.repeat(values - 11)}]]) }`);
  };
  expect(validateWithin(schema, documentOf(literalValues))).toEqual([]);
  const [error, ...others] = validateWithin(schema, documentOf(literalValues + 1));
  expect(error?.message).toBe(
    'A document can contain at most 1000 values; this one has more. Pass lists as variables.',
  );
  expect([error?.extensions['code'], others]).toEqual(['LIMIT_EXCEEDED', []]);
});
