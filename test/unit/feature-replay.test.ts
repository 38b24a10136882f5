import { describe, expect, test } from 'vitest';
import type { Aspects, FeatureState } from '../../src/domain/features/history/feature-state.js';
import { replay } from '../../src/domain/features/history/replay.js';
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
const inProduction = (facts: Partial<TaggedEvent>) => ({ environment: 'production', ...facts });

const replayed = (...lines: readonly Line[]): FeatureState =>
  replay(
    lines.map(([type, facts = {}], index) => ({
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
      ...facts,
    })),
  );

/** What is told, and `?` for what is not. */
const aspect = (name: keyof Aspects, ...lines: readonly Line[]): unknown => {
  const told = replayed(...lines).aspects[name];
  return told ? told.value : '?';
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

/** Payloads that say nothing about a feature, whatever was meant. */
const DAMAGED: readonly [string, unknown][] = [
  ['nothing', null],
  ['a text', 'checkout'],
  ['a number', 42],
  ['a list', [METADATA]],
  ['an empty object', {}],
];

describe('what is told of a feature', () => {
  test('is nothing without events', () => {
    const { existence, aspects, elsewhere } = replayed();
    expect(existence).toBe('UNKNOWN');
    expect(Object.values(aspects).every((told) => told === null)).toBe(true);
    expect(elsewhere).toEqual({ enabled: 'UNKNOWN', strategies: null, variants: null });
  });

  test('is all of it from its creation on, except the variants a clone brings silently', () => {
    const { existence, aspects } = replayed(CREATED);
    expect(existence).toBe('EXISTED');
    expect(
      Object.fromEntries(Object.entries(aspects).map(([key, told]) => [key, told?.value])),
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

  test('follows it from project to project', () => {
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

  test.each(DAMAGED)('is lost with an update that holds %s', (_what, data) => {
    const update: Line = ['feature-metadata-updated', { data }];
    expect(aspect('description', CREATED, update)).toBe('?');
    expect(aspect('stale', CREATED, update)).toBe('?');
    expect(aspect('project', CREATED, update)).toBe('web');
    expect(aspect('dependencies', CREATED, update)).toEqual([]);
    expect(
      aspect('description', CREATED, update, ['feature-metadata-updated', { data: METADATA }]),
    ).toBe('Pay here');
  });

  test.each(DAMAGED)('is not guessed from a creation that holds %s', (_what, data) => {
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
  ])('lacks the %s when a creation says %j', (name, value) => {
    expect(aspect(name, ['feature-created', { data: { ...METADATA, [name]: value } }])).toBe('?');
  });

  test.each([
    'environment-deleted',
    'environment-created',
    'environment-import',
    'project-environment-removed',
  ])('is lost in all environments with an event %s that does not say which', (type) => {
    const varied: Line = [
      'feature-variants-updated',
      { data: { variants: [{ name: 'a', weight: 1000 }] } },
    ];
    const on: Line = ['feature-environment-enabled', inProduction({})];
    const lost: Line = [type, { featureName: null, data: '"production"' }];
    const { enabled, variants } = production(CREATED, varied, on, lost);
    expect([enabled, variants]).toEqual(['UNKNOWN', '?']);
    const told: Line = [type, { featureName: null, preData: { name: 'test' } }];
    expect(production(CREATED, varied, on, told)).toMatchObject({ enabled: 'ENABLED' });
  });

  test('is lost when an event about an environment does not say in which project', () => {
    const on: Line = ['feature-environment-enabled', inProduction({})];
    const nowhere = inProduction({ featureName: null, projectId: null });
    const removed: Line = ['project-environment-removed', nowhere];
    expect(production(CREATED, on, removed).enabled).toBe('UNKNOWN');
    expect(production(CREATED, added('a'), ['features-imported', nowhere]).strategies).toBe('?');
  });

  test('is nothing after its deletion, and begins anew when it is created again', () => {
    const deleted: Line = ['feature-deleted', { preData: METADATA }];
    const switched: Line = ['feature-environment-enabled', inProduction({})];
    const gone = replayed(CREATED, switched, deleted);
    expect(gone.existence).toBe('DELETED');
    expect(gone.aspects.type).toBe(null);
    expect(production(CREATED, switched, added('a'), deleted, CREATED)).toEqual({
      enabled: 'DISABLED',
      strategies: '',
      variants: '?',
    });
    // Some versions wrote the event although they deleted nothing.
    expect(replayed(CREATED, deleted, ['feature-stale-on']).existence).toBe('EXISTED');
    expect(aspect('type', CREATED, deleted, ['feature-stale-on'])).toBe('?');
  });

  test('is little after an import', () => {
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

  test('is gone when it was removed', () => {
    const one: Line = ['feature-dependency-removed', { data: { feature: 'a' } }];
    expect(aspect('dependencies', CREATED, parent('a'), one)).toEqual([]);
    expect(aspect('dependencies', one)).toBe('?');
    expect(aspect('dependencies', CREATED, parent('b'), one)).toBe('?');
    expect(aspect('dependencies', ['feature-dependencies-removed'])).toEqual([]);
  });

  test('is lost with what is not a parent', () => {
    expect(aspect('dependencies', CREATED, parent('a', { enabled: 'yes' }))).toBe('?');
    expect(aspect('dependencies', CREATED, parent('a', { variants: {} }))).toBe('?');
    expect(aspect('dependencies', CREATED, parent('a', { variants: ['x', 7] }))).toBe('?');
  });

  test.each(DAMAGED)('is lost with an event that holds %s', (_what, data) => {
    expect(aspect('dependencies', CREATED, ['feature-dependency-added', { data }])).toBe('?');
    expect(aspect('dependencies', CREATED, ['feature-dependency-removed', { data }])).toBe('?');
  });
});

describe('the tags of a feature', () => {
  const RED = { type: 'simple', value: 'red' };
  const BLUE = { type: 'simple', value: 'blue' };
  const tagged = (tag: unknown, facts = {}): Line => ['feature-tagged', { data: tag, ...facts }];

  test('are those that every event carries', () => {
    expect(aspect('tags', ['feature-stale-on', { tags: [RED, BLUE] }])).toEqual([BLUE, RED]);
    // Deleting a kind of tag takes it off features without a word; the next event shows it.
    expect(aspect('tags', CREATED, tagged(RED, { tags: [RED] }), ['feature-stale-on'])).toEqual([]);
  });

  test('change with the event that tags, whether it carries them before or after', () => {
    expect(aspect('tags', CREATED, tagged(RED, { tags: [] }))).toEqual([RED]);
    expect(aspect('tags', CREATED, tagged(RED, { tags: [RED] }))).toEqual([RED]);
    const untagged = (tags: unknown): Line => ['feature-untagged', { preData: RED, tags }];
    expect(aspect('tags', CREATED, untagged([RED, BLUE]))).toEqual([BLUE]);
    expect(aspect('tags', CREATED, untagged([BLUE]))).toEqual([BLUE]);
    expect(aspect('tags', CREATED, ['feature-tag-import', { data: { tag: RED } }])).toEqual([RED]);
  });

  test('are counted up in an old log, until it contradicts itself', () => {
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

  test('leave with their kind, which no event of the feature tells', () => {
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

  test.each(DAMAGED)('are lost when the event that tags holds %s', (_what, data) => {
    expect(aspect('tags', CREATED, tagged(data))).toBe('?');
  });

  test.each<[string, unknown]>([
    ['a text', 'red'],
    ['an object', RED],
    ['a number', 7],
    ['a list with something else among them', [RED, 7]],
    ['a list with a tag that has no value', [RED, { type: 'simple' }]],
    ['a list with nothing among them', [RED, null]],
  ])('are lost when an event carries %s', (_what, tags) => {
    expect(aspect('tags', CREATED, ['feature-stale-on', { tags }])).toBe('?');
    expect(aspect('tags', ['feature-created', { data: METADATA, tags }])).toBe('?');
    expect(aspect('tags', CREATED, tagged(BLUE, { tags }))).toBe('?');
    expect(aspect('tags', CREATED, ['feature-stale-on', { tags }], ['feature-stale-off'])).toEqual(
      [],
    );
  });

  test('are counted up where an event carries nothing at all', () => {
    const nothing = { tags: null };
    expect(aspect('tags', CREATED, tagged(RED, nothing), tagged(BLUE, nothing))).toEqual([
      BLUE,
      RED,
    ]);
    expect(aspect('tags', CREATED, tagged(RED), ['feature-stale-on', nothing])).toBe('?');
    expect(aspect('tags', ['feature-created', { data: METADATA, ...nothing }])).toBe('?');
  });

  test('are lost with the end of a tag that does not say which', () => {
    const red: Line = ['feature-stale-on', { tags: [RED] }];
    const gone = (type: string, preData: unknown, data: unknown = null): Line => [
      type,
      { featureName: null, projectId: null, preData, data },
    ];
    expect(aspect('tags', red, gone('tag-deleted', { type: 'simple', value: 7 }))).toBe('?');
    expect(aspect('tags', red, gone('tag-deleted', 'red', RED))).toBe('?');
    expect(aspect('tags', red, gone('tag-type-deleted', { name: 7 }))).toBe('?');
    expect(aspect('tags', red, ['feature-untagged', { data: 'red', preData: RED }])).toBe('?');
  });
});

describe('the strategies of a feature', () => {
  test('are those that were added and not removed, by their sort order', () => {
    expect(production(CREATED, added('b', 1), added('a', 0)).strategies).toBe('a,b');
    expect(production(CREATED, added('a'), added('b')).strategies).toBe('a,b');
    expect(production(CREATED, added('a'), added('b'), removed('a')).strategies).toBe('b');
    expect(production(added('a')).strategies).toBe('?');
  });

  test('are what the last update said', () => {
    const data = { ...STRATEGY, name: 'flexibleRollout', parameters: { rollout: '50' } };
    const update: Line = ['feature-strategy-update', inProduction({ data })];
    const { environments } = replayed(CREATED, added('a'), update);
    expect(environments.get('production')?.strategies).toEqual({ value: [data] });
  });

  test('follow a new order, whose numbers nobody knows', () => {
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

  test('are unknown once an event tells of one that nobody added', () => {
    const update: Line = [
      'feature-strategy-update',
      inProduction({ data: { ...STRATEGY, id: 'x' } }),
    ];
    expect(production(CREATED, added('a'), update).strategies).toBe('?');
    expect(production(CREATED, added('a'), removed('x')).strategies).toBe('?');
  });

  test.each(DAMAGED)('are lost with an event that holds %s', (_what, data) => {
    for (const type of [
      'feature-strategy-add',
      'feature-strategy-update',
      'feature-strategy-remove',
    ]) {
      const damaged: Line = [type, inProduction({ data, preData: data })];
      expect(production(CREATED, added('a'), damaged).strategies, type).toBe('?');
    }
  });

  test('are followed up to five hundred in an environment', () => {
    const many = Array.from({ length: 501 }, (_, index) => added(String(index)));
    expect(production(CREATED, ...many.slice(1)).strategies.split(',')).toHaveLength(500);
    expect(production(CREATED, ...many).strategies).toBe('?');
  });

  test('are lost everywhere with a change that does not say where', () => {
    const nowhere: Line = ['feature-strategy-add', { data: { ...STRATEGY, id: 'b' } }];
    expect(production(CREATED, added('a'), nowhere).strategies).toBe('?');
  });

  test('may be others after an import into their project and environment', () => {
    const imported = (facts: Partial<TaggedEvent>): Line => [
      'features-imported',
      inProduction({ featureName: null, ...facts }),
    ];
    expect(production(CREATED, added('a'), imported({})).strategies).toBe('?');
    expect(production(CREATED, added('a'), imported({ projectId: 'mobile' })).strategies).toBe('a');
    expect(production(CREATED, added('a'), imported({ environment: 'test' })).strategies).toBe('a');
    expect(production(CREATED, imported({})).enabled).toBe('DISABLED');
  });

  test('are unknown in features that were created together with some', () => {
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
  ])('are unknown when the list of a creation is %s', (_what, strategies) => {
    const created: Line = ['feature-created', { data: { ...METADATA, strategies } }];
    expect(production(created).strategies).toBe('?');
  });

  test.each<[string, object]>([
    ['constraints that are a text', { constraints: 'oops' }],
    ['constraints that are left out', { constraints: undefined }],
    ['a constraint that is none', { constraints: [7] }],
    ['a constraint of nothing', { constraints: [{ operator: 'IN', values: [] }] }],
    ['a constraint without operator', { constraints: [{ contextName: 'userId', values: [] }] }],
    ['a value that is no text', { constraints: [{ ...CONSTRAINT, values: ['1', 2] }] }],
    ['a single value that is no text', { constraints: [{ ...CONSTRAINT, value: 2 }] }],
    ['a turn that is none', { constraints: [{ ...CONSTRAINT, inverted: 'yes' }] }],
    ['a switch that is none', { disabled: 'yes' }],
    ['parameters that are a list', { parameters: [] }],
    ['a name that is no text', { name: 7 }],
    ['a title that is no text', { title: {} }],
    ['a place that is no number', { sortOrder: 'first' }],
    ['segments that are a number', { segments: 3 }],
    ['segments that cannot be', { segments: [3, 2 ** 40] }],
    ['segments that are texts', { segments: ['3'] }],
    ['variants that are an object', { variants: {} }],
    ['a variant without name', { variants: [{ weight: 500 }] }],
  ])('are lost with one of %s', (_what, damage) => {
    const data = { ...STRATEGY, ...damage };
    const lost: Line = ['feature-strategy-add', inProduction({ data })];
    expect(production(CREATED, lost).strategies).toBe('?');
    const update: Line = ['feature-strategy-update', inProduction({ data })];
    expect(production(CREATED, added('a'), update).strategies).toBe('?');
  });

  test('are told with everything that may be left out, or came later', () => {
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

  test('leave with the environment', () => {
    const left: Line = ['project-environment-removed', inProduction({ featureName: null })];
    expect(production(CREATED, varied([VARIANT]), left).variants).toBe('');
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'a'],
    ['an object', { name: 'a' }],
    ['a list of texts', ['a']],
    ['a name that is no text', [VARIANT, { ...VARIANT, name: 7 }]],
    ['no name', [{ weight: 500 }]],
    ['no weight', [{ name: 'a' }]],
    ['a weight that is none', [{ ...VARIANT, weight: 'half' }]],
    ['a payload that is a text', [{ ...VARIANT, payload: 'x' }]],
    ['a payload without value', [{ ...VARIANT, payload: { type: 'string' } }]],
    ['overrides that are an object', [{ ...VARIANT, overrides: {} }]],
    ['an override of nothing', [{ ...VARIANT, overrides: [{ values: ['1'] }] }]],
  ])('are lost with an update that holds %s', (_what, variants) => {
    expect(production(CREATED, varied([]), varied(variants)).variants).toBe('?');
  });
});

test('thousands of events in as many environments are replayed at once', async () => {
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
