import { beforeAll, describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import {
  addFeatures,
  defaultStrategy,
  enabledWith,
  type FeatureSpec,
  rolloutStrategy,
} from '../../testkit/clean-up-world.js';
import { seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

type Case = FeatureSpec & { kinds: string[] };

const users = { name: 'userWithId', parameters: { userIds: '1' } };
const constraint = { contextName: 'userId', operator: 'IN', values: ['1'] };
const OUT = ['FULLY_ROLLED_OUT'];
const OLD = ['POTENTIALLY_STALE'];
const UNSEEN = ['NOT_SEEN'];

const STALE: Record<string, Case> = {
  'a young feature that is off everywhere': { kinds: [] },
  'one marked stale': { stale: true, kinds: ['STALE'] },
  'one of which it is not known whether it is stale': { stale: null, kinds: [] },
  'one marked stale that is old as well': { stale: true, age: 400, kinds: ['STALE'] },
  'one marked stale and archived': { stale: true, archived: true, kinds: [] },
};

const LIFETIME: Record<string, Case> = {
  'a release 41 days old': { age: 41, kinds: OLD },
  'a release 39 days old': { age: 39, kinds: [] },
  'an operational feature 8 days old': { age: 8, type: 'operational', kinds: OLD },
  'an old feature that is archived': { age: 400, archived: true, kinds: [] },
  'an old feature of a type without lifetime': { age: 400, type: 'kill-switch', kinds: [] },
  'an old feature of an unknown type': { age: 400, type: 'no-such-type', kinds: [] },
  'an old feature without type': { age: 400, type: null, kinds: [] },
  'a feature of unknown age': { age: null, kinds: [] },
};

const SEEN: Record<string, Case> = {
  'one never seen, 8 days old': { seenIn: [], age: 8, kinds: UNSEEN },
  'one never seen, 6 days old': { seenIn: [], age: 6, kinds: [] },
  'one never seen, of unknown age': { seenIn: [], age: null, kinds: UNSEEN },
  'one seen before environments counted': { seenIn: [], isSeen: true, age: 8, kinds: [] },
  'one seen in an environment it does not have': { seenIn: ['default'], age: 8, kinds: [] },
  'one last seen 8 days ago': { seen: 8, age: 30, kinds: UNSEEN },
  'one last seen 6 days ago': { seen: 6, age: 30, kinds: [] },
  'one last seen 8 days ago, before environments counted': {
    seen: 8,
    seenIn: [],
    isSeen: true,
    age: 30,
    kinds: UNSEEN,
  },
  'one never seen and old': { seenIn: [], age: 50, kinds: ['NOT_SEEN', 'POTENTIALLY_STALE'] },
};

const STAGES: Record<string, Case> = {
  'one that was completed': {
    stages: { initial: 30, live: 20, completed: 5 },
    kinds: ['COMPLETED'],
  },
  'one that has not come to its end': { stages: { initial: 30, live: 20 }, kinds: [] },
  'one that went live again': { stages: { live: 2, completed: 5 }, kinds: [] },
  'one whose stages share their moment': {
    stages: { live: 5, completed: 5 },
    kinds: ['COMPLETED'],
  },
  'one completed at no known time': { stages: { completed: null }, kinds: ['COMPLETED'] },
  'one that lived on since an unknown time': { stages: { completed: null, live: 9 }, kinds: [] },
};

const ROLLED_OUT: Record<string, Case> = {
  'one on for everybody': { ...enabledWith(defaultStrategy), kinds: OUT },
  'one with a rollout of 100': { ...enabledWith(rolloutStrategy('100')), kinds: OUT },
  'one with a rollout of 100 as a number': { ...enabledWith(rolloutStrategy(100)), kinds: OUT },
  'one with a rollout of 100.0': { ...enabledWith(rolloutStrategy('100.0')), kinds: OUT },
  'one with a rollout of 99': { ...enabledWith(rolloutStrategy('99')), kinds: [] },
  'one with a rollout of 1000': { ...enabledWith(rolloutStrategy('1000')), kinds: [] },
  'one with a rollout of -100': { ...enabledWith(rolloutStrategy('-100')), kinds: [] },
  'one with an old gradual rollout of 100': {
    ...enabledWith({ name: 'gradualRolloutRandom', parameters: { percentage: '100' } }),
    kinds: OUT,
  },
  'one with an old gradual rollout of 50': {
    ...enabledWith({ name: 'gradualRolloutUserId', parameters: { percentage: '50' } }),
    kinds: [],
  },
  'one with a strategy of its own kind': {
    ...enabledWith({ name: 'storeLocation', parameters: { rollout: '100' } }),
    kinds: [],
  },
  'one for some and for everybody': { ...enabledWith(users, rolloutStrategy('100')), kinds: OUT },
  'one for some only': { ...enabledWith(users), kinds: [] },
  'one with a constraint': { ...enabledWith({ constraints: [constraint] }), kinds: [] },
  'one with an empty list of constraints': { ...enabledWith({ constraints: [] }), kinds: OUT },
  'one with a segment': { ...enabledWith(rolloutStrategy('100', { segments: [1] })), kinds: [] },
  'one whose strategy is disabled': { ...enabledWith({ disabled: true }), kinds: [] },
  'one without a strategy in production': { ...enabledWith(), kinds: [] },
  'one whose strategy has variants': { ...enabledWith({ variants: [{ name: 'a' }] }), kinds: [] },
  'one of whose strategies another has variants': {
    ...enabledWith(defaultStrategy, { ...users, variants: [{ name: 'a' }] }),
    kinds: [],
  },
  'one whose disabled strategy has variants': {
    ...enabledWith(defaultStrategy, { disabled: true, variants: [{ name: 'a' }] }),
    kinds: OUT,
  },
  'one with variants in an environment': {
    environments: {
      development: { strategies: [defaultStrategy], variants: [{ name: 'a' }] },
      production: { strategies: [defaultStrategy] },
    },
    kinds: [],
  },
  'one that is off in one environment': {
    environments: {
      development: { strategies: [defaultStrategy], enabled: false },
      production: { strategies: [defaultStrategy] },
    },
    kinds: [],
  },
  'one that lacks an environment of its project': {
    environments: { production: { strategies: [defaultStrategy] } },
    kinds: [],
  },
  'one that is off where nobody may use it': {
    environments: { ...enabledWith(defaultStrategy).environments, default: { enabled: false } },
    kinds: OUT,
  },
  'one that is off outside its project': {
    environments: { ...enabledWith(defaultStrategy).environments, beta: { enabled: false } },
    kinds: OUT,
  },
  'one that depends on another': {
    ...enabledWith(defaultStrategy),
    parent: 'the parent',
    kinds: [],
  },
  'the parent': { ...enabledWith(defaultStrategy), kinds: OUT },
  'one with a release plan': { ...enabledWith(defaultStrategy), kinds: OUT },
  'one of a type that is meant to stay': {
    ...enabledWith(defaultStrategy),
    type: 'kill-switch',
    kinds: [],
  },
  'one of an unknown type': { ...enabledWith(defaultStrategy), type: 'no-such-type', kinds: OUT },
  'one on for everybody, archived': { ...enabledWith(defaultStrategy), archived: true, kinds: [] },
  'one of a project without environments': {
    ...enabledWith(defaultStrategy),
    project: 'bare',
    kinds: [],
  },
  'one of a project that is gone': { ...enabledWith(defaultStrategy), project: 'gone', kinds: [] },
  'one with every reason that goes together': {
    ...enabledWith(defaultStrategy),
    stale: true,
    seenIn: [],
    age: 90,
    stages: { completed: 3 },
    kinds: ['STALE', 'COMPLETED', 'FULLY_ROLLED_OUT', 'NOT_SEEN'],
  },
};

const DAMAGED: Record<string, Case> = {
  'parameters that are null': {
    ...enabledWith(rolloutStrategy('', { parameters: null })),
    kinds: [],
  },
  'parameters that are a text': {
    ...enabledWith(rolloutStrategy('', { parameters: '{"rollout":"100"}' })),
    kinds: [],
  },
  'parameters that are a list': {
    ...enabledWith(rolloutStrategy('', { parameters: ['rollout', '100'] })),
    kinds: [],
  },
  'parameters that are a number': {
    ...enabledWith(rolloutStrategy('', { parameters: 100 })),
    kinds: [],
  },
  'a rollout that is no number': { ...enabledWith(rolloutStrategy('abc')), kinds: [] },
  'a rollout that is null': { ...enabledWith(rolloutStrategy(null)), kinds: [] },
  'a rollout that is an object': { ...enabledWith(rolloutStrategy({ rollout: '100' })), kinds: [] },
  'a rollout with a second line': { ...enabledWith(rolloutStrategy('100\n0')), kinds: [] },
  'parameters that nobody reads': { ...enabledWith({ parameters: 'none' }), kinds: OUT },
  'constraints that are null': { ...enabledWith({ constraints: null }), kinds: OUT },
  'constraints that are an object': { ...enabledWith({ constraints: {} }), kinds: [] },
  'constraints that are a text': { ...enabledWith({ constraints: 'none' }), kinds: [] },
  'variants that are a text': { ...enabledWith({ variants: 'none' }), kinds: [] },
  'variants that are null': { ...enabledWith({ variants: null }), kinds: OUT },
};

const GROUPS = { STALE, LIFETIME, SEEN, STAGES, ROLLED_OUT, DAMAGED };

const addRows = async (client: PrismaClient) => {
  await seed(client, {
    environments: { beta: { type: 'test' } },
    projects: {
      // The environment `default` of a new installation is disabled globally.
      web: { name: 'Web', environments: ['default', 'development', 'production'] },
      bare: { name: 'Bare' },
    },
    segments: [{ id: 1, name: 'some' }],
  });
  await addFeatures(client, new Date(), Object.assign({}, ...Object.values(GROUPS)));
  await client.$executeRaw`insert into release_plan_definitions
    (id, discriminator, name, feature_name, environment, created_by_user_id)
    values ('plan', 'plan', 'Plan', 'one with a release plan', 'production', 1)`;
  await client.$executeRaw`insert into milestones (id, name, sort_order, release_plan_definition_id)
    values ('last', 'Last', 1, 'plan')`;
  await client.$executeRaw`update feature_strategies set milestone_id = 'last'
    where feature_name = 'one with a release plan' and environment = 'production'`;
};

describeWithRows('clean-up reasons', addRows, ({ gateway }) => {
  type Item = { feature: { name: string }; weight: number; reasons: { kind: string }[] };
  const found = new Map<string, Item>();

  beforeAll(async () => {
    const { data, errors } = await gateway().graphql(
      '{ cleanUp(first: 1000) { nodes { weight feature { name } reasons { kind } } } }',
    );
    expect(errors).toBeUndefined();
    for (const item of data.cleanUp.nodes) found.set(item.feature.name, item);
  });

  const WEIGHTS: Record<string, number> = {
    STALE: 16,
    COMPLETED: 8,
    FULLY_ROLLED_OUT: 4,
    NOT_SEEN: 2,
    POTENTIALLY_STALE: 1,
  };

  describe.each(Object.entries(GROUPS))('%s', (_group, cases) => {
    test.each(Object.entries(cases))('%s', (name, { kinds }) => {
      const item = found.get(name);
      expect(item?.reasons.map(({ kind }) => kind) ?? []).toEqual(kinds);
      expect(item?.weight ?? 0).toBe(kinds.reduce((sum, kind) => sum + (WEIGHTS[kind] ?? 0), 0));
    });
  });

  test('are reported for no other feature', () => {
    const expected = Object.values(GROUPS).flatMap((cases) =>
      Object.entries<Case>(cases).flatMap(([name, { kinds }]) => (kinds.length > 0 ? [name] : [])),
    );
    expect([...found.keys()].toSorted()).toEqual(expected.toSorted());
  });
});
