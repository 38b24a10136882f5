import { describe, expect, test } from 'vitest';
import { type Aspects, NO_ASPECTS, told } from '../../src/domain/features/history/feature-state.js';
import type { HistoryEvent } from '../../src/domain/features/history/history-event.js';
import {
  aspectsToldLater,
  variantsToldLater,
} from '../../src/domain/features/history/told-later.js';

type Line = readonly [type: string, facts?: Partial<HistoryEvent>];

const events = (lines: readonly Line[]): HistoryEvent[] =>
  lines.map(([type, facts = {}], index) => ({
    id: index + 1,
    type,
    createdAt: new Date(Date.UTC(2026, 0, 1, 0, index)),
    projectId: 'web',
    environment: null,
    featureName: 'checkout',
    ip: null,
    data: null,
    preData: null,
    ...facts,
  }));

const PAST = { type: 'release', description: 'Pay', stale: false, archived: false };
const changed: Line = ['feature-metadata-updated', { preData: PAST }];

describe('what later events tell of the aspects before them', () => {
  const learn = (aspects: Aspects, ...lines: readonly Line[]) =>
    aspectsToldLater(aspects, events(lines));

  test('is what the first change recorded as the past', () => {
    const aspects = learn(NO_ASPECTS, changed, [
      'feature-metadata-updated',
      { preData: { type: 'x' } },
    ]);
    expect(aspects).toMatchObject({
      type: told('release'),
      description: told('Pay'),
      stale: told(false),
      archived: told(false),
      impressionData: null,
      tags: null,
    });
  });

  test('does not overrule what is told already', () => {
    const aspects = { ...NO_ASPECTS, description: told('Known') };
    expect(learn(aspects, changed).description).toEqual(told('Known'));
    expect(learn(aspects, changed).type).toEqual(told('release'));
  });

  test('ends where something else changed the aspect first', () => {
    expect(learn(NO_ASPECTS, ['feature-stale-on'], changed)).toMatchObject({
      stale: null,
      type: told('release'),
    });
    expect(learn(NO_ASPECTS, ['feature-revived'], changed).archived).toBe(null);
  });

  test.each(['feature-created', 'feature-import', 'feature-updated', 'drop-features'])(
    'ends with %s',
    (type) => {
      expect(learn(NO_ASPECTS, [type], changed)).toEqual(NO_ASPECTS);
    },
  );

  test.each([[null], ['text'], [7], [[PAST]]])('is nothing from %j', (preData) => {
    expect(learn(NO_ASPECTS, ['feature-metadata-updated', { preData }], changed)).toEqual(
      NO_ASPECTS,
    );
  });

  test('is also what a deletion recorded', () => {
    expect(learn(NO_ASPECTS, ['feature-deleted', { preData: PAST }], changed).type).toEqual(
      told('release'),
    );
  });
});

describe('what later events tell of the variants before them', () => {
  const varied = (environment: string | null, preData: unknown): Line => [
    'feature-environment-variants-updated',
    { environment, preData },
  ];
  const learn = (...lines: readonly Line[]) =>
    variantsToldLater(null, 'production', events(lines))?.value ?? '?';
  const OLD = { variants: [{ name: 'old', weight: 1000 }] };

  test('is what the first change of this environment recorded as the past', () => {
    expect(learn(varied('test', { variants: [] }), varied('production', OLD))).toEqual(
      OLD.variants,
    );
    expect(learn(varied('test', OLD))).toBe('?');
    expect(learn()).toBe('?');
    expect(variantsToldLater(told([]), 'production', events([varied('production', OLD)]))).toEqual(
      told([]),
    );
  });

  test.each<[string, Line]>([
    [
      'all variants are changed at once',
      ['feature-variants-updated', { preData: { variants: [] } }],
    ],
    ['it is created anew', ['feature-created']],
    ['it moves to another project', ['feature-project-change']],
    [
      'the environment leaves its project',
      ['project-environment-removed', { environment: 'production', featureName: null }],
    ],
    ['all environments go', ['drop-environments', { featureName: null }]],
    ['an environment goes, and it is not said which', ['environment-deleted', { data: 7 }]],
    ['they are changed, and it is not said where', varied(null, OLD)],
  ])('is nothing once %s', (_what, line) => {
    expect(learn(line, varied('production', OLD))).toBe('?');
  });

  test('is nothing from a damaged change', () => {
    expect(learn(varied('production', 'text'), varied('production', OLD))).toBe('?');
    expect(learn(varied('production', { variants: ['a'] }))).toBe('?');
    expect(learn(varied('production', { variants: [{ name: 7, weight: 1 }] }))).toBe('?');
  });

  test('does not mind an import, which records its changes', () => {
    expect(
      learn(
        ['features-imported', { environment: 'production', featureName: null }],
        varied('production', OLD),
      ),
    ).toEqual(OLD.variants);
  });
});
