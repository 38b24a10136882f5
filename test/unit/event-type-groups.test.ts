import { expect, test } from 'vitest';
import {
  EVENT_TYPE_GROUPS,
  type EventTypeGroupName,
  typesOfGroups,
} from '../../src/domain/events/event-type-groups.js';
import { EVENT_TYPES } from '../../src/domain/events/event-types.js';

const GROUPS = Object.keys(EVENT_TYPE_GROUPS) as EventTypeGroupName[];

test('every known event type belongs to exactly one group', () => {
  const grouped = typesOfGroups(GROUPS);
  expect(grouped.toSorted()).toEqual(EVENT_TYPES.toSorted());
});

test('no group is empty', () => {
  for (const group of GROUPS) expect(EVENT_TYPE_GROUPS[group].length).toBeGreaterThan(0);
});

test.each<[string, EventTypeGroupName]>([
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
])('types that begin with %s belong to %s', (prefix, group) => {
  const types = EVENT_TYPES.filter((type) => type.startsWith(prefix));
  expect(types.length).toBeGreaterThan(0);
  expect(typesOfGroups([group])).toEqual(expect.arrayContaining(types));
});

test('feature events with other prefixes belong to the feature group', () => {
  expect(EVENT_TYPE_GROUPS.FEATURE).toEqual(
    expect.arrayContaining([
      'strategy-order-changed',
      'drop-features',
      'release-plan-added',
      'release-plan-milestone-started',
    ]),
  );
});
