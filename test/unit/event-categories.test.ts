import { expect, test } from 'vitest';
import {
  EVENT_CATEGORIES,
  type EventCategoryName,
  typesOfCategories,
} from '../../src/domain/events/event-categories.js';
import { EVENT_TYPES } from '../../src/domain/events/event-types.js';

const CATEGORIES = Object.keys(EVENT_CATEGORIES) as EventCategoryName[];

test('every known event type belongs to exactly one category', () => {
  const all = typesOfCategories(CATEGORIES);
  expect(all.toSorted()).toEqual(EVENT_TYPES.toSorted());
});

test('no category is empty', () => {
  for (const category of CATEGORIES) expect(EVENT_CATEGORIES[category].length).toBeGreaterThan(0);
});

test.each<[string, EventCategoryName]>([
  ['feature-', 'FEATURE'],
  ['features-', 'FEATURE'],
  ['change-', 'CHANGE_REQUEST'],
  ['project-', 'PROJECT'],
  ['environment-', 'ENVIRONMENT'],
  ['segment-', 'SEGMENT'],
  ['context-field-', 'CONTEXT_FIELD'],
  ['addon-config-', 'INTEGRATION'],
  ['user-', 'USER'],
  ['group-', 'GROUP'],
  ['role-', 'ROLE'],
  ['api-token-', 'TOKEN'],
  ['setting-', 'SETTING'],
])('types that begin with %s belong to %s', (prefix, category) => {
  const types = EVENT_TYPES.filter((type) => type.startsWith(prefix));
  expect(types.length).toBeGreaterThan(0);
  expect(typesOfCategories([category])).toEqual(expect.arrayContaining(types));
});

test('feature events with other prefixes belong to the feature category', () => {
  expect(EVENT_CATEGORIES.FEATURE).toEqual(
    expect.arrayContaining([
      'strategy-order-changed',
      'drop-features',
      'release-plan-added',
      'release-plan-milestone-started',
    ]),
  );
});
