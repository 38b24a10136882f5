import { describe, expect, test } from 'vitest';
import { BadDataError } from '../../src/domain/errors.js';
import { searchCost } from '../../src/graphql/connection.js';
import { type EventFilterInput, readEventFilter } from '../../src/graphql/schema/event-filter.js';
import { cpuMsOf } from '../testkit/cpu-time.js';

const names = (size: number) => Array.from({ length: size }, (_, index) => `name-${index}`);
const times = (size: number, filter: EventFilterInput) =>
  Array.from({ length: size }, () => filter);
const nested = (levels: number, innermost: EventFilterInput = {}): EventFilterInput => {
  let filter = innermost;
  for (let level = 0; level < levels; level++) filter = { not: filter };
  return filter;
};

describe('a filter', () => {
  test('may hold others five levels deep, fifty conditions and five thousand values', () => {
    expect(() => readEventFilter(nested(5, { text: 'a' }))).not.toThrow();
    expect(() => readEventFilter({ or: times(50, { text: 'a' }) })).not.toThrow();
    expect(() =>
      readEventFilter({ or: times(5, { feature: { anyOf: names(1_000) } }) }),
    ).not.toThrow();
  });

  test.each<[string, EventFilterInput, string]>([
    [
      'too deep',
      nested(6),
      "'filter.not.not.not.not.not.not' lies too deep: a filter may hold others 5 levels deep.",
    ],
    [
      'too deep in lists',
      { or: [{}, { and: [{ or: [{ and: [{ or: [{ and: [{ text: 'a' }] }] }] }] }] }] },
      "'filter.or[1].and[0].or[0].and[0].or[0].and[0]' lies too deep: a filter may hold others 5 levels deep.",
    ],
    ['endlessly deep', nested(5_000), "'filter.not.not.not.not.not.not' lies too deep"],
    [
      'with too many conditions',
      { or: times(51, { text: 'a' }) },
      "A filter may hold 50 conditions in all; 'filter.or[50]' goes beyond.",
    ],
    [
      'with too many conditions in different places',
      {
        text: 'a',
        and: times(24, { text: 'a', id: { is: 1 } }),
        not: { text: 'a', id: { is: 2 } },
      },
      "A filter may hold 50 conditions in all; 'filter.not' goes beyond.",
    ],
    [
      'with too many filters that say nothing',
      { or: times(100_000, {}) },
      "A filter may hold 50 conditions in all; 'filter.or[50]' goes beyond.",
    ],
    [
      'with too many filters of empty lists',
      { and: times(51, { and: [], or: [] }) },
      "A filter may hold 50 conditions in all; 'filter.and[50]' goes beyond.",
    ],
    [
      'with too many values in a list',
      { or: [{}, {}, {}, { feature: { anyOf: names(10_000) } }] },
      "'filter.or[3].feature.anyOf' takes at most 1000 values; 10000 were given.",
    ],
    [
      'with too many values to leave out',
      { not: { createdByName: { not: names(1_001) } } },
      "'filter.not.createdByName.not' takes at most 1000 values; 1001 were given.",
    ],
    [
      'with too many groups',
      { type: { group: Array.from({ length: 1_001 }, () => 'FEATURE' as const) } },
      "'filter.type.group' takes at most 1000 values; 1001 were given.",
    ],
    [
      'with too many values in all',
      { or: times(6, { feature: { anyOf: names(900) } }) },
      "A filter may hold 5000 values in all; 'filter.or[5].feature.anyOf' goes beyond.",
    ],
    [
      'with a year that cannot be',
      { and: [{ createdAt: { from: new Date('+012345-01-01T00:00:00Z') } }] },
      "'filter.and[0].createdAt.from' must lie in the years 1 to 9999.",
    ],
  ])('%s is refused at once, and told where', async (_what, filter, message) => {
    const refusal = expect.objectContaining({
      details: [{ message: expect.stringContaining(message) }],
    });
    const cost = await cpuMsOf(() => {
      expect(() => readEventFilter(filter)).toThrow(BadDataError);
      expect(() => readEventFilter(filter)).toThrow(refusal);
    });
    expect(cost).toBeLessThan(1_000);
  });

  test('becomes criteria that do not depend on how it was written', () => {
    const expected = {
      features: ['a', 'b'],
      and: [{ not: { environments: ['production'] } }, { projects: ['p'] }],
      or: [{ text: 'x' }, { text: 'y' }],
    };
    expect(
      readEventFilter({
        feature: { anyOf: ['b', 'a', 'b'] },
        environment: { not: ['production'] },
        and: [{ project: { is: 'p' } }, {}, { project: { anyOf: ['p', 'p'] } }],
        or: [{ text: 'y' }, { text: 'x' }, { text: 'y' }],
      }),
    ).toEqual(expected);
    expect(JSON.stringify(readEventFilter({ text: 'a', id: { is: 1 } }))).toBe(
      JSON.stringify(readEventFilter({ id: { is: 1, anyOf: [1, 2], not: [2] }, text: 'a' })),
    );
  });
});

describe('a search costs', () => {
  const costOf = (filter: unknown) => searchCost({ filter }).field;

  test('more for every text, wherever it is looked for', () => {
    expect(costOf(null)).toBe(1);
    expect(costOf({ text: '' })).toBe(1);
    expect(costOf({ text: 'a' })).toBe(10_001);
    expect(costOf({ not: { or: [{ text: 'a' }, { and: [{ text: 'b' }] }] } })).toBe(20_001);
    expect(costOf({ or: { text: 'a' } })).toBe(10_001);
  });

  test('more for many values', () => {
    expect(costOf({ feature: { anyOf: names(1_000) } })).toBe(101);
    expect(costOf({ not: { feature: { anyOf: names(10), not: names(30) } } })).toBe(5);
  });

  test.each([
    7,
    'text',
    [],
    [{ text: 'a' }],
    { and: 7, or: 'x', not: [] },
    { and: [[[]]] },
    { text: { text: {} }, id: [1] },
    { or: Array.from({ length: 300_000 }, () => ({})) },
  ])('a number whatever was sent, case %#', async (filter) => {
    const cost = await cpuMsOf(() => {
      expect(costOf(filter)).toBeGreaterThanOrEqual(1);
      expect(costOf(nested(50_000))).toBe(1);
    });
    expect(cost).toBeLessThan(500);
  });
});
