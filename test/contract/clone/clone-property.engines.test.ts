import { beforeAll, expect, test } from 'vitest';
import { Actor } from '../../../src/domain/actor.js';
import { cloneFeature } from '../../../src/domain/features/clone-feature.js';
import { CLONE_CONTEXT } from '../../testkit/clone-rules.js';
import { createRandom, randomSource } from '../../testkit/clone-sources.js';
import { changesOf, type Row } from '../../testkit/clone-tables.js';
import {
  addCloneWorld,
  addFeature,
  type FeatureSpec,
  type StrategySpec,
} from '../../testkit/clone-world.js';
import { describeWithDatabase } from '../../testkit/database.js';

const SEEDS = Array.from({ length: 25 }, (_, index) => 7919 * (index + 1));
const TARGETS = {
  shop: { stickiness: 'userId', environments: ['development', 'production'] },
  plaza: { stickiness: 'sessionId', environments: ['development', 'qa'] },
  bare: { stickiness: 'default', environments: [] },
} as const;

type Copy = { name: string; target: keyof typeof TARGETS; replaceGroupId: boolean };
type Variant = { name: string; weight: number; weightType: string };

const actor = new Actor({
  kind: 'ADMIN_TOKEN',
  userId: -42,
  author: 'tester',
  name: 'tester',
  grants: [{ permission: 'ADMIN', project: null, environment: null }],
  seesAllEvents: true,
  visibleProjects: null,
  ip: null,
});

/** Serializes a value independently of the order of its keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
const asSet = (values: readonly unknown[]) => values.map(canonical).sort();

const sortedByName = (variants: readonly Variant[]) =>
  variants.toSorted((a, b) => a.name.localeCompare(b.name));

const expectedParameters = ({ name, parameters }: StrategySpec, copy: Copy) => {
  const result = { ...(parameters as Row) };
  if (copy.replaceGroupId && 'groupId' in result) result['groupId'] = copy.name;
  if (result['stickiness'] === '') result['stickiness'] = 'default';
  if (name === 'flexibleRollout') {
    if (!('rollout' in result)) result['rollout'] = '100';
    if (!('stickiness' in result)) result['stickiness'] = TARGETS[copy.target].stickiness;
    if (!('groupId' in result)) result['groupId'] = copy.name;
  }
  return result;
};

const expectedVariants = (variants: readonly Variant[]) => {
  const variable = variants.filter(({ weightType }) => weightType === 'variable');
  const fixed = variants.filter(({ weightType }) => weightType === 'fix');
  let remaining = 1000 - fixed.reduce((sum, { weight }) => sum + weight, 0);
  const shared = variable.map((variant, index) => {
    const weight = Math.ceil(remaining / (variable.length - index));
    remaining -= weight;
    return { ...variant, weight };
  });
  return sortedByName([...fixed, ...shared]);
};

const expectedConstraints = (constraints: unknown) =>
  ((constraints ?? []) as Row[]).map((constraint) => ({
    values: [],
    ...constraint,
    ...('inverted' in constraint && { inverted: String(constraint['inverted']) === 'true' }),
  }));

const expectedStrategies = (source: FeatureSpec, copy: Copy) =>
  Object.entries(source.environments ?? {}).flatMap(([environment, { strategies = [] }]) =>
    strategies.map((strategy) => ({
      environment,
      name: strategy.name,
      title: strategy.title,
      disabled: strategy.disabled ?? false,
      sortOrder: strategy.sortOrder,
      parameters: expectedParameters(strategy, copy),
      constraints: expectedConstraints(strategy.constraints),
      variants: expectedVariants(strategy.variants as Variant[]),
      segments: strategy.segments,
    })),
  );

const expectedEnvironments = (source: FeatureSpec, copy: Copy) => {
  const own = source.environments ?? {};
  const names = new Set([...TARGETS[copy.target].environments, ...Object.keys(own)]);
  return [...names].map((environment) => ({
    environment,
    feature_name: copy.name,
    enabled: false,
    last_seen_at: null,
    variants: sortedByName((own[environment]?.variants ?? []) as Variant[]),
  }));
};

const asTexts = (parameters: Row) =>
  Object.fromEntries(
    Object.entries(parameters).map(([key, value]) => {
      if (value === null) return [key, ''];
      return [key, typeof value === 'object' ? expect.any(String) : String(value)];
    }),
  );

describeWithDatabase('any feature', (open) => {
  let db: Awaited<ReturnType<typeof open>>['client'];
  beforeAll(async () => {
    db = (await open()).client;
    await addCloneWorld(db);
    for (const project of Object.keys(TARGETS)) {
      await addFeature(db, { name: `parent-in-${project}`, project });
    }
  });

  test.each(SEEDS)('generated from seed %i is copied completely', async (seed) => {
    const random = createRandom(seed);
    const copy: Copy = {
      name: `copy-${seed}`,
      target: random.pick('shop', 'plaza', 'bare'),
      replaceGroupId: random.chance(0.5),
    };
    const source = randomSource(random, `source-${seed}`, `parent-in-${copy.target}`);
    await addFeature(db, source);

    const { added, removed } = await changesOf(db, () =>
      cloneFeature(
        db,
        actor,
        {
          source: source.name,
          name: copy.name,
          targetProject: copy.target,
          replaceGroupId: copy.replaceGroupId,
        },
        CLONE_CONTEXT,
      ),
    );
    const rows = (table: string) => added[table] ?? [];

    // The source is unchanged, and so is everything else except the daily counters.
    expect(Object.keys(removed).filter((table) => table !== 'stat_environment_updates')).toEqual(
      [],
    );

    const { name: _, environments: _1, parents = [], project: _2, ...columns } = source;
    expect(rows('features')).toMatchObject([
      {
        name: copy.name,
        project: copy.target,
        description: columns.description,
        type: columns.type,
        stale: columns.stale,
        impression_data: columns.impressionData,
        archived_at: null,
      },
    ]);
    expect(asSet(rows('feature_environments'))).toEqual(asSet(expectedEnvironments(source, copy)));
    expect(rows('dependent_features')).toEqual(
      parents.map(({ feature, enabled, variants }) => ({
        parent: feature,
        child: copy.name,
        enabled,
        variants,
      })),
    );

    const segmentsOf = (id: unknown) =>
      rows('feature_strategy_segment')
        .filter((link) => link['feature_strategy_id'] === id)
        .map((link) => Number(link['segment_id']))
        .sort((a, b) => a - b);
    const strategies = rows('feature_strategies').map((row) => ({
      id: row['id'],
      environment: row['environment'],
      name: row['strategy_name'],
      title: row['title'],
      disabled: row['disabled'],
      sortOrder: row['sort_order'],
      parameters: row['parameters'] as Row,
      constraints: row['constraints'],
      variants: row['variants'] as Variant[],
      segments: segmentsOf(row['id']),
    }));
    expect(asSet(strategies.map(({ id: _id, ...strategy }) => strategy))).toEqual(
      asSet(expectedStrategies(source, copy)),
    );
    for (const { variants } of strategies.filter(({ variants }) => variants.length > 0)) {
      expect(variants.reduce((sum, { weight }) => sum + weight, 0)).toBe(1000);
    }

    const events = rows('events').toSorted((a, b) => Number(a['id']) - Number(b['id']));
    expect(events.map(({ type }) => type)).toEqual([
      'feature-created',
      ...strategies.map(() => 'feature-strategy-add'),
      ...parents.map(() => 'feature-dependency-added'),
    ]);
    for (const { id, environment, parameters, ...strategy } of strategies) {
      const event = events.find(({ data }) => (data as Row)['id'] === id);
      expect(event).toMatchObject({ environment, project: copy.target, feature_name: copy.name });
      expect(event?.['data']).toEqual({ id, ...strategy, parameters: asTexts(parameters) });
    }
  });
});
