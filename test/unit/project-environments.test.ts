import { expect, test } from 'vitest';
import type { HistoryEvent } from '../../src/domain/features/history/history-event.js';
import { hadEnvironment } from '../../src/domain/features/history/project-environments.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const event = (minute: number, type: string, projectId: string | null = 'default') =>
  ({
    id: minute,
    type,
    createdAt: at(minute),
    projectId,
    environment: projectId === null ? null : 'production',
    data: null,
    preData: null,
  }) as unknown as HistoryEvent;

const DROPPED = event(10, 'drop-environments', null);
const had = (events: HistoryEvent[], minute: number, present: boolean) =>
  hadEnvironment(
    events,
    at(minute),
    { project: 'default', environment: 'production' },
    new Set(present ? ['production'] : []),
  );

test('without events, a project had the environments that it has', () => {
  expect([had([], 20, true), had([], 20, false)]).toEqual([true, false]);
});

test('it is unknown when an environment was added again without an event', () => {
  expect(had([DROPPED], 20, true)).toBeNull();
  expect(had([DROPPED, event(30, 'project-environment-removed')], 20, false)).toBeNull();
});

test('an environment that was dropped is missing until it is added', () => {
  const events = [DROPPED, event(30, 'project-environment-added')];
  expect([had(events, 20, true), had(events, 40, true)]).toEqual([false, true]);
  expect(had([DROPPED], 20, false)).toBe(false);
});
