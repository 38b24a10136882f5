import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/data/connect.js';
import { startGateway } from '../testkit/app.js';
import { createRole } from '../testkit/attach.js';
import { cloneOverGraphql, outcomeOverGraphql } from '../testkit/clone-calls.js';
import {
  askForClone,
  FEATURE_FIELDS,
  PLACE_FIELDS,
  type PlanCall,
  planOf,
  refusalsOf,
} from '../testkit/clone-plans.js';
import { openPostgresWorld, type PostgresWorld } from '../testkit/clone-postgres.js';
import {
  addFaultySources,
  addRefusedWorld,
  EARLY_REFUSALS,
  FAULTY_SOURCES,
  LATE_REFUSALS,
  type Refusal,
} from '../testkit/clone-refusals.js';
import { createRandom, randomSource } from '../testkit/clone-sources.js';
import { changesOf, NO_CHANGE } from '../testkit/clone-tables.js';
import {
  addFeature,
  addFullSource,
  CLONE_TOKENS,
  describeCloneOnBothDatabases,
} from '../testkit/clone-world.js';

const titled = (cases: readonly Refusal[]) =>
  cases.map((one): [string, Refusal] => [one.title, one]);

/** Errors of the clone itself are a type of their own in a plan. */
const PLANNED: Readonly<Record<string, string>> = { FORBIDDEN: 'NoAccessError' };

describeCloneOnBothDatabases('the plan of a clone', ({ gateway, startAnother, db, kind }) => {
  beforeAll(async () => {
    await addRefusedWorld(db());
    await addFaultySources(db());
    await addFullSource(db(), 'origin');
  });

  describe('of one that would be made', () => {
    test('writes nothing and shows the copy', async () => {
      const changes = await changesOf(db(), async () => {
        const plan = await planOf(gateway(), { source: 'origin', name: 'planned' });
        expect(plan).toMatchObject({
          wouldSucceed: true,
          refusals: [],
          name: 'planned',
          projectId: 'shop',
          project: { id: 'shop' },
          copy: {
            name: 'planned',
            type: 'release',
            tags: [],
            favorite: false,
            dependencies: [{ featureName: 'origin-parent', enabled: true, variants: [] }],
            environments: [
              {
                name: 'development',
                usedByProject: true,
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
              { name: 'production', usedByProject: true, strategies: [], variants: [] },
            ],
          },
          notCopied: [],
        });
      });
      expect(changes).toEqual(NO_CHANGE);
      // The clone is then made, so the name was not taken by the plan.
      const call = { source: 'origin', name: 'planned' };
      expect((await outcomeOverGraphql(gateway(), call)).kind).toBe('cloned');
    });

    test('tells the environments that only the source or only the project uses', async () => {
      const { copy } = await planOf(gateway(), { source: 'staged', name: 'x', project: 'plaza' });
      const places = copy.environments.map(({ name, usedByProject, strategies }: never) => [
        name,
        usedByProject,
        (strategies as unknown[]).length,
      ]);
      expect(places).toEqual([
        ['development', true, 0],
        ['staging', false, 1],
        ['qa', true, 0],
      ]);
    });

    test.each([1, 2, 3, 4, 5])('shows what the graph then shows of the copy %i', async (seed) => {
      const source = randomSource(createRandom(seed), `random-${seed}`, 'taken');
      await addFeature(db(), source);
      const call = { source: source.name, name: `${source.name}-copy` };
      const { copy } = await planOf(gateway(), call);
      await askForClone(gateway(), call, { dryRun: false });
      const { data } = await gateway().graphql(
        `query ($name: String!) { feature(name: $name) { ${FEATURE_FIELDS}
          environments { environment { name } ${PLACE_FIELDS} } } }`,
        { name: call.name },
      );
      type Place = { strategies: object[] };
      // Strategies with the same place in the order may stand in any.
      const inOneOrder = ({ strategies, ...place }: Place) => ({
        ...place,
        strategies: strategies.map((one) => JSON.stringify(one)).sort(),
      });
      const { environments: planned, ...facts } = copy;
      const { environments: shown, ...shownFacts } = data.feature;
      expect(facts).toEqual(shownFacts);
      expect(
        planned.map(({ name, usedByProject: _, ...place }: Place & Record<string, unknown>) =>
          inOneOrder({ environment: { name }, ...place } as Place),
        ),
      ).toEqual(shown.map(inOneOrder));
    });

    test('keeps group ids where that is asked for', async () => {
      const call = { source: 'origin', name: 'x', replaceGroupId: false };
      const { copy } = await planOf(gateway(), call);
      expect(copy.environments[0].strategies[1].parameters.groupId).toBe('origin');
    });

    test('goes to the project of the source when none is named', async () => {
      const plan = await planOf(gateway(), { source: 'origin', name: 'x', project: null });
      expect([plan.projectId, plan.wouldSucceed]).toEqual(['shop', true]);
    });
  });

  describe('tells what stays behind', () => {
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

    const leftBy = async (call: Partial<PlanCall>) => {
      const { notCopied } = await planOf(gateway(), { source: 'laden', name: 'x', ...call });
      return Object.fromEntries(
        notCopied.map(({ aspect, count }: { aspect: string; count: number }) => [aspect, count]),
      );
    };
    const LEFT = {
      ENABLED_STATE: 2,
      CHILDREN: 1,
      RELEASE_PLAN_STRATEGIES: 1,
      STRATEGIES_OUT_OF_SIGHT: 2,
      LIFECYCLE: 2,
      LAST_SEEN: 1,
    };

    test('with how much of it there is, and why', async () => {
      expect(await leftBy({ token: CLONE_TOKENS.ann })).toEqual({ TAGS: 2, FAVORITE: 1, ...LEFT });
      const { notCopied } = await planOf(gateway(), { source: 'laden', name: 'x' });
      expect(notCopied[0]).toEqual({
        aspect: 'TAGS',
        count: 2,
        reason: expect.stringContaining('include: [TAGS]'),
      });
    });

    test('and nothing of the favorites of others', async () => {
      expect(await leftBy({ token: CLONE_TOKENS.ben })).toEqual({ TAGS: 2, ...LEFT });
    });

    test('and not what was asked for, which the copy then shows', async () => {
      const call = { source: 'laden', name: 'x', token: CLONE_TOKENS.ann, project: 'default' };
      const asked = { ...call, include: ['FAVORITE', 'TAGS', 'TAGS'] };
      expect(await leftBy(asked)).toEqual(LEFT);
      const { copy } = await planOf(gateway(), asked);
      expect(copy.favorite).toBe(true);
      expect(copy.tags).toEqual([
        { type: 'simple', value: 'blue' },
        { type: 'simple', value: 'red' },
      ]);
    });
  });

  describe('of a clone that is refused', () => {
    test.each(titled([...EARLY_REFUSALS, ...LATE_REFUSALS, ...FAULTY_SOURCES]))(
      '%s holds the one refusal the clone answers with, and writes nothing',
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
          ).toEqual([[PLANNED[graphql] ?? graphql, message]]);
        });
        expect(changes).toEqual(NO_CHANGE);
      },
    );

    test('holds the facts of a refusal, as the clone itself does', async () => {
      const call = { source: 'plain', name: 'x', project: 'named' };
      const { id: _, ...answered } = (await cloneOverGraphql(gateway(), call)).data.cloneFeature;
      const plan = await planOf(gateway(), call);
      const { description: _1, ...expected } = answered;
      expect(plan.refusals).toEqual([{ id: expect.any(String), ...expected }]);
    });
  });

  describe('of a clone that is refused for many reasons', () => {
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

    test('holds all of them, in the order in which the clone would meet them', async () => {
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
          ['NamingPatternError', expect.stringContaining('pattern')],
          ['FeatureLimitError', expect.stringContaining("'named'")],
          ['FeatureLimitError', expect.stringContaining('installation')],
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
        expect(refusals[8].details).toEqual([
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
    ])('judges what can be judged: %j', async (call, expected) => {
      expect(await refusalsOf(gateway(), call)).toEqual(expected);
    });

    test('shows nothing to copy where there is nothing', async () => {
      const lost = await planOf(gateway(), { source: 'ghost', name: 'x', project: null });
      expect([lost.projectId, lost.project, lost.copy, lost.notCopied]).toEqual([
        null,
        null,
        null,
        [],
      ]);
      const nowhere = await planOf(gateway(), { source: 'plain', name: 'x', project: 'atlantis' });
      expect([nowhere.projectId, nowhere.project]).toEqual(['atlantis', null]);
      expect(nowhere.copy.environments.map(({ name }: { name: string }) => name)).toEqual([
        'development',
      ]);
    });

    test('tells of a guarded environment once, whether the project uses it or not', async () => {
      await addFeature(db(), {
        name: 'in-production',
        environments: { production: { strategies: [{ name: 'default' }, { name: 'default' }] } },
      });
      const call = { source: 'in-production', name: 'x', project: 'guarded' };
      expect(await refusalsOf(gateway(), call)).toEqual(['CloneRefusedError']);
    });

    test('gives up telling where nobody would read on', async () => {
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
    test('says so among the rest, and that the gateway may write is not told', async () => {
      const call = { source: 'origin', name: 'a b', token: CLONE_TOKENS.vic };
      const { refusals } = await planOf(gateway(), call);
      expect(refusals).toMatchObject([
        { __typename: 'NoAccessError', permissions: ['CREATE_FEATURE'] },
        { __typename: 'InvalidNameError' },
      ]);
    });

    test('for tags says which one they need', async () => {
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

      const { errors } = await askForClone(
        gateway(),
        { ...call, include: ['TAGS'] },
        { dryRun: false },
      );
      expect(errors?.[0].message).toBe(refusals[0].message);
      expect(errors?.[0].extensions.code).toBe('FORBIDDEN');
    });

    test('and without a token there is none', async () => {
      const { status, errors } = await gateway().graphql(
        `mutation { cloneFeature(input: { feature: "origin", name: "x", dryRun: true }) { __typename } }`,
        {},
        { token: null },
      );
      expect([status, errors?.[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
    });
  });

  describe('while nothing may be written', () => {
    afterAll(() => db().setting.deleteMany());

    test('is made in maintenance mode, and names it first', async () => {
      const content = { enabled: true };
      await db().setting.create({ data: { name: 'maintenance.mode', content } });
      const call = { source: 'origin', name: 'a b' };
      expect(await refusalsOf(gateway(), call)).toEqual([
        'MaintenanceModeError',
        'InvalidNameError',
      ]);
      await db().setting.deleteMany();
    });

    test.runIf(kind === 'embedded')('is made on a database set to reading only', async () => {
      await db().$executeRaw`set default_transaction_read_only = on`;
      try {
        const plan = await planOf(gateway(), { source: 'origin', name: 'x' });
        const clone = await outcomeOverGraphql(gateway(), { source: 'origin', name: 'x' });
        expect(plan.copy.name).toBe('x');
        expect(plan.refusals).toMatchObject([
          { __typename: 'NoAccessError', permissions: [], message: clone.message },
        ]);
        const viewer = { source: 'origin', name: 'x', token: CLONE_TOKENS.vic };
        const { refusals } = await planOf(gateway(), viewer);
        expect(refusals).toMatchObject([{ permissions: ['CREATE_FEATURE'] }]);
      } finally {
        await db().$executeRaw`set default_transaction_read_only = off`;
      }
    });
  });

  test.each([
    ['a feature that no row can hold', { feature: 'a\0b', name: 'x' }],
    ['a project that no row can hold', { feature: 'origin', name: 'x', targetProject: '\ud800' }],
  ])('is an error for %s', async (_what, input) => {
    const { errors } = await gateway().graphql(
      'mutation ($input: CloneFeatureInput!) { cloneFeature(input: $input) { __typename } }',
      { input: { ...input, dryRun: true } },
    );
    expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
    expect(errors?.[0].message).toContain('cannot be stored');
  });

  test('is a refusal of the name for one that no row can hold, and stays short for a long one', async () => {
    for (const name of ['a\0b', '\ud800', 'n'.repeat(100_000)]) {
      const plan = await planOf(gateway(), { source: 'origin', name, project: 'named' });
      expect(plan.refusals[1].__typename).toBe('InvalidNameError');
      expect(JSON.stringify(plan.refusals).length).toBeLessThan(5_000);
    }
  });

  test.each([{ dryRun: null }, { dryRun: 'yes' }, { include: ['EVERYTHING'] }, { include: null }])(
    'is not made for %j',
    async (odd) => {
      const { status, errors } = await gateway().graphql(
        'mutation ($input: CloneFeatureInput!) { cloneFeature(input: $input) { __typename } }',
        { input: { feature: 'origin', name: 'x', ...odd } },
      );
      expect([status, errors?.[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    },
  );
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

  test('is made in sessions that are read-only, as on a replica', async () => {
    const url = new URL(world.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const { copy, refusals } = await planOf(await startOn(url.href), call);
    expect(copy.environments).toHaveLength(2);
    expect(refusals).toMatchObject([
      { __typename: 'InvalidNameError' },
      { __typename: 'NoAccessError', message: expect.stringContaining('takes only reads') },
    ]);
  });

  test('is made for a database user who may only read, and needs no more than that', async () => {
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
    const { errors } = await askForClone(gateway, call);
    expect(errors?.[0].extensions.code).toBe('FORBIDDEN');
    expect(errors?.[0].message).toContain('SELECT on segments');
    expect(errors?.[0].message).toContain(role.name);
    const viewed = await askForClone(gateway, { ...call, token: CLONE_TOKENS.vic });
    expect(viewed.errors?.[0].extensions.code).toBe('FORBIDDEN');
    expect(viewed.errors?.[0].message).not.toContain(role.name);
  });
});
