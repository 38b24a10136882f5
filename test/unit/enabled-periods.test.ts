import { describe, expect, test } from 'vitest';
import {
  enabledPeriods,
  type SwitchHistory,
} from '../../src/domain/features/history/enabled-periods.js';
import type { HistoryEvent } from '../../src/domain/features/history/history-event.js';

type Line = readonly [type: string, facts?: Partial<HistoryEvent>];

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));

/** Events of one feature, one minute apart, with IDs from 1. */
const events = (...lines: readonly Line[]): HistoryEvent[] =>
  lines.map(([type, fields = {}], index) => ({
    id: index + 1,
    type,
    createdAt: at(index + 1),
    projectId: 'web',
    environment: type.startsWith('feature-environment-') ? 'production' : null,
    featureName: 'checkout',
    ip: '198.51.100.7',
    data: type === 'feature-created' ? { name: 'checkout' } : null,
    preData: null,
    ...fields,
  }));

const CREATED: Line = ['feature-created'];
const ON: Line = ['feature-environment-enabled'];
const OFF: Line = ['feature-environment-disabled'];

const periods = (lines: readonly Line[], more: Partial<SwitchHistory> & { last?: number } = {}) => {
  const { last = 50, ...rest } = more;
  return enabledPeriods(
    {
      environment: 'production',
      events: events(...lines),
      isCut: false,
      isEnabled: false,
      ...rest,
    },
    last,
  );
};

/** Each period in a short form: its state and its event IDs. */
const short = (...args: Parameters<typeof periods>) =>
  periods(...args).map(({ state, startedBy, endedBy, contradicted }) =>
    [state, startedBy, endedBy, ...(contradicted ? ['contradicted'] : [])].join(' '),
  );

describe('the enabled periods of a feature', () => {
  test('start disabled with its creation and change with every toggle', () => {
    expect(periods([CREATED, ON, OFF, ON], { isEnabled: true })).toMatchObject([
      { state: 'DISABLED', from: at(1), to: at(2), startedBy: 1, endedBy: 2 },
      { state: 'ENABLED', from: at(2), to: at(3), startedBy: 2, endedBy: 3 },
      { state: 'DISABLED', from: at(3), to: at(4), startedBy: 3, endedBy: 4 },
      { state: 'ENABLED', from: at(4), to: null, startedBy: 4, endedBy: null },
    ]);
  });

  test('are not split by events that repeat the current state', () => {
    expect(short([CREATED, OFF, ON, ON, ON, OFF])).toEqual([
      'DISABLED 1 3',
      'ENABLED 3 6',
      'DISABLED 6 ',
    ]);
  });

  test('are unknown before the first event with a state', () => {
    expect(short([ON], { isEnabled: true })).toEqual(['UNKNOWN  1', 'ENABLED 1 ']);
    expect(short([])).toEqual(['UNKNOWN  ']);
    expect(short([['feature-import', { data: { name: 'checkout' } }], ON, OFF])).toEqual([
      'UNKNOWN  2',
      'ENABLED 2 3',
      'DISABLED 3 ',
    ]);
  });

  test('are not affected by other environments, archiving or a change of project', () => {
    const elsewhere: Line = ['feature-environment-enabled', { environment: 'development' }];
    expect(short([CREATED, elsewhere, ON, ['feature-archived']], { isEnabled: true })).toEqual([
      'DISABLED 1 3',
      'ENABLED 3 ',
    ]);
    expect(short([CREATED, ON, ['feature-project-change']], { isEnabled: true })).toEqual([
      'DISABLED 1 2',
      'ENABLED 2 ',
    ]);
  });

  test('have a gap while the feature is deleted', () => {
    expect(short([CREATED, ON, ['feature-deleted'], CREATED, ON], { isEnabled: true })).toEqual([
      'DISABLED 1 2',
      'ENABLED 2 3',
      'DISABLED 4 5',
      'ENABLED 5 ',
    ]);
  });

  test('are not split when all features were dropped before the first event of the feature', () => {
    const dropped: Line = ['drop-features', { featureName: null, projectId: null }];
    expect(short([dropped])).toEqual(['UNKNOWN  ']);
    expect(short([dropped, ON], { isEnabled: true })).toEqual(['UNKNOWN  2', 'ENABLED 2 ']);
    expect(short([dropped, CREATED])).toEqual(['DISABLED 2 ']);
    expect(short([CREATED, dropped, CREATED])).toEqual(['DISABLED 1 2', 'DISABLED 3 ']);
    const named: Line = ['feature-import', { featureName: null, data: { name: 'checkout' } }];
    expect(short([dropped, named, OFF])).toEqual(['UNKNOWN  3', 'DISABLED 3 ']);
  });

  test('end with a revival, and are unknown if the version may have kept the feature enabled', () => {
    const archived: Line = ['feature-archived'];
    expect(short([CREATED, ON, archived, ['feature-revived']])).toEqual([
      'DISABLED 1 2',
      'ENABLED 2 4',
      'DISABLED 4 ',
    ]);
    const old: Line = ['feature-revived', { ip: null }];
    expect(short([CREATED, ON, archived, old, OFF])).toEqual([
      'DISABLED 1 2',
      'ENABLED 2 4',
      'UNKNOWN 4 5',
      'DISABLED 5 ',
    ]);
    expect(short([CREATED, archived, old])).toEqual(['DISABLED 1 ']);
  });

  test.each<[string, unknown]>([
    ['no payload', null],
    ['a text', 'created'],
    ['a list', [{ enabled: false }]],
    ['an empty object', {}],
    ['a name that is not text', { name: 7 }],
    ['a global toggle, as before environments existed', { name: 'checkout', enabled: true }],
    ['an invalid toggle', { name: 'checkout', enabled: 'yes' }],
  ])('are unknown after a creation with %s', (_title, data) => {
    expect(short([['feature-created', { data }], ON, OFF])).toEqual([
      'UNKNOWN 1 2',
      'ENABLED 2 3',
      'DISABLED 3 ',
    ]);
  });

  test.each<[string, Line]>([
    ['an update that may have toggled it', ['feature-updated', { data: { enabled: true } }]],
    ['a toggle without an environment', ['feature-environment-disabled', { environment: null }]],
    ['an import', ['feature-import', { featureName: null, data: { name: 'checkout' } }]],
    ['the deletion of an unnamed environment', ['environment-deleted', { featureName: null }]],
    [
      'the removal of an environment from an unnamed project',
      [
        'project-environment-removed',
        { featureName: null, projectId: null, environment: 'production' },
      ],
    ],
    [
      'the creation of an environment, possibly as a copy',
      ['environment-created', { featureName: null, data: { name: 'production' } }],
    ],
  ])('are unknown after %s', (_title, line) => {
    expect(short([CREATED, ON, line])).toEqual(['DISABLED 1 2', 'ENABLED 2 3', 'UNKNOWN 3 ']);
  });

  test.each<[string, Line]>([
    [
      'its project loses the environment',
      ['project-environment-removed', { environment: 'production', featureName: null }],
    ],
    [
      'the environment is deleted',
      ['environment-deleted', { environment: 'production', featureName: null }],
    ],
    ['all environments are deleted', ['drop-environments', { featureName: null, projectId: null }]],
  ])('end when %s', (_title, line) => {
    expect(short([CREATED, ON, line])).toEqual(['DISABLED 1 2', 'ENABLED 2 3', 'DISABLED 3 ']);
  });

  test('continue when another project loses the environment', () => {
    const moved: Line = ['feature-project-change', { projectId: 'mobile' }];
    const removed: Line = [
      'project-environment-removed',
      { environment: 'production', featureName: null },
    ];
    expect(short([CREATED, ON, moved, removed], { isEnabled: true })).toEqual([
      'DISABLED 1 2',
      'ENABLED 2 ',
    ]);
  });

  test('are marked when the last one contradicts the database', () => {
    expect(short([CREATED, ON])).toEqual(['DISABLED 1 2', 'ENABLED 2  contradicted']);
    expect(short([CREATED], { isEnabled: true })).toEqual(['DISABLED 1  contradicted']);
    expect(short([['feature-updated']], { isEnabled: true })).toEqual(['UNKNOWN  ']);
    expect(short([CREATED, ['feature-deleted']])).toEqual([
      'DISABLED 1 2',
      'UNKNOWN 2  contradicted',
    ]);
  });

  test('are the last ones when there are too many, and report the omission', () => {
    const lastPeriods = periods([CREATED, ON, OFF, ON, OFF], { last: 2 });
    expect(lastPeriods).toMatchObject([
      { state: 'ENABLED', startedBy: 4, earlierOmitted: true },
      { state: 'DISABLED', startedBy: 5, earlierOmitted: false },
    ]);
    expect(periods([CREATED, ON, OFF], { last: 3 })[0]?.earlierOmitted).toBe(false);
  });

  test('have no start if they begin with the first event of a truncated log', () => {
    expect(periods([ON, ON, OFF], { isCut: true })).toMatchObject([
      { state: 'ENABLED', from: null, startedBy: null, endedBy: 3, earlierOmitted: true },
      { state: 'DISABLED', from: at(3), startedBy: 3 },
    ]);
    expect(short([CREATED, ON], { isCut: true, isEnabled: true })).toEqual([
      'DISABLED 1 2',
      'ENABLED 2 ',
    ]);
  });

  test('include a change without a timestamp', () => {
    const untimed: Line = ['feature-environment-enabled', { createdAt: null }];
    expect(periods([CREATED, untimed], { isEnabled: true })).toMatchObject([
      { state: 'DISABLED', to: null, endedBy: 2 },
      { state: 'ENABLED', from: null, startedBy: 2 },
    ]);
  });
});
