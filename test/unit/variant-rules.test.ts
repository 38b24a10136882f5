import { describe, expect, test } from 'vitest';
import { BadDataError } from '../../src/domain/errors.js';
import {
  assertNamedVariants,
  rebalanceVariants,
  sortVariantsByName,
  strategyVariantGuards,
} from '../../src/domain/features/variant-rules.js';

const variant = (name: unknown, facts: Record<string, unknown> = {}) => ({
  name,
  weight: 500,
  weightType: 'variable',
  stickiness: 'default',
  ...facts,
});

const judge = (variants: unknown) => {
  for (const guard of strategyVariantGuards(variants)) guard();
};
const accepted = (variants: unknown) => expect(() => judge(variants)).not.toThrow();
const refused = (variants: unknown, fact: string) => {
  expect(() => judge(variants)).toThrow(BadDataError);
  expect(() => judge(variants)).toThrow(fact);
};

describe('strategy variants', () => {
  test.each([null, undefined, []])('may be missing: %j', (variants) => {
    accepted(variants);
  });

  test.each([0, 'text', true, {}, { length: 1 }])('may not be %j', (variants) => {
    refused(variants, 'are no list');
  });

  test.each([null, 5, 'text', []])('may not hold %j', (item) => {
    refused([variant('a'), item], 'Variant 2 of the strategy is no object');
  });

  test.each([undefined, null, '', 5, {}])('must have a name, not %j', (name) => {
    refused([variant(name)], 'has no name');
  });

  test.each(['a b', '.', '..', 'é', '\ud800'])('cannot be called %j', (name) => {
    refused([variant(name)], 'does not fit into a URL');
  });

  test('have names of at most 100 characters', () => {
    accepted([variant('x'.repeat(100))]);
    refused([variant('x'.repeat(101))], 'longer than 100');
  });

  test('have names that differ', () => {
    refused([variant('a'), variant('b'), variant('a')], '"a" occurs twice in the strategy');
    accepted([variant('a'), variant('A')]);
  });

  test.each([-1, 1001, 1.5, null, undefined, '', 'x', true])('cannot weigh %j', (weight) => {
    refused([variant('a', { weight })], 'whole numbers from 0 to 1000');
  });

  test.each([0, 1000, '500'])('may weigh %j', (weight) => {
    accepted([variant('a', { weight })]);
  });

  test.each([undefined, null, 'fixed', 5])('cannot have the weight type %j', (weightType) => {
    refused(
      [variant('a'), variant('b', { weightType })],
      'Variant 2 of the strategy has the weight',
    );
  });

  test('need a variable one among them', () => {
    refused([variant('a', { weightType: 'fix' })], 'at least one must be variable');
  });

  test('cannot fix more than the whole', () => {
    const fixed = (weight: unknown) => [
      variant('a', { weightType: 'fix', weight: 600 }),
      variant('b', { weightType: 'fix', weight }),
      variant('c'),
    ];
    accepted(fixed(400));
    refused(fixed(401), '100.1 % together');
    refused(fixed('401'), '100.1 % together');
  });

  test('have no unknown keys, nor do their parts', () => {
    refused([variant('a', { colour: 'red' })], 'unknown key "colour"');
    refused([variant('a', { payload: { type: 'string', value: 'x', k: 1 } })], 'unknown key "k"');
    refused([variant('a', { overrides: [{ contextName: 'u', k: 1 }] })], 'unknown key "k"');
  });

  test.each([null, '', 5])('cannot have the stickiness %j', (stickiness) => {
    refused([variant('a', { stickiness })], 'stickiness');
  });
});

describe('the payload of a variant', () => {
  test.each([
    { type: 'string', value: 'x' },
    { type: 'number', value: 'not checked' },
    { type: 'json', value: '{"a":1}' },
    { type: 'json', value: '[]' },
  ])('may be %j', (payload) => {
    accepted([variant('a', { payload })]);
  });

  test.each([
    [null, 'has the payload null'],
    ['x', 'has the payload "x"'],
    [{ value: 'x' }, 'without a type'],
    [{ type: '', value: 'x' }, 'without a type'],
    [{ type: 'string' }, 'not a text'],
    [{ type: 'string', value: '' }, 'not a text'],
    [{ type: 'string', value: 5 }, 'not a text'],
    [{ type: 'json', value: '{' }, 'no JSON object'],
    [{ type: 'json', value: '5' }, 'no JSON object'],
    [{ type: 'json', value: 'null' }, 'no JSON object'],
  ])('cannot be %j', (payload, fact) => {
    refused([variant('a', { payload })], fact);
  });
});

describe('the overrides of a variant', () => {
  test.each([
    [[]],
    [[{ contextName: 'userId' }]],
    [[{ contextName: 'userId', values: [] }]],
    [[{ contextName: 'userId', values: ['1'] }]],
  ])('may be %j', (overrides) => {
    accepted([variant('a', { overrides })]);
  });

  test.each([
    null,
    {},
    [null],
    [{}],
    [{ contextName: '' }],
    [{ contextName: 'u', values: null }],
    [{ contextName: 'u', values: [''] }],
    [{ contextName: 'u', values: [5] }],
  ])('cannot be %j', (overrides) => {
    refused([variant('a', { overrides })], 'override');
  });
});

describe('rebalancing', () => {
  const weights = (variants: readonly Record<string, unknown>[]) =>
    rebalanceVariants(variants).map(({ name, weight }) => [name, weight]);

  test('gives the rest of 1000 in equal shares to the variable variants', () => {
    expect(weights([variant('a'), variant('b', { weight: 1 })])).toEqual([
      ['a', 500],
      ['b', 500],
    ]);
  });

  test('keeps fixed weights', () => {
    const fixed = variant('b', { weightType: 'fix', weight: 200 });
    expect(weights([variant('c'), fixed, variant('a')])).toEqual([
      ['a', 400],
      ['b', 200],
      ['c', 400],
    ]);
    expect(rebalanceVariants([variant('c'), fixed])[0]).toEqual(fixed);
  });

  test('gives the remainder one by one in stored order, then sorts by name', () => {
    expect(weights([variant('z'), variant('m'), variant('a')])).toEqual([
      ['a', 333],
      ['m', 333],
      ['z', 334],
    ]);
  });

  test('sorts as people read, not by character code', () => {
    expect(
      weights(['b', 'B', 'a', 'C'].map((name) => variant(name))).map(([name]) => name),
    ).toEqual(['a', 'b', 'B', 'C']);
  });

  test('leaves nothing to share when the fixed ones take the whole', () => {
    const fixed = variant('a', { weightType: 'fix', weight: 1000 });
    expect(weights([fixed, variant('b')])).toEqual([
      ['a', 1000],
      ['b', 0],
    ]);
  });

  test.each([1, 2, 3, 7, 13, 999, 1000, 1001])('adds up to 1000 with %i variants', (count) => {
    const variants = Array.from({ length: count }, (_, index) => variant(`v${index}`));
    const total = rebalanceVariants(variants).reduce(
      (sum, item) => sum + Number(item['weight']),
      0,
    );
    expect(total).toBe(1000);
  });

  test('keeps payload, stickiness and overrides, and leaves the source as it was', () => {
    const source = [variant('a', { weight: 1, payload: { type: 'string', value: 'x' } })];
    expect(rebalanceVariants(source)).toEqual([{ ...source[0], weight: 1000 }]);
    expect(source[0]?.weight).toBe(1);
  });

  test('of no variants is no variants', () => {
    expect(rebalanceVariants([])).toEqual([]);
  });
});

describe('variants of an environment', () => {
  test('are sorted by name and otherwise left alone', () => {
    const b = { name: 'b', weight: 7, odd: true };
    const a = { name: 'a', weight: 3000 };
    const source = [b, a];
    expect(sortVariantsByName(source)).toEqual([a, b]);
    expect(source).toEqual([b, a]);
  });

  test.each([null, undefined, []])('are an empty list for %j', (variants) => {
    expect(() => assertNamedVariants(variants)).not.toThrow();
    expect(sortVariantsByName(variants)).toEqual([]);
  });

  test.each(['text', {}, 5, [null], [5], [{ weight: 1 }], [{ name: null }]])(
    'cannot be %j',
    (variants) => {
      expect(() => assertNamedVariants(variants)).toThrow(BadDataError);
    },
  );
});
