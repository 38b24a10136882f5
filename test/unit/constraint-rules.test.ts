import { describe, expect, test } from 'vitest';
import { BadDataError, ExceedsLimitError, NotFoundError } from '../../src/domain/errors.js';
import { type CloneLimits, DEFAULT_CLONE_LIMITS } from '../../src/domain/features/clone-limits.js';
import {
  constraintGuards,
  normaliseConstraints,
} from '../../src/domain/features/constraint-rules.js';

const fields = new Map([
  ['userId', { legalValues: null }],
  ['country', { legalValues: ['no', 'se', '1.0.0', '5', '2024-01-01'] }],
  ['free', { legalValues: [] }],
]);

type Rules = { limits?: CloneLimits; where?: string; major?: 6 | 7 | 8 };

const assertConstraints = (
  constraints: unknown,
  { limits = DEFAULT_CLONE_LIMITS, where, major = 6 }: Rules = {},
) => {
  const context = { contextFields: fields, limits, major };
  for (const guard of constraintGuards(constraints, context, where)) guard();
};

const one = (overrides: Record<string, unknown>) => [
  { contextName: 'userId', operator: 'IN', values: ['a'], ...overrides },
];

const expectAccepted = (constraints: unknown, major: 6 | 7 | 8 = 6) =>
  expect(() => assertConstraints(constraints, { major })).not.toThrow();
const expectRejected = (constraints: unknown, message: string, major: 6 | 7 | 8 = 6) => {
  expect(() => assertConstraints(constraints, { major })).toThrow(BadDataError);
  expect(() => assertConstraints(constraints, { major })).toThrow(message);
};

describe('stored constraints', () => {
  test.each([null, undefined, []])('may be absent: %j', (constraints) => {
    expectAccepted(constraints);
  });

  test.each([0, 5, '', 'text', true, false, {}, { length: 2 }])('may not be %j', (constraints) => {
    expectRejected(constraints, 'are not a list');
  });

  test.each([null, 5, 'text', true, [], [[]]])('may not contain %j', (constraint) => {
    expectRejected([constraint], 'Constraint 1 of the strategy is not an object');
  });

  test('are reported with their position, including the strategy', () => {
    const constraints = [...one({}), null];
    expect(() => assertConstraints(constraints, { where: "strategy 'x'" })).toThrow(
      "Constraint 2 of strategy 'x' is not an object",
    );
  });
});

describe('a constraint', () => {
  test.each([undefined, null, '', 5, {}])('rejects context field %j', (contextName) => {
    expectRejected(one({ contextName }), 'has no context field');
  });

  test.each(['EQUALS', 'in', '', undefined, null, 5, 'constructor', '__proto__', ['IN']])(
    'rejects operator %j and lists the known ones',
    (operator) => {
      expectRejected(one({ operator }), 'not one of NOT_IN, IN, STR_ENDS_WITH');
    },
  );

  test('rejects an unknown key and names it', () => {
    expectRejected(one({ extra: 1 }), 'unknown key "extra"');
    const json = '{"contextName":"userId","operator":"IN","values":["a"],"__proto__":{}}';
    expectRejected([JSON.parse(json)], 'unknown key "__proto__"');
  });

  test.each([null, 'a', {}, 5])('rejects values %j, which are not a list', (values) => {
    expectRejected(one({ values }), 'values that are not a list');
  });

  test.each(['', 5, null, true, ['a'], {}])(
    'rejects a value %j and reports its position',
    (value) => {
      expectRejected(one({ values: ['a', value] }), 'value 2 must be a non-empty string');
    },
  );

  test('accepts values of at most 100 characters', () => {
    expectAccepted(one({ values: ['x'.repeat(100)] }));
    expectRejected(one({ values: ['x'.repeat(101)] }), 'value 1 is longer than 100');
  });

  test.each(['caseInsensitive', 'inverted'])('accepts booleans and boolean text for %s', (key) => {
    for (const value of [true, false, 'true', 'FALSE', 'True'])
      expectAccepted(one({ [key]: value }));
    for (const value of [null, 1, 0, '', 'yes', ' true', []])
      expectRejected(one({ [key]: value }), key);
  });
});

describe('the context field of a constraint', () => {
  test('must exist before 7.x', () => {
    const constraints = one({ contextName: 'tenant' });
    expect(() => assertConstraints(constraints)).toThrow(NotFoundError);
    expect(() => assertConstraints(constraints)).toThrow("Context field 'tenant' does not exist.");
    expectAccepted(constraints, 7);
    expectAccepted(constraints, 8);
  });

  test.each(['IN', 'NOT_IN', 'STR_ENDS_WITH', 'STR_STARTS_WITH', 'STR_CONTAINS'])(
    'restricts every value of %s to its legal values',
    (operator) => {
      expectAccepted(one({ contextName: 'country', operator, values: ['no', 'se'] }));
      expectRejected(one({ contextName: 'country', operator, values: ['no', 'dk'] }), '"dk"');
    },
  );

  test.each([
    ['NUM_EQ', '5', '6'],
    ['SEMVER_GT', '1.0.0', '2.0.0'],
    ['DATE_AFTER', '2024-01-01', '2025-01-01'],
  ])('restricts the single value of %s to its legal values', (operator, legal, illegal) => {
    const constraint = { contextName: 'country', operator, values: ['dk'] };
    expectAccepted([{ ...constraint, value: legal }]);
    expectRejected(
      [{ ...constraint, value: illegal }],
      `"${illegal}", which is not among the legal`,
    );
  });

  test('with legal values requires a value', () => {
    expectRejected(
      one({ contextName: 'country', operator: 'NUM_EQ', value: undefined }),
      'legal values',
    );
  });

  test('with an empty list of legal values allows any value', () => {
    expectAccepted(one({ contextName: 'free', values: ['anything'] }));
  });
});

describe('the operand of a constraint', () => {
  test.each(['IN', 'NOT_IN', 'STR_ENDS_WITH', 'STR_STARTS_WITH', 'STR_CONTAINS'])(
    '%s requires at least one value',
    (operator) => {
      expectAccepted(one({ operator }));
      expectRejected(one({ operator, values: [] }), 'at least one value');
      expectRejected([{ contextName: 'userId', operator, value: 'a' }], 'at least one value');
    },
  );

  test.each(['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'])(
    '%s requires a number',
    (operator) => {
      for (const value of [5, -1.5, '5', ' 5 ', '+7', '.5', '5.', '1e3', '00012', '-0']) {
        expectAccepted(one({ operator, value }));
      }
      for (const value of [
        null,
        '',
        ' ',
        'five',
        '5a',
        '1,000',
        '0x10',
        'Infinity',
        true,
        [5],
        {},
      ]) {
        expectRejected(one({ operator, value }), 'requires a number');
      }
      for (const value of [1e300, '9007199254740993', '1e400', '1'.repeat(1000)]) {
        expectRejected(one({ operator, value }), 'requires a number');
      }
    },
  );

  test('REGEX requires a pattern and cannot be inverted', () => {
    expectAccepted(one({ operator: 'REGEX', value: '^(?i)a+$', values: [] }), 7);
    expectAccepted(one({ operator: 'REGEX', value: '', inverted: false }), 8);
    for (const value of [undefined, null, 1, ['a']]) {
      expectRejected(one({ operator: 'REGEX', value }), 'requires a pattern', 7);
    }
    expectRejected(one({ operator: 'REGEX', value: 'a', inverted: true }), 'cannot be inverted', 7);
  });

  test.each([
    ['REGEX', 7, 'a'],
    ['SEMVER_GTE', 8, '1.2.3'],
    ['SEMVER_LTE', 8, '1.2.3'],
  ] as const)('%s is rejected before version %i, which introduced it', (operator, since, value) => {
    for (const major of [6, 7, 8] as const) {
      if (major >= since) expectAccepted(one({ operator, value }), major);
      else expectRejected(one({ operator, value }), 'which is not one of', major);
    }
  });

  test.each([
    ['NUM_EQ', 'a number'],
    ['DATE_AFTER', 'a date'],
  ])('%s may lack a value before 8.x', (operator, expected) => {
    expectAccepted(one({ operator, value: undefined }), 7);
    for (const value of [undefined, null, '']) {
      expectRejected(one({ operator, value }), `requires ${expected}`, 8);
    }
  });

  test('versions may have build metadata from 8.x on', () => {
    for (const value of ['1.2.3+build', '1.2.3-rc.1+build.5', '1.2.3+001']) {
      expectAccepted(one({ operator: 'SEMVER_EQ', value }), 8);
      expectRejected(one({ operator: 'SEMVER_EQ', value }), 'requires a version', 7);
    }
    for (const value of ['1.2.3+', '1.2.3+a..b', '1.2.3+a+b', '1.2.3+ä', 'v1.2.3+a']) {
      expectRejected(one({ operator: 'SEMVER_EQ', value }), 'requires a version', 8);
    }
  });

  test.each(['DATE_AFTER', 'DATE_BEFORE'])('%s requires a date', (operator) => {
    for (const value of [
      '2024-01-01',
      '2024-01-01T10:00:00.000Z',
      'Jan 5 2020',
      0,
      '1700000000000',
    ]) {
      expectAccepted(one({ operator, value }));
    }
    for (const value of [
      null,
      '',
      'now',
      '2024-13-01',
      '2024-01-01T25:00:00Z',
      1e20,
      true,
      [],
      {},
    ]) {
      expectRejected(one({ operator, value }), 'requires a date');
    }
  });

  test.each(['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT'])('%s requires a strict version', (operator) => {
    for (const value of [
      '1.2.3',
      '0.0.0',
      '1.2.3-rc.1',
      '1.2.3-0a',
      '1.0.0--1',
      '10.20.30-x.y.z',
    ]) {
      expectAccepted(one({ operator, value }));
    }
    const loose = [
      '1',
      '1.2',
      'v1.2.3',
      ' 1.2.3',
      '1.2.3\n',
      '01.2.3',
      '1.2.3.4',
      '=1.2.3',
      'a.b.c',
    ];
    const versions = [
      '1.2.3-',
      '1.2.3-01',
      '1.2.3-a..b',
      '1.2.3+build',
      '9007199254740992.0.0',
      '',
    ];
    for (const value of [
      ...loose,
      ...versions,
      `1.2.3-${'a'.repeat(300)}`,
      undefined,
      null,
      1.2,
      [],
    ]) {
      expectRejected(one({ operator, value }), 'requires a version');
    }
  });

  test.each(['NUM_EQ', 'DATE_AFTER'])('%s may lack its value', (operator) => {
    expectAccepted([{ contextName: 'userId', operator, values: [] }]);
  });
});

describe('limits of constraints', () => {
  const limits = { ...DEFAULT_CLONE_LIMITS, constraints: 2, constraintValues: 3 };
  const expectLimitError = (constraints: unknown, message: string) => {
    expect(() => assertConstraints(constraints, { limits })).toThrow(ExceedsLimitError);
    expect(() => assertConstraints(constraints, { limits })).toThrow(message);
  };

  test('apply to the number of constraints of a strategy', () => {
    expect(() => assertConstraints([...one({}), ...one({})], { limits })).not.toThrow();
    expectLimitError([...one({}), ...one({}), ...one({})], '2 constraints at most');
  });

  test('apply to the number of values of a constraint', () => {
    expect(() => assertConstraints(one({ values: ['a', 'b', 'c'] }), { limits })).not.toThrow();
    expectLimitError(
      one({ values: ['a', 'b', 'c', 'd'] }),
      'the one on "userId" of the strategy has 4',
    );
  });

  test('are checked before the constraints themselves', () => {
    expectLimitError([null, null, null], '2 constraints at most');
    expectLimitError([null, ...one({ values: ['a', 'b', 'c', 'd'] })], '3 values at most');
  });
});

describe('written constraints', () => {
  test('get an empty list of values if they have none', () => {
    expect(normaliseConstraints([{ contextName: 'a', operator: 'NUM_EQ', value: '5' }])).toEqual([
      { contextName: 'a', operator: 'NUM_EQ', value: '5', values: [] },
    ]);
  });

  test('have booleans in place of boolean text, and are otherwise unchanged', () => {
    const constraint = {
      contextName: 'true',
      operator: 'IN',
      values: ['true'],
      value: 'true',
      inverted: 'TRUE',
      caseInsensitive: 'false',
    };
    expect(normaliseConstraints([constraint])).toEqual([
      { ...constraint, inverted: true, caseInsensitive: false },
    ]);
  });

  test.each([null, undefined, []])('are an empty list for %j', (constraints) => {
    expect(normaliseConstraints(constraints)).toEqual([]);
  });

  test('are copies: the source is unchanged', () => {
    const source = [{ contextName: 'a', operator: 'IN', inverted: 'true' }];
    normaliseConstraints(source);
    expect(source).toEqual([{ contextName: 'a', operator: 'IN', inverted: 'true' }]);
  });
});
