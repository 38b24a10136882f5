import { isAtLeast } from '../version.js';
import type { Segments } from './building-blocks.js';
import { type FeatureByHand, insertFeature } from './features.js';
import type { Row, Sql } from './sql.js';

const flexible = (parameters: Row, more: Row = {}): Row => ({
  strategy_name: 'flexibleRollout',
  parameters,
  ...more,
});

const constrained = (...constraints: unknown[]): readonly Row[] => [
  { strategy_name: 'default', constraints },
];

const varied = (...variants: unknown[]): readonly Row[] => [
  flexible({ rollout: '50', stickiness: 'default', groupId: 'g' }, { variants }),
];

const variant = (
  name: unknown,
  weight: unknown,
  weightType: unknown = 'variable',
  more: Row = {},
) => ({
  name,
  weight,
  weightType,
  stickiness: 'default',
  ...more,
});

const on = (contextName: string, operator: string, more: Row = {}) => ({
  contextName,
  operator,
  ...more,
});

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Stored in ways that no current route writes, but valid sources. */
const sound = (segments: Segments): FeatureByHand[] => [
  { name: 'sticky-empty', strategies: [flexible({ rollout: '10', groupId: '', stickiness: '' })] },
  { name: 'flexible-bare', strategies: [flexible({})] },
  { name: 'flexible-null-group', strategies: [flexible({ groupId: null, rollout: null })] },
  {
    name: 'flexible-some',
    strategies: [flexible({ rollout: '33' }), flexible({ stickiness: 'random' })],
  },
  {
    name: 'raw-parameters',
    strategies: [
      {
        parameters: { n: 5, b: true, o: { k: [1, 2] }, z: null, groupId: 7, 10: 'ten', 9: 'nine' },
        title: null,
        disabled: null,
      },
    ],
  },
  {
    name: 'titles',
    strategies: [
      { title: null },
      { title: '' },
      { title: 'Third "title" ✓' },
      { disabled: true },
      { disabled: null },
    ],
  },
  {
    name: 'unordered',
    strategies: [
      { sort_order: 5, title: 'five' },
      { sort_order: 1, title: 'one' },
      { sort_order: 9999, title: 'last' },
      { sort_order: 1, title: 'one too' },
    ],
  },
  {
    name: 'text-switches',
    strategies: constrained(
      on('userId', 'IN', { values: ['1'], inverted: 'true', caseInsensitive: 'FALSE' }),
      on('appName', 'NUM_GT', { value: '5' }),
      on('appName', 'NUM_EQ', { value: 7, values: [] }),
      on('empty-list', 'IN', { values: ['anything'] }),
    ),
  },
  {
    name: 'numbers-without-value',
    strategies: constrained(
      on('userId', 'NUM_EQ', { values: [] }),
      on('userId', 'DATE_AFTER', { values: [] }),
    ),
  },
  {
    name: 'thirty-one',
    strategies: [
      { constraints: many(30, (index) => on('userId', 'IN', { values: [`v${index}`] })) },
    ],
  },
  {
    name: 'many-values',
    strategies: constrained(on('userId', 'IN', { values: many(250, (index) => `v${index}`) })),
  },
  { name: 'many-strategies', strategies: many(30, (index) => ({ title: `strategy ${index}` })) },
  {
    name: 'five-segments',
    strategies: [
      {
        segments: ['everywhere', 'second', 'number 3', 'number 4', 'number 5'].map(
          (name) => segments[name],
        ),
      },
    ],
  },
  {
    name: 'same-segment-twice',
    strategies: [{ segments: [segments['everywhere']] }, { segments: [segments['everywhere']] }],
  },
  { name: 'own-segment', strategies: [{ segments: [segments['default only']] }] },
  {
    name: 'weights',
    strategies: varied(
      variant('c', 1),
      variant('b', 333, 'fix'),
      variant('a', 2),
      variant('D', 3),
      variant('e', 100, 'fix', { payload: { type: 'number', value: '5' } }),
    ),
  },
  { name: 'weights-full', strategies: varied(variant('all', 1000, 'fix'), variant('none', 0)) },
  { name: 'weights-as-text', strategies: varied(variant('t', '100', 'fix'), variant('u', '900')) },
  {
    name: 'variant-payloads',
    strategies: varied(
      variant('j', 1, 'variable', { payload: { type: 'json', value: '[1]' } }),
      variant('s', 1, 'variable', { payload: { type: 'string', value: 'x' } }),
      variant('o', 1, 'variable', { overrides: [{ contextName: 'userId', values: ['1'] }] }),
    ),
  },
  {
    name: 'environment-variants',
    environments: [
      {
        environment: 'development',
        variants: [variant('zz', 1), variant('aa', 2), variant('Bb', 3), variant('éé', 4)],
      },
      { environment: 'production', enabled: true, variants: [variant('only', 1000)] },
      'live-eu',
    ],
  },
  {
    name: 'strategy-without-environment',
    environments: ['production'],
    strategies: [
      { environment: 'staging', title: 'lost' },
      { environment: 'production', title: 'found' },
    ],
  },
  {
    name: 'deprecated-type',
    strategies: [{ strategy_name: 'grouped', parameters: { groupId: 'x' } }],
  },
  {
    name: 'turned-on',
    environments: [
      { environment: 'development', enabled: true },
      { environment: 'production', enabled: true },
    ],
    strategies: [{}],
  },
];

/** An operator that versions before 7 don't support. */
const PATTERN: FeatureByHand = {
  name: 'pattern',
  strategies: constrained(on('userId', 'REGEX', { value: '^a+$', values: [] })),
};

/** Sources that a clone rejects, one for each check. */
const broken = (segments: Segments): FeatureByHand[] => [
  { name: 'bad-type', strategies: [{ strategy_name: 'doomed' }] },
  { name: 'bad-segment', strategies: [{ segments: [segments['alpha only']] }] },
  {
    name: 'bad-six-segments',
    strategies: [
      {
        segments: ['everywhere', 'second', 'number 3', 'number 4', 'number 5', 'number 6'].map(
          (name) => segments[name],
        ),
      },
    ],
  },
  { name: 'bad-field', strategies: constrained(on('fading', 'IN', { values: ['x'] })) },
  {
    name: 'bad-legal-list',
    strategies: constrained(on('tier', 'IN', { values: ['gold', 'tin'] })),
  },
  {
    name: 'bad-legal-single',
    strategies: constrained(on('level', 'NUM_EQ', { value: '43', values: [] })),
  },
  {
    name: 'bad-many-constraints',
    strategies: constrained(...many(31, (index) => on('userId', 'IN', { values: [`v${index}`] }))),
  },
  {
    name: 'bad-many-values',
    strategies: constrained(on('userId', 'IN', { values: many(251, (index) => `v${index}`) })),
  },
  {
    name: 'bad-many-strategies',
    strategies: many(31, (index) => ({ title: `strategy ${index}` })),
  },
  ...['IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH'].map((operator) => ({
    name: `bad-empty-${operator}`,
    strategies: constrained(on('userId', operator, { values: [] })),
  })),
  { name: 'bad-missing-values', strategies: constrained(on('userId', 'IN')) },
  {
    name: 'bad-long-value',
    strategies: constrained(on('userId', 'IN', { values: ['x'.repeat(101)] })),
  },
  { name: 'bad-blank-value', strategies: constrained(on('userId', 'IN', { values: [''] })) },
  { name: 'bad-number-value', strategies: constrained(on('userId', 'IN', { values: [5] })) },
  { name: 'bad-null-value', strategies: constrained(on('userId', 'IN', { values: [null] })) },
  {
    name: 'bad-number',
    strategies: constrained(on('userId', 'NUM_LT', { value: 'five', values: [] })),
  },
  {
    name: 'bad-number-blank',
    strategies: constrained(on('userId', 'NUM_LTE', { value: '', values: [] })),
  },
  {
    name: 'bad-number-null',
    strategies: constrained(on('userId', 'NUM_GT', { value: null, values: [] })),
  },
  {
    name: 'bad-date',
    strategies: constrained(on('currentTime', 'DATE_AFTER', { value: 'tomorrow', values: [] })),
  },
  {
    name: 'bad-date-blank',
    strategies: constrained(on('currentTime', 'DATE_BEFORE', { value: '', values: [] })),
  },
  {
    name: 'bad-version',
    strategies: constrained(on('userId', 'SEMVER_EQ', { value: '1.2', values: [] })),
  },
  {
    name: 'bad-version-v',
    strategies: constrained(on('userId', 'SEMVER_GT', { value: 'v1.2.3', values: [] })),
  },
  {
    name: 'bad-version-build',
    strategies: constrained(on('userId', 'SEMVER_GT', { value: '1.2.3+build', values: [] })),
  },
  {
    name: 'bad-version-number',
    strategies: constrained(on('userId', 'SEMVER_LT', { value: 12, values: [] })),
  },
  { name: 'bad-version-missing', strategies: constrained(on('userId', 'SEMVER_LT')) },
  { name: 'bad-regex-missing', strategies: constrained(on('userId', 'REGEX', { values: [] })) },
  {
    name: 'bad-regex-inverted',
    strategies: constrained(on('userId', 'REGEX', { value: 'a', values: [], inverted: true })),
  },
  { name: 'bad-operator', strategies: constrained(on('userId', 'LOOKS_LIKE', { values: ['x'] })) },
  {
    name: 'bad-operator-missing',
    strategies: constrained({ contextName: 'userId', values: ['x'] }),
  },
  { name: 'bad-context-missing', strategies: constrained({ operator: 'IN', values: ['x'] }) },
  {
    name: 'bad-key',
    strategies: constrained(on('userId', 'IN', { values: ['x'], comment: 'hello' })),
  },
  {
    name: 'bad-switch',
    strategies: constrained(on('userId', 'IN', { values: ['x'], inverted: 'maybe' })),
  },
  { name: 'bad-all-fixed', strategies: varied(variant('only', 1000, 'fix')) },
  {
    name: 'bad-too-heavy',
    strategies: varied(variant('a', 600, 'fix'), variant('b', 600, 'fix'), variant('c', 0)),
  },
  {
    name: 'bad-weight-type',
    strategies: varied({ name: 'a', weight: 1000, stickiness: 'default' }),
  },
  { name: 'bad-weight-type-word', strategies: varied(variant('a', 1000, 'sometimes')) },
  { name: 'bad-weight', strategies: varied(variant('a', 1001)) },
  { name: 'bad-weight-fraction', strategies: varied(variant('a', 0.5)) },
  { name: 'bad-weight-word', strategies: varied(variant('a', 'much')) },
  { name: 'bad-same-name', strategies: varied(variant('a', 500), variant('a', 500)) },
  { name: 'bad-variant-name', strategies: varied(variant('not friendly', 1000)) },
  { name: 'bad-variant-name-blank', strategies: varied(variant('', 1000)) },
  {
    name: 'bad-variant-nameless',
    strategies: varied({ weight: 1000, weightType: 'variable', stickiness: 'default' }),
  },
  {
    name: 'bad-payload',
    strategies: varied(variant('a', 1000, 'variable', { payload: { type: 'json', value: '{' } })),
  },
  {
    name: 'bad-payload-blank',
    strategies: varied(variant('a', 1000, 'variable', { payload: { type: 'string', value: '' } })),
  },
  {
    name: 'bad-payload-type',
    strategies: varied(variant('a', 1000, 'variable', { payload: { type: '', value: 'x' } })),
  },
  {
    name: 'bad-variant-key',
    strategies: varied(variant('a', 1000, 'variable', { comment: 'hello' })),
  },
  {
    name: 'bad-second-strategy',
    strategies: [
      { title: 'fine' },
      { strategy_name: 'doomed' },
      { title: 'fine too', environment: 'development' },
    ],
  },
];

/** Several faults; upstream reports whichever check fails first. */
const SEVERAL_FAULTS: FeatureByHand = {
  name: 'bad-in-two-ways',
  strategies: [
    { strategy_name: 'doomed' },
    { constraints: [on('fading', 'IN', { values: ['x'] })] },
  ],
};

const RELEASE_PLAN = 'parity-plan';

/** A source with strategies of a release plan, which clones don't copy. */
const addReleasePlan = async (sql: Sql): Promise<void> => {
  await insertFeature(sql, { name: 'planned', environments: ['development', 'production'] });
  await sql.insert('release_plan_definitions', [
    {
      id: RELEASE_PLAN,
      discriminator: 'plan',
      name: 'Plan',
      feature_name: 'planned',
      environment: 'development',
      created_by_user_id: 1,
      created_at: '2025-01-01T00:00:00Z',
    },
  ]);
  await sql.insert('milestones', [
    {
      id: 'parity-milestone',
      name: 'First',
      sort_order: 0,
      release_plan_definition_id: RELEASE_PLAN,
    },
  ]);
  await sql.insert(
    'feature_strategies',
    [
      ['planned#own', 'production', null],
      ['planned#plan', 'development', 'parity-milestone'],
    ].map(([id, environment, milestone_id]) => ({
      id,
      feature_name: 'planned',
      project_name: 'default',
      environment,
      strategy_name: 'default',
      parameters: {},
      constraints: [],
      sort_order: 0,
      variants: [],
      milestone_id,
    })),
  );
};

export type SourceNames = {
  /** Can be cloned into project default. */
  sound: readonly string[];
  /** Cannot be cloned at all. */
  broken: readonly string[];
  severalFaults: string;
};

/** Inserts sources that only SQL can create. */
export const fillSources = async (
  sql: Sql,
  version: string,
  segments: Segments,
): Promise<SourceNames> => {
  const fine = [...sound(segments), ...(isAtLeast(version, '7.0.0') ? [PATTERN] : [])];
  const faulty = broken(segments);
  for (const feature of [...fine, ...faulty, SEVERAL_FAULTS]) await insertFeature(sql, feature);
  await addReleasePlan(sql);
  await sql
    .query(`update feature_strategies set constraints = null where feature_name = 'raw-parameters'`)
    .catch(() => []);
  return {
    sound: [...fine.map(({ name }) => name), 'planned'],
    broken: faulty.map(({ name }) => name),
    severalFaults: SEVERAL_FAULTS.name,
  };
};
