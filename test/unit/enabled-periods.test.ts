import { describe, expect, test } from 'vitest';
import {
  enabledPeriods,
  type SwitchHistory,
} from '../../src/domain/features/history/enabled-periods.js';
import type { HistoryEvent } from '../../src/domain/features/history/history-event.js';

type Line = readonly [type: string, facts?: Partial<HistoryEvent>];

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));

/** Events of one feature, a minute apart, numbered from 1. */
const events = (...lines: readonly Line[]): HistoryEvent[] =>
  lines.map(([type, facts = {}], index) => ({
    id: index + 1,
    type,
    createdAt: at(index + 1),
    projectId: 'web',
    environment: type.startsWith('feature-environment-') ? 'production' : null,
    featureName: 'checkout',
    ip: '198.51.100.7',
    data: type === 'feature-created' ? { name: 'checkout' } : null,
    preData: null,
    ...facts,
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

/** Each period in short: its state and the numbers of its events. */
const short = (...args: Parameters<typeof periods>) =>
  periods(...args).map(({ state, startedBy, endedBy, contradicted }) =>
    [state, startedBy, endedBy, ...(contradicted ? ['contradicted'] : [])].join(' '),
  );

describe('the periods of a feature', () => {
  test('begin with its creation, off, and change with every switch', () => {
    expect(periods([CREATED, ON, OFF, ON], { isEnabled: true })).toMatchObject([
      { state: 'DISABLED', from: at(1), to: at(2), startedBy: 1, endedBy: 2 },
      { state: 'ENABLED', from: at(2), to: at(3), startedBy: 2, endedBy: 3 },
      { state: 'DISABLED', from: at(3), to: at(4), startedBy: 3, endedBy: 4 },
      { state: 'ENABLED', from: at(4), to: null, startedBy: 4, endedBy: null },
    ]);
  });

  test('are not cut by events that repeat what is so already', () => {
    expect(short([CREATED, OFF, ON, ON, ON, OFF])).toEqual([
      'DISABLED 1 3',
      'ENABLED 3 6',
      'DISABLED 6 ',
    ]);
  });

  test('are unknown before the first event that tells', () => {
    expect(short([ON], { isEnabled: true })).toEqual(['UNKNOWN  1', 'ENABLED 1 ']);
    expect(short([])).toEqual(['UNKNOWN  ']);
    expect(short([['feature-import', { data: { name: 'checkout' } }], ON, OFF])).toEqual([
      'UNKNOWN  2',
      'ENABLED 2 3',
      'DISABLED 3 ',
    ]);
  });

  test('do not mind other environments, archiving or a change of project', () => {
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

  test('leave a gap while the feature is deleted', () => {
    expect(short([CREATED, ON, ['feature-deleted'], CREATED, ON], { isEnabled: true })).toEqual([
      'DISABLED 1 2',
      'ENABLED 2 3',
      'DISABLED 4 5',
      'ENABLED 5 ',
    ]);
  });

  test('are one while nothing was heard of the feature, though all features were dropped', () => {
    const dropped: Line = ['drop-features', { featureName: null, projectId: null }];
    expect(short([dropped])).toEqual(['UNKNOWN  ']);
    expect(short([dropped, ON], { isEnabled: true })).toEqual(['UNKNOWN  2', 'ENABLED 2 ']);
    expect(short([dropped, CREATED])).toEqual(['DISABLED 2 ']);
    expect(short([CREATED, dropped, CREATED])).toEqual(['DISABLED 1 2', 'DISABLED 3 ']);
    const named: Line = ['feature-import', { featureName: null, data: { name: 'checkout' } }];
    expect(short([dropped, named, OFF])).toEqual(['UNKNOWN  3', 'DISABLED 3 ']);
  });

  test('end with a revival, unless a version wrote it that may have left it on', () => {
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
    ['a sentence', 'created'],
    ['a list', [{ enabled: false }]],
    ['nothing in it', {}],
    ['a name that is no text', { name: 7 }],
    ['a switch of its own, as before there were environments', { name: 'checkout', enabled: true }],
    ['a switch that is none', { name: 'checkout', enabled: 'yes' }],
  ])('are unknown after a creation with %s', (_what, data) => {
    expect(short([['feature-created', { data }], ON, OFF])).toEqual([
      'UNKNOWN 1 2',
      'ENABLED 2 3',
      'DISABLED 3 ',
    ]);
  });

  test.each<[string, Line]>([
    ['an update that may have switched it', ['feature-updated', { data: { enabled: true } }]],
    ['a switch that does not say where', ['feature-environment-disabled', { environment: null }]],
    ['an import', ['feature-import', { featureName: null, data: { name: 'checkout' } }]],
    ['an environment gone, nobody says which', ['environment-deleted', { featureName: null }]],
    [
      'an environment gone, nobody says from where',
      [
        'project-environment-removed',
        { featureName: null, projectId: null, environment: 'production' },
      ],
    ],
    [
      'an environment made anew, perhaps as a copy',
      ['environment-created', { featureName: null, data: { name: 'production' } }],
    ],
  ])('are unknown after %s', (_what, line) => {
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
    ['all environments are', ['drop-environments', { featureName: null, projectId: null }]],
  ])('end when %s', (_what, line) => {
    expect(short([CREATED, ON, line])).toEqual(['DISABLED 1 2', 'ENABLED 2 3', 'DISABLED 3 ']);
  });

  test('go on when another project loses the environment', () => {
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

  test('are marked where the last of them is not what the database says', () => {
    expect(short([CREATED, ON])).toEqual(['DISABLED 1 2', 'ENABLED 2  contradicted']);
    expect(short([CREATED], { isEnabled: true })).toEqual(['DISABLED 1  contradicted']);
    expect(short([['feature-updated']], { isEnabled: true })).toEqual(['UNKNOWN  ']);
    expect(short([CREATED, ['feature-deleted']])).toEqual([
      'DISABLED 1 2',
      'UNKNOWN 2  contradicted',
    ]);
  });

  test('are the last ones when there are too many, and say so', () => {
    const shown = periods([CREATED, ON, OFF, ON, OFF], { last: 2 });
    expect(shown).toMatchObject([
      { state: 'ENABLED', startedBy: 4, earlierOmitted: true },
      { state: 'DISABLED', startedBy: 5, earlierOmitted: false },
    ]);
    expect(periods([CREATED, ON, OFF], { last: 3 })[0]?.earlierOmitted).toBe(false);
  });

  test('do not take the first event of a shortened log for the beginning of what it says', () => {
    expect(periods([ON, ON, OFF], { isCut: true })).toMatchObject([
      { state: 'ENABLED', from: null, startedBy: null, endedBy: 3, earlierOmitted: true },
      { state: 'DISABLED', from: at(3), startedBy: 3 },
    ]);
    expect(short([CREATED, ON], { isCut: true, isEnabled: true })).toEqual([
      'DISABLED 1 2',
      'ENABLED 2 ',
    ]);
  });

  test('keep a change whose time is lost', () => {
    const lost: Line = ['feature-environment-enabled', { createdAt: null }];
    expect(periods([CREATED, lost], { isEnabled: true })).toMatchObject([
      { state: 'DISABLED', to: null, endedBy: 2 },
      { state: 'ENABLED', from: null, startedBy: 2 },
    ]);
  });
});
