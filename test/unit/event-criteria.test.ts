import { describe, expect, test } from 'vitest';
import {
  assertEventCriteria,
  type EventConditions,
  type EventCriteria,
  isCombination,
  isExclusion,
  isHard,
  readsAuthors,
  readsPayloads,
  textsOfAll,
} from '../../src/domain/events/event-criteria.js';

/** A condition at every possible position. */
const placesOf = (conditions: EventConditions): EventCriteria[] => [
  conditions,
  { and: [{}, conditions] },
  { or: [{ ids: [1] }, conditions] },
  { not: conditions },
  { types: ['a'], not: { or: [{ and: [{ not: conditions }] }] } },
];

describe('conditions at any position', () => {
  test.each<[EventConditions, boolean, boolean, boolean]>([
    [{ text: 'a' }, true, true, false],
    [{ from: new Date() }, true, false, false],
    [{ before: new Date() }, true, false, false],
    [{ creatorNames: ['a'] }, true, false, false],
    [{ creators: [1] }, false, false, true],
    [{ creatorFrom: 1 }, false, false, true],
    [{ creatorBefore: 1 }, false, false, true],
    [{ features: ['a'], idFrom: 1, typesOtherThan: ['a'] }, false, false, false],
  ])('%j are detected', (conditions, hard, text, authors) => {
    for (const criteria of placesOf(conditions)) {
      expect([isHard(criteria), readsPayloads(criteria), readsAuthors(criteria)]).toEqual([
        hard || isExclusion(criteria),
        text,
        authors,
      ]);
    }
  });

  test.each<EventConditions>([
    { text: 'a\0' },
    { features: ['\ud800'] },
    { projects: ['a', '\0'] },
    { environments: ['\0'] },
    { types: ['\0'] },
    { creatorNames: ['\0'] },
  ])('%j are rejected as not storable', (conditions) => {
    for (const criteria of placesOf(conditions)) {
      expect(() => assertEventCriteria(criteria)).toThrow(/cannot be stored/);
    }
  });
});

test.each<[EventCriteria, boolean]>([
  [{ not: { environments: ['a'] } }, true],
  [{ typesOtherThan: ['a'] }, true],
  [{ projects: ['a'], and: [{ or: [{ not: { types: ['b'] } }] }] }, true],
  [{ features: ['a'], not: { types: ['b'] } }, false],
  [{ and: [{ ids: [1] }], typesOtherThan: ['b'] }, false],
  [{ projects: ['a'], types: ['b'], environments: ['c'] }, false],
])('%j exclude events without an index: %s', (criteria, expected) => {
  expect(isExclusion(criteria)).toBe(expected);
  expect(isHard(criteria)).toBe(expected);
});

test('only texts that every match contains can use an index', () => {
  expect(textsOfAll({ text: 'a', and: [{ text: 'b', and: [{ text: 'c' }] }] })).toEqual([
    'a',
    'b',
    'c',
  ]);
  expect(textsOfAll({ or: [{ text: 'a' }], not: { text: 'b' }, and: [{ not: {} }] })).toEqual([]);
});

test.each<[EventCriteria, boolean]>([
  [{ types: ['a'] }, false],
  [{ types: ['a', 'b'], or: [{ types: ['c'] }] }, false],
  [{ types: ['a'], environments: ['b'] }, true],
  [{ or: [{ projects: ['a'] }, { creators: [1] }] }, true],
  [{ types: ['a'], and: [{ not: { environments: ['b'] } }] }, true],
  [{ types: ['a'], environments: ['b'], features: ['c'] }, false],
  [{ types: ['a'], environments: ['b'], ids: [1] }, false],
])('%j combines several conditions: %j', (criteria, expected) => {
  expect(isCombination(criteria)).toBe(expected);
});
