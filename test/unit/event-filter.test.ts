import { describe, expect, test } from 'vitest';
import { BadDataError } from '../../src/domain/errors.js';
import { searchCost } from '../../src/graphql/connection.js';
import {
  type EventFilterInput,
  readEventFilter as read,
} from '../../src/graphql/schema/event-filter.js';
import { cpuMsOf } from '../testkit/cpu-time.js';

const NOW = new Date('2026-03-31T12:30:45Z');
const readEventFilter = (filter: EventFilterInput) => read(filter, NOW);

const names = (size: number) => Array.from({ length: size }, (_, index) => `name-${index}`);
const times = (size: number, filter: EventFilterInput) =>
  Array.from({ length: size }, () => filter);
const nested = (levels: number, innermost: EventFilterInput = {}): EventFilterInput => {
  let filter = innermost;
  for (let level = 0; level < levels; level++) filter = { not: filter };
  return filter;
};

describe('a filter', () => {
  test('may have five levels, fifty conditions and five thousand values', () => {
    expect(() => readEventFilter(nested(5, { text: 'a' }))).not.toThrow();
    expect(() => readEventFilter({ or: times(50, { text: 'a' }) })).not.toThrow();
    expect(() =>
      readEventFilter({ or: times(5, { featureName: { anyOf: names(1_000) } }) }),
    ).not.toThrow();
  });

  test.each<[string, EventFilterInput, string]>([
    [
      'too deep',
      nested(6),
      "'filter.not.not.not.not.not.not' is nested too deeply: filters can be nested 5 levels deep.",
    ],
    [
      'too deep in lists',
      { or: [{}, { and: [{ or: [{ and: [{ or: [{ and: [{ text: 'a' }] }] }] }] }] }] },
      "'filter.or[1].and[0].or[0].and[0].or[0].and[0]' is nested too deeply: filters can be nested 5 levels deep.",
    ],
    ['extremely deep', nested(5_000), "'filter.not.not.not.not.not.not' is nested too deeply"],
    [
      'with too many conditions',
      { or: times(51, { text: 'a' }) },
      "A filter can have at most 50 conditions in total; 'filter.or[50]' exceeds the limit.",
    ],
    [
      'with too many conditions in different places',
      {
        text: 'a',
        and: times(24, { text: 'a', id: { is: 1 } }),
        not: { text: 'a', id: { is: 2 } },
      },
      "A filter can have at most 50 conditions in total; 'filter.not' exceeds the limit.",
    ],
    [
      'with too many filters that say nothing',
      { or: times(100_000, {}) },
      "A filter can have at most 50 conditions in total; 'filter.or[50]' exceeds the limit.",
    ],
    [
      'with too many filters of empty lists',
      { and: times(51, { and: [], or: [] }) },
      "A filter can have at most 50 conditions in total; 'filter.and[50]' exceeds the limit.",
    ],
    [
      'with too many values in a list',
      { or: [{}, {}, {}, { featureName: { anyOf: names(10_000) } }] },
      "'filter.or[3].featureName.anyOf' can have at most 1000 values (got 10000).",
    ],
    [
      'with too many values to leave out',
      { not: { createdBy: { noneOf: names(1_001) } } },
      "'filter.not.createdBy.noneOf' can have at most 1000 values (got 1001).",
    ],
    [
      'with too many categories',
      { type: { category: Array.from({ length: 1_001 }, () => 'FEATURE' as const) } },
      "'filter.type.category' can have at most 1000 values (got 1001).",
    ],
    [
      'with too many values in all',
      { or: times(6, { featureName: { anyOf: names(900) } }) },
      "A filter can have at most 5000 values in total; 'filter.or[5].featureName.anyOf' exceeds the limit.",
    ],
    [
      'with a year that cannot be',
      { and: [{ createdAt: { from: new Date('+012345-01-01T00:00:00Z') } }] },
      "'filter.and[0].createdAt.from' must be in the years 1 to 9999.",
    ],
    [
      'with two starts of a range',
      { or: [{ createdAt: { last: 'P7D', from: NOW } }] },
      "'filter.or[0].createdAt.last' cannot be combined with 'from' or 'before'.",
    ],
    [
      'with a duration that has no length',
      { not: { createdAt: { last: 'P7' } } },
      '\'filter.not.createdAt.last\' must be a duration longer than zero, such as P7D or PT12H (got "P7").',
    ],
  ])('%s is rejected at once, with its path', async (_title, filter, message) => {
    const error = expect.objectContaining({
      details: [{ message: expect.stringContaining(message) }],
    });
    const cost = await cpuMsOf(() => {
      expect(() => readEventFilter(filter)).toThrow(BadDataError);
      expect(() => readEventFilter(filter)).toThrow(error);
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
        featureName: { anyOf: ['b', 'a', 'b'] },
        environmentName: { noneOf: ['production'] },
        and: [{ projectId: { is: 'p' } }, {}, { projectId: { anyOf: ['p', 'p'] } }],
        or: [{ text: 'y' }, { text: 'x' }, { text: 'y' }],
      }),
    ).toEqual(expected);
    expect(JSON.stringify(readEventFilter({ text: 'a', id: { is: 1 } }))).toBe(
      JSON.stringify(readEventFilter({ id: { is: 1, anyOf: [1, 2], noneOf: [2] }, text: 'a' })),
    );
  });
});

describe('the cost of a search', () => {
  const costOf = (filter: unknown) => searchCost({ filter }).field;

  test('increases with every text, at any position', () => {
    expect(costOf(null)).toBe(1);
    expect(costOf({ text: '' })).toBe(1);
    expect(costOf({ text: 'a' })).toBe(10_001);
    expect(costOf({ not: { or: [{ text: 'a' }, { and: [{ text: 'b' }] }] } })).toBe(20_001);
    expect(costOf({ or: { text: 'a' } })).toBe(10_001);
  });

  test('increases with the number and length of values', () => {
    // 1,000 values in 7,890 characters.
    expect(costOf({ featureName: { anyOf: names(1_000) } })).toBe(1 + 100 + 78);
    expect(costOf({ not: { featureName: { anyOf: names(10), noneOf: names(30) } } })).toBe(
      1 + 4 + 2,
    );
    expect(costOf({ featureName: { anyOf: ['x'.repeat(100_000)] } })).toBe(1 + 1_000);
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
  ])('is a number for any input, case %#', async (filter) => {
    const cost = await cpuMsOf(() => {
      expect(costOf(filter)).toBeGreaterThanOrEqual(1);
      expect(costOf(nested(50_000))).toBe(1);
    });
    expect(cost).toBeLessThan(500);
  });
});
