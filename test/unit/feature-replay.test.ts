import { describe, expect, test } from 'vitest';
import {
  type Aspects,
  type FeatureState,
  unrecordedState,
} from '../../src/domain/features/history/feature-state.js';
import { replayEvent } from '../../src/domain/features/history/replay.js';
import type { TaggedEvent } from '../../src/domain/features/history/replay-tags.js';
import { cpuMsOf } from '../testkit/cpu-time.js';

type Line = readonly [type: string, facts?: Partial<TaggedEvent>];

const METADATA = {
  name: 'checkout',
  type: 'release',
  description: 'Pay here',
  project: 'web',
  stale: false,
  impressionData: false,
  archived: false,
};

const CREATED: Line = ['feature-created', { data: METADATA }];
const inProduction = (fields: Partial<TaggedEvent>) => ({ environment: 'production', ...fields });

const replayed = (...lines: readonly Line[]): FeatureState =>
  lines
    .map(([type, fields = {}], index) => ({
      id: index + 1,
      type,
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, index)),
      projectId: 'web',
      environment: null,
      featureName: 'checkout',
      ip: '198.51.100.7',
      data: null,
      preData: null,
      tags: [],
      ...fields,
    }))
    .reduce(replayEvent, unrecordedState('UNKNOWN'));

/** The value of an aspect, or `?` if unknown. */
const aspect = (name: keyof Aspects, ...lines: readonly Line[]): unknown => {
  const recorded = replayed(...lines).aspects[name];
  return recorded ? recorded.value : '?';
};

const production = (...lines: readonly Line[]) => {
  const { environments, elsewhere } = replayed(...lines);
  const { enabled, strategies, variants } = environments.get('production') ?? elsewhere;
  return {
    enabled,
    strategies: strategies ? strategies.value.map(({ id }) => id).join() : '?',
    variants: variants ? variants.value.map(({ name }) => name).join() : '?',
  };
};

const STRATEGY = { id: 'a', name: 'default', constraints: [] };
const CONSTRAINT = { contextName: 'userId', operator: 'IN' };
const VARIANT = { name: 'a', weight: 500 };

const added = (id: string, sortOrder?: number): Line => [
  'feature-strategy-add',
  inProduction({ data: { ...STRATEGY, id, sortOrder } }),
];
const removed = (id: string): Line => [
  'feature-strategy-remove',
  inProduction({ preData: { id, name: 'default' } }),
];

/** Payloads without information about a feature. */
const DAMAGED: readonly [string, unknown][] = [
  ['nothing', null],
  ['a text', 'checkout'],
  ['a number', 42],
  ['a list', [METADATA]],
  ['an empty object', {}],
];

describe('the state of a feature', () => {
  test('is unknown without events', () => {
    const { existence, aspects, elsewhere } = replayed();
    expect(existence).toBe('UNKNOWN');
    expect(Object.values(aspects).every((recorded) => recorded === null)).toBe(true);
    expect(elsewhere).toEqual({ enabled: 'UNKNOWN', strategies: null, variants: null });
  });

  test('is complete from its creation on, except variants that a clone does not record', () => {
    const { existence, aspects } = replayed(CREATED);
    expect(existence).toBe('EXISTED');
    expect(
      Object.fromEntries(Object.entries(aspects).map(([key, recorded]) => [key, recorded?.value])),
    ).toEqual({
      project: 'web',
      type: 'release',
      description: 'Pay here',
      stale: false,
      impressionData: false,
      archived: false,
      tags: [],
      dependencies: [],
    });
    expect(production(CREATED)).toEqual({ enabled: 'DISABLED', strategies: '', variants: '?' });
  });

  test('follows changes of the feature itself', () => {
    const update: Line = [
      'feature-metadata-updated',
      { data: { ...METADATA, description: null, type: 'experiment', impressionData: true } },
    ];
    expect(aspect('description', CREATED, update)).toBe(null);
    expect(aspect('type', CREATED, update)).toBe('experiment');
    expect(aspect('impressionData', CREATED, update)).toBe(true);
    expect(aspect('stale', CREATED, ['feature-stale-on'])).toBe(true);
    expect(aspect('stale', CREATED, ['feature-stale-on'], ['feature-stale-off'])).toBe(false);
    expect(aspect('archived', CREATED, ['feature-archived'])).toBe(true);
    expect(aspect('archived', CREATED, ['feature-archived'], ['feature-revived'])).toBe(false);
  });

  test('follows the feature between projects', () => {
    const moved: Line = [
      'feature-project-change',
      { projectId: 'mobile', data: { oldProject: 'web', newProject: 'mobile' } },
    ];
    expect(aspect('project', CREATED, moved)).toBe('mobile');
    expect(
      aspect('project', CREATED, ['feature-project-change', { data: [], projectId: 'x' }]),
    ).toBe('x');
    expect(
      aspect('project', CREATED, ['feature-project-change', { data: [], projectId: null }]),
    ).toBe('?');
    expect(aspect('project', ['feature-favorited', { projectId: null }])).toBe('?');
    expect(aspect('project', ['feature-stale-on'])).toBe('web');
  });

  test.each(DAMAGED)('becomes unknown with an update that contains %s', (_title, data) => {
    const update: Line = ['feature-metadata-updated', { data }];
    expect(aspect('description', CREATED, update)).toBe('?');
    expect(aspect('stale', CREATED, update)).toBe('?');
    expect(aspect('project', CREATED, update)).toBe('web');
    expect(aspect('dependencies', CREATED, update)).toEqual([]);
    expect(
      aspect('description', CREATED, update, ['feature-metadata-updated', { data: METADATA }]),
    ).toBe('Pay here');
  });

  test.each(DAMAGED)('is not guessed from a creation that contains %s', (_title, data) => {
    const created: Line = ['feature-created', { data }];
    expect(aspect('description', created)).toBe('?');
    expect(production(created)).toEqual({ enabled: 'UNKNOWN', strategies: '?', variants: '?' });
    expect(aspect('archived', created)).toBe(false);
  });

  test.each<[keyof Aspects, unknown]>([
    ['type', 7],
    ['description', ['Pay']],
    ['stale', 'yes'],
    ['impressionData', 0],
    ['archived', 'no'],
    ['archived', true],
  ])('lacks the %s when a creation records %j', (name, value) => {
    expect(aspect(name, ['feature-created', { data: { ...METADATA, [name]: value } }])).toBe('?');
  });

  test.each([
    'environment-deleted',
    'environment-created',
    'environment-import',
    'project-environment-removed',
  ])('becomes unknown in all environments after %s without an environment name', (type) => {
    const varied: Line = [
      'feature-variants-updated',
      { data: { variants: [{ name: 'a', weight: 1000 }] } },
    ];
    const on: Line = ['feature-environment-enabled', inProduction({})];
    const withoutName: Line = [type, { featureName: null, data: '"production"' }];
    const { enabled, variants } = production(CREATED, varied, on, withoutName);
    expect([enabled, variants]).toEqual(['UNKNOWN', '?']);
    const withName: Line = [type, { featureName: null, preData: { name: 'test' } }];
    expect(production(CREATED, varied, on, withName)).toMatchObject({ enabled: 'ENABLED' });
  });

  test('becomes unknown after an environment event without a project', () => {
    const on: Line = ['feature-environment-enabled', inProduction({})];
    const withoutProject = inProduction({ featureName: null, projectId: null });
    const removed: Line = ['project-environment-removed', withoutProject];
    expect(production(CREATED, on, removed).enabled).toBe('UNKNOWN');
    expect(production(CREATED, added('a'), ['features-imported', withoutProject]).strategies).toBe(
      '?',
    );
  });

  test('is empty after its deletion, and is replayed from its next creation on', () => {
    const deleted: Line = ['feature-deleted', { preData: { ...METADATA, archived: true } }];
    const switched: Line = ['feature-environment-enabled', inProduction({})];
    const state = replayed(CREATED, switched, deleted);
    expect(state.existence).toBe('DELETED');
    expect(state.aspects.type).toBe(null);
    expect(production(CREATED, switched, added('a'), deleted, CREATED)).toEqual({
      enabled: 'DISABLED',
      strategies: '',
      variants: '?',
    });
    // Some versions recorded the event without deleting anything.
    expect(replayed(CREATED, deleted, ['feature-stale-on']).existence).toBe('EXISTED');
    expect(aspect('type', CREATED, deleted, ['feature-stale-on'])).toBe('?');
  });

  test('is mostly unknown after an import', () => {
    const imported: Line = ['feature-import', { featureName: null, data: METADATA }];
    expect(aspect('type', CREATED, imported)).toBe('release');
    expect(aspect('tags', CREATED, ['feature-import', { data: METADATA, ip: null }])).toBe('?');
    expect(production(CREATED, added('a'), imported)).toEqual({
      enabled: 'UNKNOWN',
      strategies: '?',
      variants: '?',
    });
  });
});

describe('the parent of a feature', () => {
  const parent = (feature: string, more = {}): Line => [
    'feature-dependency-added',
    { data: { feature, ...more } },
  ];

  test('is the last one that was added', () => {
    expect(aspect('dependencies', CREATED, parent('a'), parent('b', { enabled: false }))).toEqual([
      { feature: 'b', enabled: false, variants: [] },
    ]);
    expect(aspect('dependencies', parent('a', { variants: ['x'] }))).toEqual([
      { feature: 'a', enabled: true, variants: ['x'] },
    ]);
  });

  test('is empty after it was removed', () => {
    const one: Line = ['feature-dependency-removed', { data: { feature: 'a' } }];
    expect(aspect('dependencies', CREATED, parent('a'), one)).toEqual([]);
    expect(aspect('dependencies', one)).toBe('?');
    expect(aspect('dependencies', CREATED, parent('b'), one)).toBe('?');
    expect(aspect('dependencies', ['feature-dependencies-removed'])).toEqual([]);
  });

  test('becomes unknown with an invalid parent', () => {
    expect(aspect('dependencies', CREATED, parent('a', { enabled: 'yes' }))).toBe('?');
    expect(aspect('dependencies', CREATED, parent('a', { variants: {} }))).toBe('?');
    expect(aspect('dependencies', CREATED, parent('a', { variants: ['x', 7] }))).toBe('?');
  });

  test.each(DAMAGED)('becomes unknown with an event that contains %s', (_title, data) => {
    expect(aspect('dependencies', CREATED, ['feature-dependency-added', { data }])).toBe('?');
    expect(aspect('dependencies', CREATED, ['feature-dependency-removed', { data }])).toBe('?');
  });
});

describe('the tags of a feature', () => {
  const RED = { type: 'simple', value: 'red' };
  const BLUE = { type: 'simple', value: 'blue' };
  const tagged = (tag: unknown, fields = {}): Line => ['feature-tagged', { data: tag, ...fields }];

  test('are those of each event', () => {
    expect(aspect('tags', ['feature-stale-on', { tags: [RED, BLUE] }])).toEqual([BLUE, RED]);
    // Deleting a tag type untags features without an event; the next event shows it.
    expect(aspect('tags', CREATED, tagged(RED, { tags: [RED] }), ['feature-stale-on'])).toEqual([]);
  });

  test('change with a tag event, whether it records the tags before or after', () => {
    expect(aspect('tags', CREATED, tagged(RED, { tags: [] }))).toEqual([RED]);
    expect(aspect('tags', CREATED, tagged(RED, { tags: [RED] }))).toEqual([RED]);
    const untagged = (tags: unknown): Line => ['feature-untagged', { preData: RED, tags }];
    expect(aspect('tags', CREATED, untagged([RED, BLUE]))).toEqual([BLUE]);
    expect(aspect('tags', CREATED, untagged([BLUE]))).toEqual([BLUE]);
    expect(aspect('tags', CREATED, ['feature-tag-import', { data: { tag: RED } }])).toEqual([RED]);
  });

  test('are accumulated in an old log, until it contradicts itself', () => {
    const old = { ip: null };
    const created: Line = ['feature-created', { data: METADATA, ...old }];
    const two = [created, tagged(RED, old), tagged(BLUE, old)] as const;
    expect(aspect('tags', ...two)).toEqual([BLUE, RED]);
    expect(aspect('tags', ...two, ['feature-stale-on', old])).toBe('?');
    expect(aspect('tags', tagged(RED, old))).toBe('?');
    expect(aspect('tags', tagged(RED, old), ['feature-stale-on', { tags: [RED], ...old }])).toEqual(
      [RED],
    );
  });

  test('are removed with their tag type, which no event of the feature records', () => {
    const both: Line = ['feature-stale-on', { tags: [RED, BLUE, { type: 'team', value: 'red' }] }];
    const general = (type: string, preData: unknown = null): Line => [
      type,
      { featureName: null, projectId: null, preData },
    ];
    expect(aspect('tags', both, general('tag-type-deleted', { name: 'simple' }))).toEqual([
      { type: 'team', value: 'red' },
    ]);
    expect(aspect('tags', both, general('tag-deleted', RED))).toEqual([
      BLUE,
      { type: 'team', value: 'red' },
    ]);
    expect(aspect('tags', both, general('drop-feature-tags'))).toEqual([]);
    expect(aspect('tags', both, general('tag-deleted', 'red'))).toBe('?');
  });

  test.each(DAMAGED)('become unknown when a tag event contains %s', (_title, data) => {
    expect(aspect('tags', CREATED, tagged(data))).toBe('?');
  });

  test.each<[string, unknown]>([
    ['a text', 'red'],
    ['an object', RED],
    ['a number', 7],
    ['a list with another value', [RED, 7]],
    ['a list with a tag without a value', [RED, { type: 'simple' }]],
    ['a list with null', [RED, null]],
  ])('become unknown when an event records %s', (_title, tags) => {
    expect(aspect('tags', CREATED, ['feature-stale-on', { tags }])).toBe('?');
    expect(aspect('tags', ['feature-created', { data: METADATA, tags }])).toBe('?');
    expect(aspect('tags', CREATED, tagged(BLUE, { tags }))).toBe('?');
    expect(aspect('tags', CREATED, ['feature-stale-on', { tags }], ['feature-stale-off'])).toEqual(
      [],
    );
  });

  test('are accumulated when an event records no tags', () => {
    const nothing = { tags: null };
    expect(aspect('tags', CREATED, tagged(RED, nothing), tagged(BLUE, nothing))).toEqual([
      BLUE,
      RED,
    ]);
    expect(aspect('tags', CREATED, tagged(RED), ['feature-stale-on', nothing])).toBe('?');
    expect(aspect('tags', ['feature-created', { data: METADATA, ...nothing }])).toBe('?');
  });

  test('become unknown when a deleted tag is not named', () => {
    const red: Line = ['feature-stale-on', { tags: [RED] }];
    const lineOf = (type: string, preData: unknown, data: unknown = null): Line => [
      type,
      { featureName: null, projectId: null, preData, data },
    ];
    expect(aspect('tags', red, lineOf('tag-deleted', { type: 'simple', value: 7 }))).toBe('?');
    expect(aspect('tags', red, lineOf('tag-deleted', 'red', RED))).toBe('?');
    expect(aspect('tags', red, lineOf('tag-type-deleted', { name: 7 }))).toBe('?');
    expect(aspect('tags', red, ['feature-untagged', { data: 'red', preData: RED }])).toBe('?');
  });
});

describe('the strategies of a feature', () => {
  test('are those that were added and not removed, by sort order', () => {
    expect(production(CREATED, added('b', 1), added('a', 0)).strategies).toBe('a,b');
    expect(production(CREATED, added('a'), added('b')).strategies).toBe('a,b');
    expect(production(CREATED, added('a'), added('b'), removed('a')).strategies).toBe('b');
    expect(production(added('a')).strategies).toBe('?');
  });

  test('are those of the last update', () => {
    const data = { ...STRATEGY, name: 'flexibleRollout', parameters: { rollout: '50' } };
    const update: Line = ['feature-strategy-update', inProduction({ data })];
    const { environments } = replayed(CREATED, added('a'), update);
    expect(environments.get('production')?.strategies).toEqual({ value: [data] });
  });

  test('follow a new order without known sort numbers', () => {
    const order = (strategyIds: unknown): Line => [
      'strategy-order-changed',
      inProduction({ data: { strategyIds } }),
    ];
    const two = [CREATED, added('a', 0), added('b', 1)] as const;
    expect(production(...two, order(['b', 'a'])).strategies).toBe('b,a');
    expect(production(...two, order(['b', 'a']), added('c', 0)).strategies).toBe('b,a,c');
    expect(production(...two, order(['b'])).strategies).toBe('b');
    expect(production(...two, order(['b', 'b', 'a'])).strategies).toBe('b,a');
    expect(production(...two, order(['a', 'never added'])).strategies).toBe('?');
    expect(production(...two, order('b,a')).strategies).toBe('?');
  });

  test('become unknown with an event about a strategy that was never added', () => {
    const update: Line = [
      'feature-strategy-update',
      inProduction({ data: { ...STRATEGY, id: 'x' } }),
    ];
    expect(production(CREATED, added('a'), update).strategies).toBe('?');
    expect(production(CREATED, added('a'), removed('x')).strategies).toBe('?');
  });

  test.each(DAMAGED)('become unknown with an event that contains %s', (_title, data) => {
    for (const type of [
      'feature-strategy-add',
      'feature-strategy-update',
      'feature-strategy-remove',
    ]) {
      const damaged: Line = [type, inProduction({ data, preData: data })];
      expect(production(CREATED, added('a'), damaged).strategies, type).toBe('?');
    }
  });

  test('are limited to five hundred per environment', () => {
    const many = Array.from({ length: 501 }, (_, index) => added(String(index)));
    expect(production(CREATED, ...many.slice(1)).strategies.split(',')).toHaveLength(500);
    expect(production(CREATED, ...many).strategies).toBe('?');
  });

  test('become unknown in all environments with a change that names none', () => {
    const withoutEnvironment: Line = ['feature-strategy-add', { data: { ...STRATEGY, id: 'b' } }];
    expect(production(CREATED, added('a'), withoutEnvironment).strategies).toBe('?');
  });

  test('become unknown after an import into their project and environment', () => {
    const imported = (fields: Partial<TaggedEvent>): Line => [
      'features-imported',
      inProduction({ featureName: null, ...fields }),
    ];
    expect(production(CREATED, added('a'), imported({})).strategies).toBe('?');
    expect(production(CREATED, added('a'), imported({ projectId: 'mobile' })).strategies).toBe('a');
    expect(production(CREATED, added('a'), imported({ environment: 'test' })).strategies).toBe('a');
    expect(production(CREATED, imported({})).enabled).toBe('DISABLED');
  });

  test('are unknown in features that were created with strategies', () => {
    const created: Line = [
      'feature-created',
      { data: { ...METADATA, strategies: [{ name: 'x' }] } },
    ];
    expect(production(created).strategies).toBe('?');
  });

  test.each<[string, unknown]>([
    ['an object', {}],
    ['a text', ''],
    ['nothing', null],
  ])('are unknown when the list of a creation is %s', (_title, strategies) => {
    const created: Line = ['feature-created', { data: { ...METADATA, strategies } }];
    expect(production(created).strategies).toBe('?');
  });

  test.each<[string, object]>([
    ['constraints that are a text', { constraints: 'oops' }],
    ['constraints that are left out', { constraints: undefined }],
    ['an invalid constraint', { constraints: [7] }],
    ['a constraint without a context field', { constraints: [{ operator: 'IN', values: [] }] }],
    ['a constraint without operator', { constraints: [{ contextName: 'userId', values: [] }] }],
    ['a value that is not text', { constraints: [{ ...CONSTRAINT, values: ['1', 2] }] }],
    ['a single value that is not text', { constraints: [{ ...CONSTRAINT, value: 2 }] }],
    ['an invalid inversion', { constraints: [{ ...CONSTRAINT, inverted: 'yes' }] }],
    ['an invalid disabled flag', { disabled: 'yes' }],
    ['parameters that are a list', { parameters: [] }],
    ['a name that is not text', { name: 7 }],
    ['a title that is not text', { title: {} }],
    ['a sort order that is not a number', { sortOrder: 'first' }],
    ['segments that are a number', { segments: 3 }],
    ['segment IDs out of range', { segments: [3, 2 ** 40] }],
    ['segments that are texts', { segments: ['3'] }],
    ['variants that are an object', { variants: {} }],
    ['a variant without name', { variants: [{ weight: 500 }] }],
  ])('become unknown with %s', (_title, damage) => {
    const data = { ...STRATEGY, ...damage };
    const damaged: Line = ['feature-strategy-add', inProduction({ data })];
    expect(production(CREATED, damaged).strategies).toBe('?');
    const update: Line = ['feature-strategy-update', inProduction({ data })];
    expect(production(CREATED, added('a'), update).strategies).toBe('?');
  });

  test('accept optional and later fields', () => {
    const data = {
      ...STRATEGY,
      title: null,
      disabled: null,
      parameters: {},
      constraints: [{ ...CONSTRAINT, values: ['1'], inverted: 'true', caseInsensitive: false }],
      segments: [3],
      variants: [VARIANT],
    };
    const whole: Line = ['feature-strategy-add', inProduction({ data })];
    expect(production(CREATED, whole).strategies).toBe('a');
    const bare: Line = [
      'feature-strategy-add',
      inProduction({ data: { id: 'a', constraints: [] } }),
    ];
    expect(production(CREATED, bare).strategies).toBe('a');
  });
});

describe('the variants of a feature', () => {
  const varied = (variants: unknown): Line => [
    'feature-environment-variants-updated',
    inProduction({ data: { variants } }),
  ];

  test('are those of the last update, in one environment or in all', () => {
    expect(production(CREATED, varied([VARIANT, { ...VARIANT, name: 'b' }])).variants).toBe('a,b');
    expect(production(CREATED, varied([])).variants).toBe('');
    const everywhere: Line = [
      'feature-variants-updated',
      { data: { variants: [{ ...VARIANT, name: 'c' }] } },
    ];
    expect(production(CREATED, varied([]), everywhere).variants).toBe('c');
    expect(production(CREATED, everywhere).variants).toBe('c');
  });

  test('are removed with the environment', () => {
    const environmentRemoved: Line = [
      'project-environment-removed',
      inProduction({ featureName: null }),
    ];
    expect(production(CREATED, varied([VARIANT]), environmentRemoved).variants).toBe('');
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'a'],
    ['an object', { name: 'a' }],
    ['a list of texts', ['a']],
    ['a name that is not text', [VARIANT, { ...VARIANT, name: 7 }]],
    ['no name', [{ weight: 500 }]],
    ['no weight', [{ name: 'a' }]],
    ['an invalid weight', [{ ...VARIANT, weight: 'half' }]],
    ['a payload that is a text', [{ ...VARIANT, payload: 'x' }]],
    ['a payload without value', [{ ...VARIANT, payload: { type: 'string' } }]],
    ['overrides that are an object', [{ ...VARIANT, overrides: {} }]],
    ['an override without a context field', [{ ...VARIANT, overrides: [{ values: ['1'] }] }]],
  ])('become unknown with an update that contains %s', (_title, variants) => {
    expect(production(CREATED, varied([]), varied(variants)).variants).toBe('?');
  });
});

test('replays thousands of events in as many environments quickly', async () => {
  const many = Array.from(
    { length: 5_000 },
    (_, index): Line => [
      'feature-strategy-add',
      { environment: `place-${index}`, data: { ...STRATEGY, id: String(index) } },
    ],
  );
  const replay = () => expect(replayed(CREATED, ...many).environments.size).toBe(5_000);
  expect(await cpuMsOf(replay)).toBeLessThan(2_000);
});
