import { describe, expect, test } from 'vitest';
import { statesWithin } from '../../src/domain/events/changes/event-states.js';
import { EVENT_TYPES } from '../../src/domain/events/event-types.js';

const A = { name: 'a' };
const B = { name: 'b' };
const NOTHING = undefined;
const within = (
  type: string,
  { data = null, preData = null }: { data?: unknown; preData?: unknown },
) => statesWithin({ type, data, preData });

describe('the states of an event', () => {
  test('are those it records, whatever its type', () => {
    for (const type of ['feature-strategy-update', 'feature-deleted', 'never-heard-of']) {
      expect(within(type, { preData: A, data: B })).toEqual({ before: A, after: B });
    }
    expect(within('user-updated', { preData: false, data: 0 })).toEqual({
      before: false,
      after: 0,
    });
  });

  test.each([
    'feature-created',
    'feature-import',
    'feature-tagged',
    'feature-strategy-add',
    'feature-dependency-added',
    'project-access-added',
    'project-user-added',
    'segment-created',
    'group-user-added',
    'release-plan-added',
    'default-strategy-updated',
  ])('are nothing before and the added value after: %s', (type) => {
    expect(within(type, { data: B })).toEqual({ before: NOTHING, after: B });
    expect(within(type, {})).toBeNull();
  });

  test.each([
    'feature-deleted',
    'feature-untagged',
    'feature-strategy-remove',
    'feature-dependency-removed',
    'project-access-user-roles-deleted',
    'project-user-removed',
    'strategy-deleted',
    'change-discarded',
  ])('are the removed value before and nothing after: %s', (type) => {
    expect(within(type, { preData: A })).toEqual({ before: A, after: NOTHING });
    // Some types record the removed value in `data`.
    expect(within(type, { data: A })).toEqual({ before: A, after: NOTHING });
    expect(within(type, {})).toBeNull();
  });

  test.each([
    'feature-updated',
    'feature-strategy-update',
    'feature-environment-variants-updated',
    'tag-type-updated',
    'feature-completed',
    'change-request-applied',
    'client-metrics',
    'drop-features',
    'features-exported',
    'scim-users-deleted',
    'strategy-deprecated',
    'never-heard-of',
  ])('are unknown when only one is recorded and the event is not an addition: %s', (type) => {
    expect(within(type, { data: B })).toBeNull();
  });

  test.each([
    ['feature-environment-enabled', 'enabled', true],
    ['feature-environment-disabled', 'enabled', false],
    ['feature-archived', 'archived', true],
    ['feature-revived', 'archived', false],
    ['feature-stale-on', 'stale', true],
    ['feature-stale-off', 'stale', false],
    ['feature-potentially-stale-on', 'potentiallyStale', true],
    ['project-archived', 'archived', true],
    ['project-revived', 'archived', false],
  ])('are opposite values of a switch: %s', (type, key, value) => {
    const states = { before: { [key]: !value }, after: { [key]: value } };
    expect(within(type, {})).toEqual(states);
    // Some old versions record the feature with it.
    expect(within(type, { data: B })).toEqual(states);
    expect(within(type, { data: B, preData: A })).toEqual({ before: A, after: B });
  });

  test('are the two projects of a moved feature', () => {
    expect(
      within('feature-project-change', { data: { oldProject: 'x', newProject: 'y' } }),
    ).toEqual({
      before: { project: 'x' },
      after: { project: 'y' },
    });
    for (const data of [[], 'x', { newProject: 'y' }, null]) {
      expect(within('feature-project-change', { data })).toBeNull();
    }
  });

  test('contain only the keys of both when a type records one in more detail', () => {
    const preData = { id: 'web', name: 'Webshop', health: 90 };
    expect(
      within('project-updated', { preData, data: { name: 'Web shop', mode: 'open' } }),
    ).toEqual({
      before: { name: 'Webshop' },
      after: { name: 'Web shop' },
    });
    expect(within('setting-updated', { preData: ['x'], data: { id: 1 } })).toEqual({
      before: ['x'],
      after: { id: 1 },
    });
  });

  test('never fail for events of any type', () => {
    const payloads = [null, 0, '', 'x', [], {}, { oldProject: 1 }];
    for (const type of EVENT_TYPES) {
      for (const data of payloads) {
        for (const preData of payloads) expect(() => within(type, { data, preData })).not.toThrow();
      }
    }
  });
});
