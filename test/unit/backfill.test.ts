import { describe, expect, test } from 'vitest';
import { backfillAspects, backfillVariants } from '../../src/domain/features/history/backfill.js';
import {
  type Aspects,
  NO_ASPECTS,
  recorded,
} from '../../src/domain/features/history/feature-state.js';
import type { HistoryEvent } from '../../src/domain/features/history/history-event.js';

type Line = readonly [type: string, facts?: Partial<HistoryEvent>];

const events = (lines: readonly Line[]): HistoryEvent[] =>
  lines.map(([type, fields = {}], index) => ({
    id: index + 1,
    type,
    createdAt: new Date(Date.UTC(2026, 0, 1, 0, index)),
    projectId: 'web',
    environment: null,
    featureName: 'checkout',
    ip: null,
    data: null,
    preData: null,
    ...fields,
  }));

const PAST = { type: 'release', description: 'Pay', stale: false, archived: false };
const changed: Line = ['feature-metadata-updated', { preData: PAST }];

describe('aspects backfilled from later events', () => {
  const learn = (aspects: Aspects, ...lines: readonly Line[]) =>
    backfillAspects(aspects, events(lines));

  test('are the previous values of the first change', () => {
    const aspects = learn(NO_ASPECTS, changed, [
      'feature-metadata-updated',
      { preData: { type: 'x' } },
    ]);
    expect(aspects).toMatchObject({
      type: recorded('release'),
      description: recorded('Pay'),
      stale: recorded(false),
      archived: recorded(false),
      impressionData: null,
      tags: null,
    });
  });

  test('do not override known values', () => {
    const aspects = { ...NO_ASPECTS, description: recorded('Known') };
    expect(learn(aspects, changed).description).toEqual(recorded('Known'));
    expect(learn(aspects, changed).type).toEqual(recorded('release'));
  });

  test('exclude an aspect that another event changed first', () => {
    expect(learn(NO_ASPECTS, ['feature-stale-on'], changed)).toMatchObject({
      stale: null,
      type: recorded('release'),
    });
    expect(learn(NO_ASPECTS, ['feature-revived'], changed).archived).toBe(null);
  });

  test.each(['feature-created', 'feature-import', 'feature-updated', 'drop-features'])(
    'end with %s',
    (type) => {
      expect(learn(NO_ASPECTS, [type], changed)).toEqual(NO_ASPECTS);
    },
  );

  test.each([[null], ['text'], [7], [[PAST]]])('exclude the invalid payload %j', (preData) => {
    expect(learn(NO_ASPECTS, ['feature-metadata-updated', { preData }], changed)).toEqual(
      NO_ASPECTS,
    );
  });

  test('include the values recorded by a deletion', () => {
    expect(learn(NO_ASPECTS, ['feature-deleted', { preData: PAST }], changed).type).toEqual(
      recorded('release'),
    );
  });
});

describe('variants backfilled from later events', () => {
  const varied = (environment: string | null, preData: unknown): Line => [
    'feature-environment-variants-updated',
    { environment, preData },
  ];
  const learn = (...lines: readonly Line[]) =>
    backfillVariants(null, 'production', events(lines))?.value ?? '?';
  const OLD = { variants: [{ name: 'old', weight: 1000 }] };

  test('are the previous values of the first change in this environment', () => {
    expect(learn(varied('test', { variants: [] }), varied('production', OLD))).toEqual(
      OLD.variants,
    );
    expect(learn(varied('test', OLD))).toBe('?');
    expect(learn()).toBe('?');
    expect(
      backfillVariants(recorded([]), 'production', events([varied('production', OLD)])),
    ).toEqual(recorded([]));
  });

  test.each<[string, Line]>([
    [
      'all variants are changed at once',
      ['feature-variants-updated', { preData: { variants: [] } }],
    ],
    ['the feature is created again', ['feature-created']],
    ['the feature moves to another project', ['feature-project-change']],
    [
      'the environment is removed from its project',
      ['project-environment-removed', { environment: 'production', featureName: null }],
    ],
    ['all environments are deleted', ['drop-environments', { featureName: null }]],
    ['an unnamed environment is deleted', ['environment-deleted', { data: 7 }]],
    ['they are changed in an unnamed environment', varied(null, OLD)],
  ])('are unknown once %s', (_title, line) => {
    expect(learn(line, varied('production', OLD))).toBe('?');
  });

  test('are unknown after an invalid change', () => {
    expect(learn(varied('production', 'text'), varied('production', OLD))).toBe('?');
    expect(learn(varied('production', { variants: ['a'] }))).toBe('?');
    expect(learn(varied('production', { variants: [{ name: 7, weight: 1 }] }))).toBe('?');
  });

  test('are not affected by an import, which records its changes', () => {
    expect(
      learn(
        ['features-imported', { environment: 'production', featureName: null }],
        varied('production', OLD),
      ),
    ).toEqual(OLD.variants);
  });
});
