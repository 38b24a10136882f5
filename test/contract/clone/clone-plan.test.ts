import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { startGateway } from '../../testkit/app.js';
import { createRole } from '../../testkit/attach.js';
import { cloneOverGraphql, outcomeOverGraphql } from '../../testkit/clone-calls.js';
import {
  FEATURE_FIELDS,
  PLACE_FIELDS,
  type PlanCall,
  planOf,
  refusalsOf,
  requestClone,
} from '../../testkit/clone-plans.js';
import { openPostgresWorld, type PostgresWorld } from '../../testkit/clone-postgres.js';
import {
  addFaultySources,
  addRefusalSources,
  EARLY_REFUSALS,
  FAULTY_SOURCES,
  LATE_REFUSALS,
  type Refusal,
} from '../../testkit/clone-refusals.js';
import { createRandom, randomSource } from '../../testkit/clone-sources.js';
import { changesOf, NO_CHANGE } from '../../testkit/clone-tables.js';
import {
  addFeature,
  addFullSource,
  CLONE_TOKENS,
  describeWithCloneWorld,
} from '../../testkit/clone-world.js';

const titled = (cases: readonly Refusal[]) =>
  cases.map((one): [string, Refusal] => [one.title, one]);

describeWithCloneWorld('the plan of a clone', ({ gateway, startAnother, db }) => {
  beforeAll(async () => {
    await addRefusalSources(db());
    await addFaultySources(db());
    await addFullSource(db(), 'origin');
  });

  describe('that would succeed', () => {
    test('writes nothing and returns the copy', async () => {
      const changes = await changesOf(db(), async () => {
        const plan = await planOf(gateway(), { source: 'origin', name: 'planned' });
        expect(plan).toMatchObject({
          wouldSucceed: true,
          refusals: [],
          newName: 'planned',
          targetProjectId: 'shop',
          targetProject: { id: 'shop' },
          copy: {
            name: 'planned',
            type: 'release',
            tags: [],
            favorite: false,
            dependencies: [{ featureName: 'origin-parent', enabled: true, variantNames: [] }],
            environments: [
              {
                environmentName: 'development',
                inProject: true,
                variants: [],
                strategies: [
                  { name: 'default', sortOrder: 2, parameters: {} },
                  {
                    name: 'flexibleRollout',
                    parameters: { groupId: 'planned', rollout: '50', stickiness: 'userId' },
                    segments: [{ id: 1 }],
                  },
                ],
              },
              { environmentName: 'production', inProject: true, strategies: [], variants: [] },
            ],
          },
          notCopied: [],
        });
      });
      expect(changes).toEqual(NO_CHANGE);
      // The clone then succeeds: the plan has not taken the name.
      const call = { source: 'origin', name: 'planned' };
      expect((await outcomeOverGraphql(gateway(), call)).kind).toBe('cloned');
    });

    test('reports environments that only the source or only the project uses', async () => {
      const { copy } = await planOf(gateway(), { source: 'staged', name: 'x', project: 'plaza' });
      const environments = copy.environments.map(
        ({ environmentName, inProject, strategies }: never) => [
          environmentName,
          inProject,
          (strategies as unknown[]).length,
        ],
      );
      expect(environments).toEqual([
        ['development', true, 0],
        ['staging', false, 1],
        ['qa', true, 0],
      ]);
    });

    test.each([1, 2, 3, 4, 5])('returns what the clone then contains: %i', async (seed) => {
      const source = randomSource(createRandom(seed), `random-${seed}`, 'taken');
      await addFeature(db(), source);
      const call = { source: source.name, name: `${source.name}-copy` };
      const { copy } = await planOf(gateway(), call);
      await requestClone(gateway(), call);
      const { data } = await gateway().graphql(
        `query ($name: String!) { feature(name: $name) { ${FEATURE_FIELDS}
          environments { environmentName ${PLACE_FIELDS} } } }`,
        { name: call.name },
      );
      type Place = { strategies: object[] };
      // Strategies with the same sort order may come in any order.
      const withSortedStrategies = ({ strategies, ...place }: Place) => ({
        ...place,
        strategies: strategies.map((one) => JSON.stringify(one)).sort(),
      });
      const { environments: planned, ...plannedFeature } = copy;
      const { environments, ...feature } = data.feature;
      expect(plannedFeature).toEqual(feature);
      expect(
        planned.map(({ inProject: _, ...place }: Place & Record<string, unknown>) =>
          withSortedStrategies(place as Place),
        ),
      ).toEqual(environments.map(withSortedStrategies));
    });

    test('keeps group IDs when requested', async () => {
      const call = { source: 'origin', name: 'x', replaceGroupId: false };
      const { copy } = await planOf(gateway(), call);
      expect(copy.environments[0].strategies[1].parameters.groupId).toBe('origin');
    });

    test('uses the project of the source by default', async () => {
      const plan = await planOf(gateway(), { source: 'origin', name: 'x', project: null });
      expect([plan.targetProjectId, plan.wouldSucceed]).toEqual(['shop', true]);
    });
  });

  describe('reports what is not copied', () => {
    beforeAll(async () => {
      await addFeature(db(), {
        name: 'laden',
        environments: {
          development: { enabled: true, strategies: [{ name: 'default' }] },
          production: { enabled: true },
          staging: {},
        },
      });
      await addFeature(db(), { name: 'follower', parents: [{ feature: 'laden' }] });
      for (const statement of [
        `insert into release_plan_definitions (id, discriminator, name, created_by_user_id) values ('plan', 'plan', 'Plan', 101)`,
        `insert into milestones (id, name, sort_order, release_plan_definition_id) values ('first', 'First', 1, 'plan')`,
        `insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, milestone_id)
          values ('m1', 'laden', 'shop', 'development', 'default', 'first')`,
        `insert into feature_strategies (id, feature_name, project_name, environment, strategy_name)
          values ('h1', 'laden', 'shop', 'qa', 'default'), ('h2', 'laden', 'shop', 'qa', 'default')`,
        `insert into tags (type, value) values ('simple', 'red'), ('simple', 'blue')`,
        `insert into feature_tag (feature_name, tag_type, tag_value) values ('laden', 'simple', 'red'), ('laden', 'simple', 'blue')`,
        `insert into favorite_features (feature, user_id) values ('laden', 101), ('laden', 103)`,
        `insert into feature_lifecycles (feature, stage) values ('laden', 'initial'), ('laden', 'live')`,
        `insert into last_seen_at_metrics (feature_name, environment, last_seen_at) values ('laden', 'production', now())`,
      ]) {
        await db().$executeRawUnsafe(statement);
      }
    });

    const omissionsOf = async (call: Partial<PlanCall>) => {
      const { notCopied } = await planOf(gateway(), { source: 'laden', name: 'x', ...call });
      return Object.fromEntries(
        notCopied.map(({ aspect, count }: { aspect: string; count: number }) => [aspect, count]),
      );
    };
    const OMISSIONS = {
      ENABLED_STATE: 2,
      CHILDREN: 1,
      RELEASE_PLAN_STRATEGIES: 1,
      STRATEGIES_OUT_OF_SIGHT: 2,
      LIFECYCLE: 2,
      LAST_SEEN: 1,
    };

    test('with its count and the reason', async () => {
      expect(await omissionsOf({ token: CLONE_TOKENS.ann })).toEqual({
        TAGS: 2,
        FAVORITE: 1,
        ...OMISSIONS,
      });
      const { notCopied } = await planOf(gateway(), { source: 'laden', name: 'x' });
      expect(notCopied[0]).toEqual({
        aspect: 'TAGS',
        count: 2,
        reason: expect.stringContaining('include: [TAGS]'),
      });
    });

    test('without favorites of other users', async () => {
      expect(await omissionsOf({ token: CLONE_TOKENS.ben })).toEqual({ TAGS: 2, ...OMISSIONS });
    });

    test('except what is included, which the copy then contains', async () => {
      const call = { source: 'laden', name: 'x', token: CLONE_TOKENS.ann, project: 'default' };
      const withIncludes = { ...call, include: ['FAVORITE', 'TAGS', 'TAGS'] };
      expect(await omissionsOf(withIncludes)).toEqual(OMISSIONS);
      const { copy } = await planOf(gateway(), withIncludes);
      expect(copy.favorite).toBe(true);
      expect(copy.tags).toEqual([
        { type: 'simple', value: 'blue' },
        { type: 'simple', value: 'red' },
      ]);
    });
  });

  describe('that would fail', () => {
    test.each(titled([...EARLY_REFUSALS, ...LATE_REFUSALS, ...FAULTY_SOURCES]))(
      '%s returns the error of the clone, and writes nothing',
      async (_title, { source, name, project, graphql }) => {
        const call = { source, name, ...(project !== undefined && { project }) };
        const changes = await changesOf(db(), async () => {
          const plan = await planOf(gateway(), call);
          const { message } = await outcomeOverGraphql(gateway(), call);
          expect(plan.wouldSucceed).toBe(false);
          expect(
            plan.refusals.map((refusal: { __typename: string; message: string }) => [
              refusal.__typename,
              refusal.message,
            ]),
          ).toEqual([[graphql, message]]);
        });
        expect(changes).toEqual(NO_CHANGE);
      },
    );

    test('returns the same error fields as the clone', async () => {
      const call = { source: 'plain', name: 'x', project: 'named' };
      const { id: _, ...error } = (await cloneOverGraphql(gateway(), call)).data.cloneFeature;
      const plan = await planOf(gateway(), call);
      const { description: _1, ...expected } = error;
      expect(plan.refusals).toEqual([{ id: expect.any(String), ...expected }]);
    });
  });

  describe('that would fail for many reasons', () => {
    beforeAll(async () => {
      await db().projectSettings.update({
        where: { projectId: 'named' },
        data: { featureLimit: 1 },
      });
      await db().changeRequestSetting.create({
        data: { projectId: 'named', environmentName: 'development' },
      });
      await addFeature(db(), { name: 'fills-named', project: 'named' });
      await addFeature(db(), {
        name: 'wreck',
        type: null,
        stale: null,
        archivedAt: new Date(),
        environments: {
          development: {
            variants: [{ weight: 1 }],
            strategies: [
              {
                name: 'vanished-type',
                parameters: ['x'],
                segments: [11],
                constraints: [
                  { contextName: 'weather', operator: 'IN', values: ['sun'] },
                  { contextName: 'weather', operator: 'IN', values: ['rain'] },
                  { contextName: 'plan', operator: 'IN', values: [] },
                ],
              },
            ],
          },
        },
        parents: [{ feature: 'shelved' }, { feature: 'middle' }],
      });
    });

    test('returns all of them, in the order in which the clone checks them', async () => {
      const count = await db().feature.count({ where: { archivedAt: null } });
      const full = await startAnother({ UNLEASH_FEATURE_FLAGS_LIMIT: String(count) });
      const changes = await changesOf(db(), async () => {
        const { refusals, wouldSucceed, copy } = await planOf(full, {
          source: 'wreck',
          name: 'taken',
          project: 'named',
          token: CLONE_TOKENS.vic,
          include: ['TAGS'],
        });
        expect(wouldSucceed).toBe(false);
        expect(copy.environments).toHaveLength(1);
        expect(
          refusals.map(({ __typename, message }: { __typename: string; message: string }) => [
            __typename,
            message,
          ]),
        ).toEqual([
          ['NoAccessError', "You need CREATE_FEATURE in project 'named'."],
          ['NoAccessError', "You need UPDATE_FEATURE in project 'named'."],
          ['CloneRefusedError', expect.stringContaining('change requests')],
          ['NameExistsError', expect.stringContaining("'taken'")],
          ['NotFoundError', expect.stringContaining('archived')],
          // No naming pattern: it is not run for callers without CREATE_FEATURE.
          ['FeatureLimitError', expect.stringContaining("'named'")],
          ['FeatureLimitError', expect.stringContaining('Unleash instance')],
          ['CloneRefusedError', expect.stringContaining("'stale'")],
          ['CloneRefusedError', expect.stringContaining("'vanished-type'")],
          ['CloneRefusedError', expect.stringContaining("Segment 'shop-only'")],
          ['NotFoundError', "Context field 'weather' does not exist."],
          ['CloneRefusedError', expect.stringContaining('Constraint 3')],
          ['CloneRefusedError', expect.stringContaining('parameters')],
          ['CloneRefusedError', expect.stringContaining("'middle'")],
          ['CloneRefusedError', expect.stringContaining("'shelved'")],
          ['CloneRefusedError', expect.stringContaining('variants')],
        ]);
        expect(refusals[7].details).toEqual([
          expect.stringContaining("'stale'"),
          expect.stringContaining("'type'"),
        ]);
      });
      expect(changes).toEqual(NO_CHANGE);
    });

    test.each([
      [{ source: 'ghost', name: 'a b', project: null }, ['NotFoundError', 'InvalidNameError']],
      [{ source: 'ghost', name: 'taken', project: null }, ['NotFoundError', 'NameExistsError']],
      [{ source: 'ghost', name: 'taken' }, ['NameExistsError', 'NotFoundError']],
      [
        { source: 'ghost', name: 'a b', project: 'atlantis' },
        ['InvalidNameError', 'NotFoundError', 'NotFoundError'],
      ],
      [
        { source: 'staged', name: '', project: 'half-guarded' },
        ['InvalidNameError', 'NoAccessError'],
      ],
      [{ source: 'plain', name: 'ü', project: 'closed' }, ['InvalidNameError', 'NotFoundError']],
    ])('checks as much as possible: %j', async (call, expected) => {
      expect(await refusalsOf(gateway(), call)).toEqual(expected);
    });

    test('returns null for a missing source or project', async () => {
      const plan = await planOf(gateway(), { source: 'ghost', name: 'x', project: null });
      expect([plan.targetProjectId, plan.targetProject, plan.copy, plan.notCopied]).toEqual([
        null,
        null,
        null,
        [],
      ]);
      const unknownProject = await planOf(gateway(), {
        source: 'plain',
        name: 'x',
        project: 'atlantis',
      });
      expect([unknownProject.targetProjectId, unknownProject.targetProject]).toEqual([
        'atlantis',
        null,
      ]);
      expect(unknownProject.copy.environments).toMatchObject([{ environmentName: 'development' }]);
    });

    test('reports an environment with change requests once, whether the project uses it or not', async () => {
      await addFeature(db(), {
        name: 'in-production',
        environments: { production: { strategies: [{ name: 'default' }, { name: 'default' }] } },
      });
      const call = { source: 'in-production', name: 'x', project: 'guarded' };
      expect(await refusalsOf(gateway(), call)).toEqual(['CloneRefusedError']);
    });

    test('returns at most 100 errors', async () => {
      await addFeature(db(), {
        name: 'endless',
        environments: {
          development: {
            strategies: [
              {
                name: 'default',
                constraints: Array.from({ length: 5_000 }, () => ({ mood: 1 })),
              },
            ],
          },
        },
      });
      expect(await refusalsOf(gateway(), { source: 'endless', name: 'x' })).toHaveLength(100);
    });
  });

  describe('without the permission', () => {
    test('reports the missing permission with the other errors, but not whether the gateway may write', async () => {
      const call = { source: 'origin', name: 'a b', token: CLONE_TOKENS.vic };
      const { refusals } = await planOf(gateway(), call);
      expect(refusals).toMatchObject([
        { __typename: 'NoAccessError', permissions: ['CREATE_FEATURE'] },
        { __typename: 'InvalidNameError' },
      ]);
    });

    test('for tags reports the permission that they require', async () => {
      await db()
        .$executeRaw`insert into roles (id, name, description, type) values (77, 'Creator', '', 'project')`;
      await db()
        .$executeRaw`insert into role_permission (role_id, permission) values (77, 'CREATE_FEATURE')`;
      await db().roleUser.create({ data: { roleId: 77, userId: 103, projectId: 'plaza' } });
      await addFeature(db(), { name: 'untagged', project: 'plaza' });
      const call = { source: 'untagged', name: 'x', project: 'plaza', token: CLONE_TOKENS.vic };
      expect(await refusalsOf(gateway(), call)).toEqual([]);
      const { refusals } = await planOf(gateway(), { ...call, include: ['TAGS'] });
      expect(refusals).toMatchObject([{ permissions: ['UPDATE_FEATURE'] }]);

      const { data } = await requestClone(gateway(), { ...call, include: ['TAGS'] });
      expect(data.cloneFeature).toEqual({
        __typename: 'NoAccessError',
        name: 'NoAccessError',
        message: refusals[0].message,
      });
    });

    test('and without a token is rejected', async () => {
      const { status, errors } = await gateway().graphql(
        `{ clonePlan(input: { featureName: "origin", newName: "x" }) { __typename } }`,
        {},
        { token: null },
      );
      expect([status, errors?.[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
    });
  });

  describe('while writes are not allowed', () => {
    afterAll(() => db().setting.deleteMany());

    test('works in maintenance mode, and reports it first', async () => {
      const content = { enabled: true };
      await db().setting.create({ data: { name: 'maintenance.mode', content } });
      const call = { source: 'origin', name: 'a b' };
      expect(await refusalsOf(gateway(), call)).toEqual([
        'MaintenanceModeError',
        'InvalidNameError',
      ]);
      await db().setting.deleteMany();
    });
  });

  test.each([
    ['a feature that no row can hold', { featureName: 'a\0b', newName: 'x' }],
    [
      'a project that no row can hold',
      { featureName: 'origin', newName: 'x', targetProjectId: '\ud800' },
    ],
  ])('reports %s', async (_title, input) => {
    const { data } = await gateway().graphql(
      `query ($input: CloneFeatureInput!) {
        clonePlan(input: $input) { wouldSucceed refusals { __typename name message } }
      }`,
      { input },
    );
    expect(data.clonePlan).toEqual({
      wouldSucceed: false,
      refusals: [
        {
          __typename: 'CloneRefusedError',
          name: 'BadDataError',
          message: expect.stringContaining('cannot be stored'),
        },
      ],
    });
  });

  test('rejects names that cannot be stored, and keeps the message short for long names', async () => {
    for (const name of ['a\0b', '\ud800', 'n'.repeat(10_000)]) {
      const plan = await planOf(gateway(), { source: 'origin', name, project: 'named' });
      expect(plan.refusals[1].__typename).toBe('InvalidNameError');
      expect(JSON.stringify(plan.refusals).length).toBeLessThan(5_000);
    }
  });

  test.each([
    { dryRun: true },
    { replaceGroupId: null },
    { include: ['EVERYTHING'] },
    { include: null },
  ])('rejects %j', async (input) => {
    const { status, errors } = await gateway().graphql(
      'mutation ($input: CloneFeatureInput!) { cloneFeature(input: $input) { __typename } }',
      { input: { featureName: 'origin', newName: 'x', ...input } },
    );
    expect([status, errors?.[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  });
});

describe('the plan of a clone on PostgreSQL', () => {
  let world: PostgresWorld;
  beforeAll(async () => {
    world = await openPostgresWorld();
    await addFullSource(world.db, 'origin');
  });
  afterAll(() => world.close());

  const startOn = async (databaseUrl: string) => {
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl });
    world.onClose(database.close);
    const gateway = await startGateway(database);
    world.onClose(gateway.stop);
    return gateway;
  };
  const call = { source: 'origin', name: 'a b' };

  test('works in read-only sessions, as on a replica', async () => {
    const url = new URL(world.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const { copy, refusals } = await planOf(await startOn(url.href), call);
    expect(copy.environments).toHaveLength(2);
    expect(refusals).toMatchObject([
      { __typename: 'InvalidNameError' },
      { __typename: 'NoAccessError', message: expect.stringContaining('is read-only') },
    ]);
  });

  test('works for a database user with SELECT only, and requires nothing else', async () => {
    const role = await createRole(world.url);
    world.onClose(role.drop);
    await world.db.$executeRawUnsafe(`grant select on all tables in schema public to ${role.name}`);
    const gateway = await startOn(role.url);
    const { copy, refusals } = await planOf(gateway, call);
    expect(copy.environments).toHaveLength(2);
    expect(refusals).toMatchObject([
      { __typename: 'InvalidNameError' },
      { __typename: 'NoAccessError', message: expect.stringContaining(role.name) },
    ]);
    expect(refusals[1].message).toContain('read-only role');

    await world.db.$executeRawUnsafe(`revoke select on segments from ${role.name}`);
    const unreadable = await planOf(gateway, call);
    expect(unreadable).toMatchObject({
      wouldSucceed: false,
      copy: null,
      refusals: [{ __typename: 'NoAccessError' }],
    });
    expect(unreadable.refusals[0].message).toContain('SELECT on segments');
    expect(unreadable.refusals[0].message).toContain(role.name);
    const viewed = await planOf(gateway, { ...call, token: CLONE_TOKENS.vic });
    expect(viewed.refusals).toMatchObject([
      { __typename: 'NoAccessError', permissions: ['CREATE_FEATURE'] },
    ]);
    expect(JSON.stringify(viewed)).not.toContain(role.name);
  });
});
