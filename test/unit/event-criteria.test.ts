import { describe, expect, test } from 'vitest';
import {
  assertEventCriteria,
  type EventConditions,
  type EventCriteria,
  isHard,
  readsAuthors,
  readsPayloads,
  textsOfAll,
} from '../../src/domain/events/event-criteria.js';

/** A condition in every place it can have. */
const placesOf = (conditions: EventConditions): EventCriteria[] => [
  conditions,
  { and: [{}, conditions] },
  { or: [{ ids: [1] }, conditions] },
  { not: conditions },
  { types: ['a'], not: { or: [{ and: [{ not: conditions }] }] } },
];

describe('what is asked for is seen wherever it stands:', () => {
  test.each<[EventConditions, boolean, boolean, boolean]>([
    [{ text: 'a' }, true, true, false],
    [{ from: new Date() }, true, false, false],
    [{ before: new Date() }, true, false, false],
    [{ creatorNames: ['a'] }, true, false, false],
    [{ creators: [1] }, false, false, true],
    [{ creatorFrom: 1 }, false, false, true],
    [{ creatorBefore: 1 }, false, false, true],
    [{ features: ['a'], idFrom: 1, typesOtherThan: ['a'] }, false, false, false],
  ])('%j', (conditions, hard, text, authors) => {
    for (const criteria of placesOf(conditions)) {
      expect([isHard(criteria), readsPayloads(criteria), readsAuthors(criteria)]).toEqual([
        hard,
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
  ])('%j cannot be stored', (conditions) => {
    for (const criteria of placesOf(conditions)) {
      expect(() => assertEventCriteria(criteria)).toThrow(/cannot be stored/);
    }
  });
});

test('an index finds only texts that every match holds', () => {
  expect(textsOfAll({ text: 'a', and: [{ text: 'b', and: [{ text: 'c' }] }] })).toEqual([
    'a',
    'b',
    'c',
  ]);
  expect(textsOfAll({ or: [{ text: 'a' }], not: { text: 'b' }, and: [{ not: {} }] })).toEqual([]);
});
