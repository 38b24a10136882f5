import { getOperationAST, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { countArgumentValues, excessOfArguments } from '../../src/graphql/argument-values.js';

const argsOf = (query: string, variables: Record<string, unknown> = {}) => {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('There is no operation.');
  return [document, operation, variables] as const;
};
const ids = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('argument values', () => {
  test.each<[string, string, Record<string, unknown> | undefined, number]>([
    ['none', '{ viewer { name } }', {}, 0],
    ['scalars', '{ a(x: 1, y: "2") { b(z: true) } }', {}, 3],
    ['lists and objects', '{ a(x: { id: { anyOf: [1, 2, 3] } }) { b } }', {}, 6],
    ['a variable, for each use', '{ a(x: $v) b(x: [$v]) }', { v: [1, 2] }, 7],
    ['a default value, for each use', 'query ($v: [Int] = [1, 2]) { a(x: $v) b(x: $v) }', {}, 6],
    ['a missing variable', '{ a(x: $v) }', {}, 1],
    ['a fragment, for each use', '{ ...F a { ...F } } fragment F on Q { b(x: $v) }', { v: [1] }, 4],
    ['an inline fragment', '{ ... on Q { b(x: 1) } }', {}, 1],
  ])('count %s', (_what, query, variables, count) => {
    expect(countArgumentValues(...argsOf(query, variables))).toBe(count);
  });

  test('can be 10,000 in an operation', () => {
    const query = (uses: number) =>
      `query ($f: F) { ${ids(uses).map((index) => `a${index}: events(filter: $f) { totalCount }`)} }`;
    const variables = { f: { id: { anyOf: ids(4_900) } } };
    const excessOf = (uses: number) =>
      excessOfArguments(countArgumentValues(...argsOf(query(uses), variables)));
    expect(excessOf(2)).toBeNull();
    expect(excessOf(3)).toMatchObject({
      extensions: { code: 'LIMIT_EXCEEDED' },
    });
  });
});
