import { describe, expect, test } from 'vitest';
import { BadDataError } from '../../src/domain/errors.js';
import {
  assertNamedVariants,
  rebalanceVariants,
  sortVariantsByName,
  strategyVariantGuards,
} from '../../src/domain/features/variant-rules.js';

const variant = (name: unknown, fields: Record<string, unknown> = {}) => ({
  name,
  weight: 500,
  weightType: 'variable',
  stickiness: 'default',
  ...fields,
});

const assertVariants = (variants: unknown) => {
  for (const guard of strategyVariantGuards(variants)) guard();
};
const expectAccepted = (variants: unknown) => expect(() => assertVariants(variants)).not.toThrow();
const expectRejected = (variants: unknown, message: string) => {
  expect(() => assertVariants(variants)).toThrow(BadDataError);
  expect(() => assertVariants(variants)).toThrow(message);
};

describe('strategy variants', () => {
  test.each([null, undefined, []])('may be absent: %j', (variants) => {
    expectAccepted(variants);
  });

  test.each([0, 'text', true, {}, { length: 1 }])('may not be %j', (variants) => {
    expectRejected(variants, 'are not a list');
  });

  test.each([null, 5, 'text', []])('may not contain %j', (item) => {
    expectRejected([variant('a'), item], 'Variant 2 of the strategy is not an object');
  });

  test.each([undefined, null, '', 5, {}])('must have a name, not %j', (name) => {
    expectRejected([variant(name)], 'has no name');
  });

  test.each(['a b', '.', '..', 'é', '\ud800'])('cannot be named %j', (name) => {
    expectRejected([variant(name)], 'not URL-friendly');
  });

  test('have names of at most 100 characters', () => {
    expectAccepted([variant('x'.repeat(100))]);
    expectRejected([variant('x'.repeat(101))], 'longer than 100');
  });

  test('have unique names', () => {
    expectRejected([variant('a'), variant('b'), variant('a')], '"a" occurs twice in the strategy');
    expectAccepted([variant('a'), variant('A')]);
  });

  test.each([-1, 1001, 1.5, null, undefined, '', 'x', true])(
    'cannot have the weight %j',
    (weight) => {
      expectRejected([variant('a', { weight })], 'whole numbers from 0 to 1000');
    },
  );

  test.each([0, 1000, '500'])('may have the weight %j', (weight) => {
    expectAccepted([variant('a', { weight })]);
  });

  test.each([undefined, null, 'fixed', 5])('cannot have the weight type %j', (weightType) => {
    expectRejected(
      [variant('a'), variant('b', { weightType })],
      'Variant 2 of the strategy has the weight',
    );
  });

  test('require at least one variable variant', () => {
    expectRejected([variant('a', { weightType: 'fix' })], 'at least one must be variable');
  });

  test('cannot have fixed weights above the total', () => {
    const fixed = (weight: unknown) => [
      variant('a', { weightType: 'fix', weight: 600 }),
      variant('b', { weightType: 'fix', weight }),
      variant('c'),
    ];
    expectAccepted(fixed(400));
    expectRejected(fixed(401), 'total weight of 100.1 %');
    expectRejected(fixed('401'), 'total weight of 100.1 %');
  });

  test('have no unknown keys, nor do their nested objects', () => {
    expectRejected([variant('a', { colour: 'red' })], 'unknown key "colour"');
    expectRejected(
      [variant('a', { payload: { type: 'string', value: 'x', k: 1 } })],
      'unknown key "k"',
    );
    expectRejected([variant('a', { overrides: [{ contextName: 'u', k: 1 }] })], 'unknown key "k"');
  });

  test.each([null, '', 5])('cannot have the stickiness %j', (stickiness) => {
    expectRejected([variant('a', { stickiness })], 'stickiness');
  });
});

describe('a variant payload', () => {
  test.each([
    { type: 'string', value: 'x' },
    { type: 'number', value: 'not checked' },
    { type: 'json', value: '{"a":1}' },
    { type: 'json', value: '[]' },
  ])('may be %j', (payload) => {
    expectAccepted([variant('a', { payload })]);
  });

  test.each([
    [null, 'invalid payload: null'],
    ['x', 'invalid payload: "x"'],
    [{ value: 'x' }, 'without a type'],
    [{ type: '', value: 'x' }, 'without a type'],
    [{ type: 'string' }, 'not a string'],
    [{ type: 'string', value: '' }, 'not a string'],
    [{ type: 'string', value: 5 }, 'not a string'],
    [{ type: 'json', value: '{' }, 'not a JSON object'],
    [{ type: 'json', value: '5' }, 'not a JSON object'],
    [{ type: 'json', value: 'null' }, 'not a JSON object'],
  ])('cannot be %j', (payload, message) => {
    expectRejected([variant('a', { payload })], message);
  });
});

describe('variant overrides', () => {
  test.each([
    [[]],
    [[{ contextName: 'userId' }]],
    [[{ contextName: 'userId', values: [] }]],
    [[{ contextName: 'userId', values: ['1'] }]],
  ])('may be %j', (overrides) => {
    expectAccepted([variant('a', { overrides })]);
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
    expectRejected([variant('a', { overrides })], 'override');
  });
});

describe('rebalancing', () => {
  const weights = (variants: readonly Record<string, unknown>[]) =>
    rebalanceVariants(variants).map(({ name, weight }) => [name, weight]);

  test('divides the rest of 1000 equally between the variable variants', () => {
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

  test('distributes the remainder one by one in stored order, then sorts by name', () => {
    expect(weights([variant('z'), variant('m'), variant('a')])).toEqual([
      ['a', 333],
      ['m', 333],
      ['z', 334],
    ]);
  });

  test('sorts by locale, not by character code', () => {
    expect(
      weights(['b', 'B', 'a', 'C'].map((name) => variant(name))).map(([name]) => name),
    ).toEqual(['a', 'b', 'B', 'C']);
  });

  test('assigns zero to variable variants when the fixed ones use the total', () => {
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

  test('keeps payload, stickiness and overrides, and does not change the source', () => {
    const source = [variant('a', { weight: 1, payload: { type: 'string', value: 'x' } })];
    expect(rebalanceVariants(source)).toEqual([{ ...source[0], weight: 1000 }]);
    expect(source[0]?.weight).toBe(1);
  });

  test('returns no variants for none', () => {
    expect(rebalanceVariants([])).toEqual([]);
  });
});

describe('environment variants', () => {
  test('are sorted by name and otherwise unchanged', () => {
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
