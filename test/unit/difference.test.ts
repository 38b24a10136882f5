import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/demo/random.js';
import {
  type Change,
  DIFFERENCE_LIMITS,
  difference,
} from '../../src/domain/events/changes/difference.js';
import { isEqual } from '../../src/domain/events/changes/is-equal.js';
import { applyChanges } from '../testkit/apply-changes.js';
import { changedJson, randomJson } from '../testkit/json-pairs.js';

/** The differences in a short form. */
const changesBetween = (before: unknown, after: unknown) =>
  difference(before, after).map(({ path, kind, before: was, after: is, position }) => [
    path,
    kind,
    was,
    is,
    ...(position === null ? [] : [position]),
  ]);

const strategy = (id: string, rest: object = {}) => ({ id, name: 'flexibleRollout', ...rest });
const constraint = (contextName: string, operator: string, rest: object = {}) => ({
  contextName,
  operator,
  ...rest,
});

describe('the difference of two values', () => {
  test('is empty for equal values, regardless of key order', () => {
    expect(changesBetween({ a: 1, b: [{ id: 1 }] }, { b: [{ id: 1 }], a: 1 })).toEqual([]);
    expect([
      changesBetween(null, null),
      changesBetween(undefined, undefined),
      changesBetween([], []),
      changesBetween('x', 'x'),
    ]).toEqual([[], [], [], []]);
  });

  test('is reported per key, and distinguishes missing from null', () => {
    expect(
      changesBetween(
        { a: 1, gone: null, n: null, same: { x: 1 } },
        { a: 2, n: 0, new: null, same: { x: 1 } },
      ),
    ).toEqual([
      ['a', 'CHANGED', 1, 2],
      ['n', 'CHANGED', null, 0],
      ['new', 'ADDED', undefined, null],
      ['gone', 'REMOVED', null, undefined],
    ]);
  });

  test('is the whole value when it was added, removed, or changed its type', () => {
    expect(changesBetween(undefined, { a: 1 })).toEqual([['', 'ADDED', undefined, { a: 1 }]]);
    expect(changesBetween({ a: 1 }, undefined)).toEqual([['', 'REMOVED', { a: 1 }, undefined]]);
    expect(changesBetween({ a: 1 }, [1])).toEqual([['', 'CHANGED', { a: 1 }, [1]]]);
    expect(changesBetween('5', 5)).toEqual([['', 'CHANGED', '5', 5]]);
    expect(changesBetween({ a: {} }, { a: null })).toEqual([['a', 'CHANGED', {}, null]]);
  });

  test('matches strategies by ID in any order', () => {
    const before = {
      strategies: [strategy('a', { parameters: { rollout: '10' } }), strategy('b')],
    };
    const after = { strategies: [strategy('c'), strategy('a', { parameters: { rollout: '50' } })] };
    expect(changesBetween(before, after)).toEqual([
      ['strategies[id=a].parameters.rollout', 'CHANGED', '10', '50'],
      ['strategies[id=b]', 'REMOVED', strategy('b'), undefined],
      ['strategies[id=c]', 'ADDED', undefined, strategy('c'), 0],
    ]);
  });

  test('matches variants by name, and reports a changed order', () => {
    const variant = (name: string, weight: number) => ({ name, weight });
    expect(
      changesBetween(
        { variants: [variant('x', 500), variant('y', 500)] },
        { variants: [variant('y', 400), variant('x', 600)] },
      ),
    ).toEqual([
      ['variants[name=x].weight', 'CHANGED', 500, 600],
      ['variants[name=y].weight', 'CHANGED', 500, 400],
      ['variants', 'REORDERED', [{ name: 'x' }, { name: 'y' }], [{ name: 'y' }, { name: 'x' }]],
    ]);
  });

  test('matches constraints by context field and operator, and by inversion if needed', () => {
    const before = [
      constraint('userId', 'IN', { values: ['1'] }),
      constraint('country', 'IN', { values: ['no'] }),
    ];
    const after = [
      constraint('userId', 'IN', { values: ['1', '2'] }),
      constraint('country', 'NOT_IN', { values: ['no'] }),
    ];
    expect(changesBetween(before, after)).toEqual([
      ['[contextName=userId,operator=IN].values', 'CHANGED', ['1'], ['1', '2']],
      ['[contextName=country,operator=IN]', 'REMOVED', before[1], undefined],
      ['[contextName=country,operator=NOT_IN]', 'ADDED', undefined, after[1], 1],
    ]);
    const duplicates = (value: string) => [
      constraint('id', 'GT', { inverted: false, value: '1' }),
      constraint('id', 'GT', { inverted: true, value }),
    ];
    expect(changesBetween(duplicates('5'), duplicates('9'))).toEqual([
      ['[contextName=id,operator=GT,inverted=true].value', 'CHANGED', '5', '9'],
    ]);
    expect(changesBetween(duplicates('5'), duplicates('5').toReversed())).toEqual([
      [
        '',
        'REORDERED',
        [
          { contextName: 'id', operator: 'GT', inverted: false },
          { contextName: 'id', operator: 'GT', inverted: true },
        ],
        [
          { contextName: 'id', operator: 'GT', inverted: true },
          { contextName: 'id', operator: 'GT', inverted: false },
        ],
      ],
    ]);
  });

  test('reports an inserted item as an insertion, not as a changed order', () => {
    expect(changesBetween([{ id: 1 }, { id: 3 }], [{ id: 1 }, { id: 2 }, { id: 3 }])).toEqual([
      ['[id=2]', 'ADDED', undefined, { id: 2 }, 1],
    ]);
  });

  test('compares lists of indistinguishable items as a whole', () => {
    const lists: [unknown[], unknown[]][] = [
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
      [[{ id: 1 }, { id: 1 }], [{ id: 1 }]],
      [[{ id: 1 }, {}], [{ id: 1 }]],
      [[{ id: null }], [{ id: 2 }]],
      [[[1]], [[2]]],
      [[], [1]],
    ];
    for (const [before, after] of lists)
      expect(changesBetween(before, after)).toEqual([['', 'CHANGED', before, after]]);
    expect(changesBetween([{ id: 1 }], [{ id: '1' }])).toEqual([
      ['[id=1]', 'REMOVED', { id: 1 }, undefined],
      ['[id="1"]', 'ADDED', undefined, { id: '1' }, 0],
    ]);
  });

  test('quotes unusual keys to keep paths unambiguous', () => {
    expect(
      changesBetween({ 'a.b': 1, a: { b: 1 }, '': 1 }, { 'a.b': 2, a: { b: 2 }, '': 2 }).map(
        ([path]) => path,
      ),
    ).toEqual(['"a.b"', 'a.b', '""']);
    const hostile = JSON.parse('{"__proto__":{"x":1},"constructor":1}');
    expect(changesBetween(JSON.parse('{"__proto__":{"x":2}}'), hostile)).toEqual([
      ['__proto__.x', 'CHANGED', 2, 1],
      ['constructor', 'ADDED', undefined, 1],
    ]);
  });

  test('yields the second value when applied to the first, for thousands of pairs', () => {
    const random = createRandom(20_261_115);
    const kinds = new Map<Change['kind'], number>();
    for (let round = 0; round < 6_000; round += 1) {
      const before = randomJson(random, 4);
      const after = random.int(0, 9) === 0 ? randomJson(random, 3) : changedJson(random, before);
      const changes = difference(before, after);
      const message = JSON.stringify({ before, after, changes });
      expect(isDeepStrictEqual(applyChanges(before, changes), after), message).toBe(true);
      expect(changes.length === 0, message).toBe(isDeepStrictEqual(before, after));
      expect(new Set(changes.map(({ path, kind }) => `${kind} ${path}`)).size, message).toBe(
        changes.length,
      );
      for (const { kind } of changes) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    for (const kind of ['ADDED', 'REMOVED', 'CHANGED', 'REORDERED'] as const) {
      expect(kinds.get(kind), kind).toBeGreaterThan(100);
    }
  });

  describe('of hostile values is bounded and exact with', () => {
    const nested = (depth: number, core: string, open = '[', close = ']') =>
      JSON.parse(`${open.repeat(depth)}${core}${close.repeat(depth)}`);
    const deepObject = (depth: number, core: string) => nested(depth, core, '{"k":', '}');

    test('a hundred thousand levels', () => {
      const depth = 100_000;
      expect(difference(nested(depth, '1'), nested(depth, '1'))).toEqual([]);
      expect(difference(deepObject(depth, '1'), deepObject(depth, '1'))).toEqual([]);
      expect(
        difference(nested(depth, '1'), nested(depth, '2')).map(({ path, kind }) => [path, kind]),
      ).toEqual([['', 'CHANGED']]);
      const [change, ...others] = difference(deepObject(depth, '1'), deepObject(depth, '2'));
      expect(others).toEqual([]);
      expect(change?.path.split('.')).toHaveLength(DIFFERENCE_LIMITS.depth);
      expect(isEqual(change?.after, deepObject(depth - DIFFERENCE_LIMITS.depth, '2'))).toBe(true);
    });

    test('thousands of keys, one of them changed', () => {
      const wide = (value: number) =>
        Object.fromEntries(
          Array.from({ length: 20_000 }, (_, n) => [`k${n}`, { v: n === 7 ? value : 0 }]),
        );
      expect(changesBetween(wide(1), wide(2))).toEqual([['k7.v', 'CHANGED', 1, 2]]);
    });

    test('thousands of keys, all of them changed, next to one more', () => {
      const wide = (value: number) => ({
        all: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, value])),
        one: value,
      });
      const changes = difference(wide(1), wide(2));
      expect(changes.map(({ path, kind }) => [path, kind])).toEqual([
        ['all', 'CHANGED'],
        ['one', 'CHANGED'],
      ]);
      expect(applyChanges(wide(1), changes)).toEqual(wide(2));
    });

    test('more parts than are compared one by one', () => {
      const size = DIFFERENCE_LIMITS.comparisons + 1_000;
      const list = (value: number) =>
        Array.from({ length: size }, (_, n) => ({
          id: n,
          x: { y: n === size - 1 || n === 3 ? value : 0 },
        }));
      const changes = difference(list(1), list(2));
      expect(changes.map(({ path }) => path)).toEqual(['[id=3].x.y', `[id=${size - 1}]`]);
    });
  });
});
