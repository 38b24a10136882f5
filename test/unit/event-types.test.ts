import { describe, expect, test } from 'vitest';
import { EVENT_TYPES, isKnownEventType } from '../../src/domain/events/event-types.js';

describe('event types', () => {
  test('are the 156 of the API document, each once, in its order', () => {
    expect(EVENT_TYPES).toHaveLength(156);
    expect(new Set(EVENT_TYPES).size).toBe(156);
    expect(EVENT_TYPES.slice(0, 3)).toEqual([
      'application-created',
      'feature-created',
      'feature-deleted',
    ]);
    expect(EVENT_TYPES.slice(-2)).toEqual(['scim-users-deleted', 'scim-groups-deleted']);
    expect(EVENT_TYPES.indexOf('feature-untagged')).toBe(
      EVENT_TYPES.indexOf('drop-feature-tags') + 1,
    );
  });

  test('are matched exactly', () => {
    expect(isKnownEventType('feature-strategy-update')).toBe(true);
    expect(isKnownEventType('Feature-Strategy-Update')).toBe(false);
    expect(isKnownEventType(' feature-created')).toBe(false);
  });

  test.each(['', 'constructor', '__proto__', 'toString', 'length', 'hasOwnProperty'])(
    'do not include the built-in name %j',
    (type) => {
      expect(isKnownEventType(type)).toBe(false);
    },
  );
});
