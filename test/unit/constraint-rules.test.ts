import { describe, expect, test } from 'vitest';
import { BadDataError, ExceedsLimitError, NotFoundError } from '../../src/domain/errors.js';
import { DEFAULT_CLONE_LIMITS } from '../../src/domain/features/clone-limits.js';
import {
  constraintGuards,
  normaliseConstraints,
} from '../../src/domain/features/constraint-rules.js';

const fields = new Map([
  ['userId', { legalValues: null }],
  ['country', { legalValues: ['no', 'se', '1.0.0', '5', '2024-01-01'] }],
  ['free', { legalValues: [] }],
]);

const judge = (constraints: unknown, limits = DEFAULT_CLONE_LIMITS, where?: string) => {
  for (const guard of constraintGuards(constraints, fields, limits, where)) guard();
};

const one = (facts: Record<string, unknown>) => [
  { contextName: 'userId', operator: 'IN', values: ['a'], ...facts },
];

const accepted = (constraints: unknown) => expect(() => judge(constraints)).not.toThrow();
const refused = (constraints: unknown, fact: string) => {
  expect(() => judge(constraints)).toThrow(BadDataError);
  expect(() => judge(constraints)).toThrow(fact);
};

describe('constraints found in the database', () => {
  test.each([null, undefined, []])('may be missing: %j', (constraints) => {
    accepted(constraints);
  });

  test.each([0, 5, '', 'text', true, false, {}, { length: 2 }])('may not be %j', (constraints) => {
    refused(constraints, 'are no list');
  });

  test.each([null, 5, 'text', true, [], [[]]])('may not hold %j', (constraint) => {
    refused([constraint], 'Constraint 1 of the strategy is no object');
  });

  test('are told by their place, the strategy included', () => {
    const constraints = [...one({}), null];
    expect(() => judge(constraints, DEFAULT_CLONE_LIMITS, "strategy 'x'")).toThrow(
      "Constraint 2 of strategy 'x' is no object",
    );
  });
});

describe('the shape of a constraint', () => {
  test.each([undefined, null, '', 5, {}])('context field %j is refused', (contextName) => {
    refused(one({ contextName }), 'names no context field');
  });

  test.each(['EQUALS', 'in', '', undefined, null, 5, 'constructor', '__proto__', ['IN']])(
    'operator %j is refused and the known ones are listed',
    (operator) => {
      refused(one({ operator }), 'none of NOT_IN, IN, STR_ENDS_WITH');
    },
  );

  test('an unknown key is refused by name', () => {
    refused(one({ extra: 1 }), 'unknown key "extra"');
    const odd = '{"contextName":"userId","operator":"IN","values":["a"],"__proto__":{}}';
    refused([JSON.parse(odd)], 'unknown key "__proto__"');
  });

  test.each([null, 'a', {}, 5])('values %j are no list', (values) => {
    refused(one({ values }), 'for a list of values');
  });

  test.each(['', 5, null, true, ['a'], {}])('a value %j is refused by its place', (value) => {
    refused(one({ values: ['a', value] }), 'value 2 must be a text');
  });

  test('a value has at most 100 characters', () => {
    accepted(one({ values: ['x'.repeat(100)] }));
    refused(one({ values: ['x'.repeat(101)] }), 'value 1 is longer than 100');
  });

  test.each(['caseInsensitive', 'inverted'])('%s is true, false or the text of one', (key) => {
    for (const value of [true, false, 'true', 'FALSE', 'True']) accepted(one({ [key]: value }));
    for (const value of [null, 1, 0, '', 'yes', ' true', []]) refused(one({ [key]: value }), key);
  });
});

describe('the context field of a constraint', () => {
  test('must exist', () => {
    const constraints = one({ contextName: 'tenant' });
    expect(() => judge(constraints)).toThrow(NotFoundError);
    expect(() => judge(constraints)).toThrow("Context field 'tenant' does not exist.");
  });

  test.each(['IN', 'NOT_IN', 'STR_ENDS_WITH', 'STR_STARTS_WITH', 'STR_CONTAINS'])(
    'holds every value of %s to its legal values',
    (operator) => {
      accepted(one({ contextName: 'country', operator, values: ['no', 'se'] }));
      refused(one({ contextName: 'country', operator, values: ['no', 'dk'] }), '"dk"');
    },
  );

  test.each([
    ['NUM_EQ', '5', '6'],
    ['SEMVER_GT', '1.0.0', '2.0.0'],
    ['DATE_AFTER', '2024-01-01', '2025-01-01'],
  ])('holds the one value of %s to its legal values', (operator, legal, illegal) => {
    const constraint = { contextName: 'country', operator, values: ['dk'] };
    accepted([{ ...constraint, value: legal }]);
    refused([{ ...constraint, value: illegal }], `"${illegal}", which is not among the legal`);
  });

  test('with legal values also asks for one where none was given', () => {
    refused(one({ contextName: 'country', operator: 'NUM_EQ', value: undefined }), 'legal values');
  });

  test('with an empty list of legal values allows anything', () => {
    accepted(one({ contextName: 'free', values: ['anything'] }));
  });
});

describe('the operand of a constraint', () => {
  test.each(['IN', 'NOT_IN', 'STR_ENDS_WITH', 'STR_STARTS_WITH', 'STR_CONTAINS'])(
    '%s needs at least one value',
    (operator) => {
      accepted(one({ operator }));
      refused(one({ operator, values: [] }), 'at least one value');
      refused([{ contextName: 'userId', operator, value: 'a' }], 'at least one value');
    },
  );

  test.each(['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'])(
    '%s needs a number',
    (operator) => {
      for (const value of [5, -1.5, '5', ' 5 ', '+7', '.5', '5.', '1e3', '00012', '-0']) {
        accepted(one({ operator, value }));
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
        refused(one({ operator, value }), 'needs a number');
      }
      for (const value of [1e300, '9007199254740993', '1e400', '1'.repeat(1000)]) {
        refused(one({ operator, value }), 'needs a number');
      }
    },
  );

  test('REGEX needs a pattern, and is not inverted', () => {
    accepted(one({ operator: 'REGEX', value: '^(?i)a+$', values: [] }));
    accepted(one({ operator: 'REGEX', value: 'a', inverted: false }));
    for (const value of ['', undefined, null, 1, ['a']]) {
      refused(one({ operator: 'REGEX', value }), 'needs a pattern');
    }
    refused(one({ operator: 'REGEX', value: 'a', inverted: true }), 'cannot be inverted');
  });

  test.each(['DATE_AFTER', 'DATE_BEFORE'])('%s needs a date', (operator) => {
    for (const value of [
      '2024-01-01',
      '2024-01-01T10:00:00.000Z',
      'Jan 5 2020',
      0,
      '1700000000000',
    ]) {
      accepted(one({ operator, value }));
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
      refused(one({ operator, value }), 'needs a date');
    }
  });

  test.each(['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT'])('%s needs a strict version', (operator) => {
    for (const value of [
      '1.2.3',
      '0.0.0',
      '1.2.3-rc.1',
      '1.2.3-0a',
      '1.0.0--1',
      '10.20.30-x.y.z',
    ]) {
      accepted(one({ operator, value }));
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
    const odd = ['1.2.3-', '1.2.3-01', '1.2.3-a..b', '1.2.3+build', '9007199254740992.0.0', ''];
    for (const value of [...loose, ...odd, `1.2.3-${'a'.repeat(300)}`, undefined, null, 1.2, []]) {
      refused(one({ operator, value }), 'needs a version');
    }
  });

  test.each(['NUM_EQ', 'DATE_AFTER'])('%s may lack its value altogether', (operator) => {
    accepted([{ contextName: 'userId', operator, values: [] }]);
  });
});

describe('limits of constraints', () => {
  const limits = { ...DEFAULT_CLONE_LIMITS, constraints: 2, constraintValues: 3 };
  const exceeds = (constraints: unknown, fact: string) => {
    expect(() => judge(constraints, limits)).toThrow(ExceedsLimitError);
    expect(() => judge(constraints, limits)).toThrow(fact);
  };

  test('a strategy has at most so many constraints', () => {
    expect(() => judge([...one({}), ...one({})], limits)).not.toThrow();
    exceeds([...one({}), ...one({}), ...one({})], '2 constraints at most');
  });

  test('a constraint has at most so many values', () => {
    expect(() => judge(one({ values: ['a', 'b', 'c'] }), limits)).not.toThrow();
    exceeds(one({ values: ['a', 'b', 'c', 'd'] }), 'the one on "userId" of the strategy has 4');
  });

  test('are judged before the constraints themselves', () => {
    exceeds([null, null, null], '2 constraints at most');
    exceeds([null, ...one({ values: ['a', 'b', 'c', 'd'] })], '3 values at most');
  });
});

describe('constraints as they are written', () => {
  test('get an empty list of values where they have none', () => {
    expect(normaliseConstraints([{ contextName: 'a', operator: 'NUM_EQ', value: '5' }])).toEqual([
      { contextName: 'a', operator: 'NUM_EQ', value: '5', values: [] },
    ]);
  });

  test('have booleans for texts of booleans, and nothing else changed', () => {
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

  test('are copies: the source is left as it was', () => {
    const source = [{ contextName: 'a', operator: 'IN', inverted: 'true' }];
    normaliseConstraints(source);
    expect(source).toEqual([{ contextName: 'a', operator: 'IN', inverted: 'true' }]);
  });
});
