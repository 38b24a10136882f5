import { describe, expect, test } from 'vitest';
import { formatPath, type PathStep, parsePath } from '../../src/data/events/change-path.js';
import { createRandom } from '../../src/demo/random.js';

const key = (name: string): PathStep => ({ kind: 'key', key: name });
const item = (...fields: Extract<PathStep, { kind: 'item' }>['fields']): PathStep => ({
  kind: 'item',
  fields,
});
const ITEMS: PathStep = { kind: 'items' };

describe('a path', () => {
  test.each<[string, PathStep[]]>([
    ['', []],
    ['description', [key('description')]],
    ['parameters.rollout', [key('parameters'), key('rollout')]],
    [
      'strategies[id=3f2a-9c].constraints[contextName=userId,operator=IN].values',
      [
        key('strategies'),
        item(['id', '3f2a-9c']),
        key('constraints'),
        item(['contextName', 'userId'], ['operator', 'IN']),
        key('values'),
      ],
    ],
    ['[id=5].name', [item(['id', 5]), key('name')]],
    ['variants[name="5"]', [key('variants'), item(['name', '5'])]],
    ['variants[name="two words"]', [key('variants'), item(['name', 'two words'])]],
    ['users[name=a.b@c]', [key('users'), item(['name', 'a.b@c'])]],
    ['c[inverted=true]', [key('c'), item(['inverted', true])]],
    ['c[inverted="true"]', [key('c'), item(['inverted', 'true'])]],
    ['variants[].weight', [key('variants'), ITEMS, key('weight')]],
    ['""', [key('')]],
    ['a."".b', [key('a'), key(''), key('b')]],
    ['"a.b"."[0]"."\\"q\\""', [key('a.b'), key('[0]'), key('"q"')]],
    ['ünï.日本.7', [key('ünï'), key('日本'), key('7')]],
    ['"\\u0000"."\\ud800"', [key('\0'), key('\ud800')]],
  ])('%s is formatted and parsed', (text, steps) => {
    expect(formatPath(steps)).toBe(text);
    expect(parsePath(text)).toEqual(steps);
  });

  test('may match all items of a list with a wildcard', () => {
    expect(parsePath('variants[*].weight')).toEqual(parsePath('variants[].weight'));
  });

  test.each([
    '.',
    '.a',
    'a.',
    'a..b',
    'a b',
    ' a',
    'a[',
    'a]',
    'a[0]',
    'a[id]',
    'a[id=]',
    'a[=1]',
    'a[id=1',
    'a[id=1,]',
    'a[id=1]b',
    'a[id=1e999]',
    'a[id=a=b]',
    '"a',
    'a"b"',
    '"\\x"',
    'a\0',
    '\ud800',
    '*',
    'a.*',
  ])('%j is rejected', (text) => {
    expect(parsePath(text)).toBeNull();
  });

  test('is parsed as it was formatted, for any keys and values', () => {
    const random = createRandom(5);
    const SIGNS = [...'ab0-.,=[]"\\*$ \t\n\0\ud800ü😀\u2028\u200b'] as [string, ...string[]];
    const word = (): string =>
      Array.from({ length: random.int(0, 4) }, () => random.pick(SIGNS)).join('');
    const value = (): string | number | boolean | null =>
      random.pick([word(), word(), random.int(-99, 99), random.int(0, 9) / 8, true, null]);
    const step = (): PathStep => {
      const kind = random.int(0, 5);
      if (kind === 0) return ITEMS;
      if (kind > 2) return key(word());
      return item(
        [word(), value()],
        ...Array.from({ length: kind - 1 }, () => [word(), value()] as const),
      );
    };
    for (let round = 0; round < 3_000; round += 1) {
      const steps = Array.from({ length: random.int(0, 6) }, step);
      const text = formatPath(steps);
      expect(parsePath(text), text).toEqual(steps);
      expect(formatPath(parsePath(text) ?? [])).toBe(text);
    }
  });

  test('differs for different steps', () => {
    const paths = [
      [key('a.b')],
      [key('a'), key('b')],
      [key('a'), item(['b', 1])],
      [key('a'), item(['b', '1'])],
    ];
    expect(new Set(paths.map(formatPath)).size).toBe(paths.length);
  });
});
