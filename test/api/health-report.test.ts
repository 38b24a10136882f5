import { describe, expect, test } from 'vitest';
import { Prisma, type PrismaClient } from '../../src/data/db.js';
import { startGateway } from '../testkit/app.js';
import { addUser, describeSeededOnBothDatabases } from '../testkit/seeded.js';

const DAY_MS = 86_400_000;
const daysAgo = (days: number, msLater = 0) => new Date(Date.now() - days * DAY_MS + msLater);
const at = (day: string) => new Date(`${day}T00:00:00Z`);

const addProjects = async (client: PrismaClient) => {
  await client.environment.createMany({
    data: [
      { name: 'QA', type: 'test', sortOrder: 2 },
      { name: 'beta-env', type: 'test', sortOrder: 2 },
    ],
  });
  await client.project.createMany({
    data: [
      {
        id: 'web',
        name: 'Web shop',
        description: 'All of it',
        health: 42,
        createdAt: at('2024-01-01'),
        updatedAt: at('2024-06-01'),
      },
      {
        id: 'bare',
        name: 'Bare',
        description: null,
        health: null,
        createdAt: null,
        updatedAt: null,
      },
      { id: 'gone', name: 'Gone', archivedAt: at('2024-01-01') },
      { id: 'oddly-named', name: 'Names' },
    ],
  });
  await client.projectSettings.createMany({
    data: [
      {
        projectId: 'web',
        defaultStickiness: 'userId',
        mode: 'protected',
        featureLimit: 99,
        featureNamingPattern: '[a-z-]+',
        featureNamingExample: 'a-name',
        featureNamingDescription: 'Small letters.\nAnd dashes.',
      },
      { projectId: 'gone', defaultStickiness: '' },
    ],
  });
  await client.projectStats.createMany({
    data: [
      {
        projectId: 'web',
        avgTimeToProdCurrentWindow: 1.5,
        createdCurrentWindow: 2,
        createdPastWindow: 3,
        archivedCurrentWindow: 4,
        archivedPastWindow: 5,
        projectActivityCurrentWindow: 6,
        projectActivityPastWindow: 7,
        projectMembersAddedCurrentWindow: 8,
      },
      { projectId: 'gone', createdCurrentWindow: null },
    ],
  });
  await client.projectEnvironment.createMany({
    data: ['production', 'beta-env', 'QA', 'development'].map((environmentName) => ({
      projectId: 'web',
      environmentName,
      defaultStrategy:
        environmentName === 'production'
          ? { name: 'flexibleRollout', parameters: { rollout: '10' } }
          : Prisma.DbNull,
    })),
  });
  await client.changeRequestSetting.create({
    data: { projectId: 'web', environmentName: 'production' },
  });
};

const addFeatures = async (client: PrismaClient) => {
  const feature = (
    name: string,
    createdAt: Date | null,
    more: Partial<Prisma.FeatureCreateManyInput> = {},
  ) => ({ name, projectId: 'web', type: 'release', createdAt, ...more });
  await client.feature.createMany({
    data: [
      feature('almost-old', daysAgo(40, 3_600_000)),
      feature('just-old', daysAgo(40, -1)),
      feature('new', daysAgo(1), {
        description: 'Fresh',
        impressionData: true,
        lastSeenAt: at('2024-03-01'),
        createdByUserId: 1,
      }),
      feature('no-date', null),
      feature('no-type', daysAgo(900), { type: null }),
      feature('old', daysAgo(41), { lastSeenAt: at('2024-02-02') }),
      feature('old-kill-switch', daysAgo(900), { type: 'kill-switch' }),
      feature('old-of-unknown-type', daysAgo(900), { type: 'marketing' }),
      feature('stale', daysAgo(900), { stale: true }),
      feature('stale-unknown', daysAgo(8), { type: 'operational', stale: null }),
      feature('archived', daysAgo(900), { archivedAt: at('2024-01-01') }),
      feature('elsewhere', daysAgo(900), { projectId: 'gone', stale: true }),
      ...['__proto__', 'constructor', 'toString', '7'].map((name) =>
        feature(name, daysAgo(1), { projectId: 'oddly-named' }),
      ),
    ],
  });
  await client.$executeRaw`update features set potentially_stale = true where name = 'new'`;
  await client.featureEnvironment.createMany({
    data: [
      { featureName: 'new', environmentName: 'production', enabled: false },
      { featureName: 'new', environmentName: 'QA', enabled: false },
      {
        featureName: 'new',
        environmentName: 'beta-env',
        enabled: true,
        variants: [
          { name: 'a', weight: 500 },
          { name: 'b', weight: 500 },
        ],
      },
      { featureName: 'new', environmentName: 'development', enabled: true },
      { featureName: 'old', environmentName: 'production', enabled: true },
      { featureName: 'constructor', environmentName: 'production', enabled: true },
    ],
  });
  await client.$executeRaw`update feature_environments set last_seen_at = '2025-01-01'`;
  await client.lastSeen.createMany({
    data: [
      { featureName: 'new', environmentName: 'development', lastSeenAt: at('2024-03-05') },
      { featureName: 'new', environmentName: 'production', lastSeenAt: at('2024-03-02') },
      // The feature has no row for this environment.
      { featureName: 'new', environmentName: 'default', lastSeenAt: at('2024-12-12') },
    ],
  });
  await client.tag.createMany({
    data: ['zeta', 'alpha'].map((value) => ({ type: 'simple', value })),
  });
  await client.featureTag.createMany({
    data: ['zeta', 'alpha'].map((value) => ({ featureName: 'new', type: 'simple', value })),
  });
};

const addStrategies = async (client: PrismaClient) => {
  await client.$executeRaw`
    insert into release_plan_definitions (id, discriminator, name, created_by_user_id)
    values ('plan', 'plan', 'Plan', 1)`;
  await client.$executeRaw`
    insert into milestones (id, name, sort_order, release_plan_definition_id)
    values ('milestone', 'First', 1, 'plan')`;
  const strategy = (
    id: string,
    featureName: string,
    environmentName: string,
    more: Partial<Prisma.StrategyCreateManyInput> = {},
  ) => ({ id, featureName, projectId: 'web', environmentName, name: 'default', ...more });
  await client.strategy.createMany({
    data: [
      strategy('off', 'new', 'development', { disabled: true }),
      strategy('on', 'new', 'production', { disabled: null, sortOrder: 2, title: 'Second' }),
      strategy('off-too', 'new', 'production', { disabled: true, sortOrder: 1, title: 'First' }),
      strategy('planned', 'old', 'production', { milestoneId: 'milestone' }),
    ],
  });
};

/** Users 1, 2, 4 and 6 are in project web, and the two empty groups count as one more. */
const addPeople = async (client: PrismaClient) => {
  for (const id of [1, 2, 3, 4, 5, 6, 7]) await addUser(client, { id, username: `user-${id}` });
  const custom = await client.role.create({ data: { name: 'Custom root', type: 'root-custom' } });
  const held = (userId: number, roleId: number, projectId: string) => ({
    userId,
    roleId,
    projectId,
  });
  await client.roleUser.createMany({
    data: [
      held(1, 5, 'web'),
      held(2, 4, 'web'),
      held(2, 5, 'web'),
      held(3, 2, 'web'),
      held(4, custom.id, 'web'),
      held(5, 5, '*'),
      held(7, 5, 'gone'),
    ],
  });
  const groups: [name: string, members: number[], project: string][] = [
    ['crew', [1, 6], 'web'],
    ['empty', [], 'web'],
    ['empty too', [], 'web'],
    ['others', [7], 'default'],
  ];
  for (const [name, members, projectId] of groups) {
    const { id: groupId } = await client.group.create({ data: { name } });
    await client.groupUser.createMany({ data: members.map((userId) => ({ groupId, userId })) });
    await client.groupRole.create({ data: { groupId, roleId: 5, projectId } });
  }
  await client.favoriteProject.create({ data: { projectId: 'web', userId: 1 } });
  await client.favoriteFeature.create({ data: { featureName: 'new', userId: 1 } });
};

const seed = async (client: PrismaClient) => {
  await addProjects(client);
  await addFeatures(client);
  await addPeople(client);
  await addStrategies(client);
};

type Named = { name: string };

describeSeededOnBothDatabases('health report', seed, ({ gateway, database }) => {
  const report = async (project: string, token?: string) => {
    const path = `/api/admin/projects/${project}/health-report`;
    const { status, body } = await gateway().rest(path, token === undefined ? {} : { token });
    expect(status).toBe(200);
    return body;
  };
  const featureOf = (body: { features: Named[] }, name: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: an answer is compared with what is expected of it.
    body.features.find((feature) => feature.name === name) as any;

  test('has all its keys, in the order of the original', async () => {
    const KEYS = [
      'stats',
      'name',
      'description',
      'mode',
      'featureLimit',
      'featureNaming',
      'defaultStickiness',
      'health',
      'favorite',
      'updatedAt',
      'createdAt',
      'environments',
      'features',
      'members',
      'version',
      'potentiallyStaleCount',
      'activeCount',
      'staleCount',
    ];
    for (const project of ['web', 'bare']) expect(Object.keys(await report(project))).toEqual(KEYS);
    const body = await report('web');
    expect(Object.keys(featureOf(body, 'new')).slice(0, 9)).toEqual([
      'type',
      'description',
      'name',
      'createdAt',
      'stale',
      'impressionData',
      'lastSeenAt',
      'environments',
      'tags',
    ]);
    expect(Object.keys(featureOf(body, 'new').environments[0]).slice(0, 8)).toEqual([
      'name',
      'enabled',
      'type',
      'sortOrder',
      'variantCount',
      'lastSeenAt',
      'hasStrategies',
      'hasEnabledStrategies',
    ]);
  });

  test('tells the settings and figures of a project as they are stored', async () => {
    expect(await report('web')).toMatchObject({
      name: 'Web shop',
      description: 'All of it',
      mode: 'protected',
      featureLimit: 99,
      featureNaming: {
        pattern: '[a-z-]+',
        example: 'a-name',
        description: 'Small letters.\nAnd dashes.',
      },
      defaultStickiness: 'userId',
      health: 42,
      version: 1,
      createdAt: '2024-01-01T00:00:00.000Z',
      updatedAt: '2024-06-01T00:00:00.000Z',
      stats: {
        avgTimeToProdCurrentWindow: 1.5,
        createdCurrentWindow: 2,
        createdPastWindow: 3,
        archivedCurrentWindow: 4,
        archivedPastWindow: 5,
        projectActivityCurrentWindow: 6,
        projectActivityPastWindow: 7,
        projectMembersAddedCurrentWindow: 8,
      },
    });
    expect(Object.keys((await report('web')).stats)).toEqual([
      'avgTimeToProdCurrentWindow',
      'createdCurrentWindow',
      'createdPastWindow',
      'archivedCurrentWindow',
      'archivedPastWindow',
      'projectActivityCurrentWindow',
      'projectActivityPastWindow',
      'projectMembersAddedCurrentWindow',
    ]);
  });

  test('of a project without settings and figures has the defaults', async () => {
    const before = Date.now();
    const { updatedAt, ...body } = await report('bare');
    expect(body).toEqual({
      stats: {
        avgTimeToProdCurrentWindow: 0,
        createdCurrentWindow: 0,
        createdPastWindow: 0,
        archivedCurrentWindow: 0,
        archivedPastWindow: 0,
        projectActivityCurrentWindow: 0,
        projectActivityPastWindow: 0,
        projectMembersAddedCurrentWindow: 0,
      },
      name: 'Bare',
      description: null,
      mode: 'open',
      featureLimit: null,
      featureNaming: { pattern: null, example: null, description: null },
      defaultStickiness: 'default',
      health: 100,
      favorite: false,
      createdAt: null,
      environments: [],
      features: [],
      members: 0,
      version: 1,
      potentiallyStaleCount: 0,
      activeCount: 0,
      staleCount: 0,
    });
    expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(updatedAt)).toBeLessThanOrEqual(Date.now());
  });

  test('of an archived project is answered like any other', async () => {
    const body = await report('gone');
    expect(body).toMatchObject({ staleCount: 1, activeCount: 0, defaultStickiness: 'default' });
    expect(body.stats.createdCurrentWindow).toBe(0);
  });

  test('lists the unarchived features of the project and no others', async () => {
    const { features } = await report('web');
    expect(features.map(({ name }: Named) => name).sort()).toEqual([
      'almost-old',
      'just-old',
      'new',
      'no-date',
      'no-type',
      'old',
      'old-kill-switch',
      'old-of-unknown-type',
      'stale',
      'stale-unknown',
    ]);
  });

  test('counts what is stale, what is active, and what has outlived its type', async () => {
    expect(await report('web')).toMatchObject({
      staleCount: 1,
      activeCount: 9,
      // just-old, old and stale-unknown; the service's own mark on the feature plays no part.
      potentiallyStaleCount: 3,
    });
  });

  test('counts members by their roles in this very project, and an empty group once', async () => {
    expect((await report('web')).members).toBe(5);
    expect((await report('gone')).members).toBe(1);
    expect((await report('default')).members).toBe(1);
  });

  test('lists environments by their order, with the default strategy only where there is one', async () => {
    const { environments } = await report('web');
    const [{ names }] = await database().client.$queryRaw<[{ names: string[] }]>`
      select array_agg(name order by name) as names
      from (values ('QA'), ('beta-env'), ('development')) as equals(name)`;
    expect(environments.map((row: { environment: string }) => row.environment)).toEqual([
      ...names,
      'production',
    ]);
    for (const { environment, ...rest } of environments) {
      expect(rest).toEqual(
        environment === 'production'
          ? {
              defaultStrategy: { name: 'flexibleRollout', parameters: { rollout: '10' } },
              changeRequestsEnabled: true,
            }
          : { changeRequestsEnabled: false },
      );
    }
  });

  describe('a feature in it', () => {
    test('has its facts, nulls included', async () => {
      const body = await report('web');
      expect(featureOf(body, 'new')).toMatchObject({
        type: 'release',
        description: 'Fresh',
        stale: false,
        impressionData: true,
        archived: false,
        archivedAt: null,
        project: 'web',
        enabled: true,
      });
      expect(featureOf(body, 'no-type')).toMatchObject({ type: null, description: null });
      expect(featureOf(body, 'no-date')).toMatchObject({ createdAt: null, enabled: false });
      expect(featureOf(body, 'stale')).toMatchObject({ stale: true });
      expect(featureOf(body, 'stale-unknown')).toMatchObject({ stale: null });
    });

    test('was last seen when the latest of its own environments saw it', async () => {
      const body = await report('web');
      expect(featureOf(body, 'new').lastSeenAt).toBe('2024-03-05T00:00:00.000Z');
      expect(featureOf(body, 'old').lastSeenAt).toBe('2024-02-02T00:00:00.000Z');
      expect(featureOf(body, 'just-old').lastSeenAt).toBeNull();
    });

    test('has tags, or no such key', async () => {
      const body = await report('web');
      expect(featureOf(body, 'new').tags).toHaveLength(2);
      expect(featureOf(body, 'new').tags).toEqual(
        expect.arrayContaining([
          { value: 'zeta', type: 'simple' },
          { value: 'alpha', type: 'simple' },
        ]),
      );
      expect('tags' in featureOf(body, 'old')).toBe(false);
    });

    test('has its environments by their order, names deciding between equals in any letter case', async () => {
      const body = await report('web');
      const facts = featureOf(body, 'new').environments.map(
        ({
          strategies,
          variants,
          featureName: _f,
          environment: _e,
          ...rest
        }: Record<string, unknown>) => rest,
      );
      const none = {
        variantCount: 0,
        lastSeenAt: null,
        hasStrategies: false,
        hasEnabledStrategies: false,
      };
      expect(facts).toEqual([
        { name: 'beta-env', enabled: true, type: 'test', sortOrder: 2, ...none, variantCount: 2 },
        {
          name: 'development',
          enabled: true,
          type: 'development',
          sortOrder: 2,
          ...none,
          lastSeenAt: '2024-03-05T00:00:00.000Z',
          hasStrategies: true,
        },
        { name: 'QA', enabled: false, type: 'test', sortOrder: 2, ...none },
        {
          name: 'production',
          enabled: false,
          type: 'production',
          sortOrder: 3,
          variantCount: 0,
          lastSeenAt: '2024-03-02T00:00:00.000Z',
          hasStrategies: true,
          hasEnabledStrategies: true,
        },
      ]);
      expect(featureOf(body, 'just-old').environments).toEqual([]);
    });

    test('has its strategies in their order; those of a release plan only count', async () => {
      const body = await report('web');
      const production = featureOf(body, 'new').environments[3];
      const titles = production.strategies.map(({ title }: { title: string }) => title);
      expect(titles).toEqual(['First', 'Second']);
      expect(production.strategies[1]).toMatchObject({ id: 'on', disabled: false });
      expect(featureOf(body, 'old').environments[0]).toMatchObject({
        hasStrategies: true,
        hasEnabledStrategies: true,
        strategies: [],
      });
    });
  });

  test('stands names that mean something to the language it is written in', async () => {
    const { features, activeCount } = await report('oddly-named');
    const names = features.map(({ name }: Named) => name).sort();
    expect(names).toEqual(['7', '__proto__', 'constructor', 'toString']);
    expect(activeCount).toBe(4);
    expect(featureOf({ features }, 'constructor').environments).toHaveLength(1);
    expect(featureOf({ features }, '__proto__').environments).toEqual([]);
  });

  test('knows the favorites of the caller, and of nobody else', async () => {
    const favorites = async (token?: string) => {
      const body = await report('web', token);
      const favorite = body.features.filter((feature: { favorite: boolean }) => feature.favorite);
      return [body.favorite, favorite.map(({ name }: Named) => name)];
    };
    expect(await favorites('user:token-of-1')).toEqual([true, ['new']]);
    expect(await favorites('user:token-of-2')).toEqual([false, []]);
    expect(await favorites()).toEqual([false, []]);
  });

  test('agrees with the graph, as the old report and as the project', async () => {
    const FACTS = `name description mode defaultStickiness featureLimit favorite members createdAt updatedAt
      featureNaming { pattern example description }
      environments { environment { name } defaultStrategy { name parameters } changeRequestsEnabled }
      stats { avgTimeToProdCurrentWindow createdCurrentWindow createdPastWindow archivedCurrentWindow
        archivedPastWindow projectActivityCurrentWindow projectActivityPastWindow projectMembersAddedCurrentWindow }`;
    const FEATURE = `name type description createdAt stale impressionData lastSeenAt favorite archived enabled
      tags { value type }
      environments { enabled variantCount lastSeenAt hasStrategies hasEnabledStrategies
        environment { name type sortOrder } strategies { id } variants { name } }`;
    const query = `query ($id: String!) {
      projectHealthReport(projectId: $id) { ${FACTS} version health activeCount staleCount potentiallyStaleCount
        features { ${FEATURE} } }
      project(id: $id) { ${FACTS} health { score activeCount staleCount potentiallyStaleCount }
        features(first: 100) { totalCount nodes { ${FEATURE} } } }
    }`;
    for (const id of ['web', 'gone', 'oddly-named', 'default']) {
      const token = 'user:token-of-1';
      const rest = await report(id, token);
      const { data, errors } = await gateway().graphql(query, { id }, { token });
      expect(errors).toBeUndefined();
      const {
        features,
        version,
        health,
        activeCount,
        staleCount,
        potentiallyStaleCount,
        ...facts
      } = data.projectHealthReport;

      expect(facts).toEqual({
        name: rest.name,
        description: rest.description,
        mode: rest.mode.toUpperCase(),
        defaultStickiness: rest.defaultStickiness,
        featureLimit: rest.featureLimit,
        favorite: rest.favorite,
        members: rest.members,
        createdAt: rest.createdAt,
        updatedAt: rest.updatedAt,
        featureNaming: rest.featureNaming,
        stats: rest.stats,
        environments: rest.environments.map(
          ({
            environment,
            defaultStrategy = null,
            changeRequestsEnabled,
          }: Record<string, unknown>) => ({
            environment: { name: environment },
            defaultStrategy,
            changeRequestsEnabled,
          }),
        ),
      });
      const counts = { activeCount, staleCount, potentiallyStaleCount };
      expect({ version, health, ...counts }).toEqual({
        version: rest.version,
        health: rest.health,
        activeCount: rest.activeCount,
        staleCount: rest.staleCount,
        potentiallyStaleCount: rest.potentiallyStaleCount,
      });
      expect(features).toEqual(
        // biome-ignore lint/suspicious/noExplicitAny: one answer is turned into the shape of the other.
        rest.features.map((feature: any) => ({
          name: feature.name,
          type: feature.type,
          description: feature.description,
          createdAt: feature.createdAt,
          stale: feature.stale ?? false,
          impressionData: feature.impressionData ?? false,
          lastSeenAt: feature.lastSeenAt,
          favorite: feature.favorite,
          archived: feature.archived,
          enabled: feature.enabled,
          tags: feature.tags ?? [],
          // biome-ignore lint/suspicious/noExplicitAny: as above.
          environments: feature.environments.map((row: any) => ({
            enabled: row.enabled,
            variantCount: row.variantCount,
            lastSeenAt: row.lastSeenAt,
            hasStrategies: row.hasStrategies,
            hasEnabledStrategies: row.hasEnabledStrategies,
            environment: { name: row.name, type: row.type, sortOrder: row.sortOrder },
            strategies: row.strategies.map((strategy: { id: string }) => ({ id: strategy.id })),
            variants: row.variants.map((variant: Named) => ({ name: variant.name })),
          })),
        })),
      );

      const { health: projectHealth, features: connection, ...projectFacts } = data.project;
      expect(projectFacts).toEqual(facts);
      expect(projectHealth).toEqual({ score: health, ...counts });
      expect(connection).toEqual({ totalCount: features.length, nodes: features });
    }
  });

  test('shows a column that was put in the place of another', async () => {
    const before = await report('web');
    const { client } = database();
    await client.$executeRaw`alter table features rename column description to description_before`;
    await client.$executeRaw`alter table features add column description text default 'put in its place'`;
    const after = await report('web');
    await client.$executeRaw`alter table features drop column description`;
    await client.$executeRaw`alter table features rename column description_before to description`;
    const descriptions = (features: { description: string }[]) =>
      new Set(features.map(({ description }) => description));
    expect(descriptions(after.features)).toEqual(new Set(['put in its place']));
    expect((await report('web')).features).toEqual(before.features);
  });

  describe('is deprecated', () => {
    test('and says so in its headers, on refusals too', async () => {
      for (const project of ['web', 'nowhere']) {
        const { headers } = await gateway().rest(`/api/admin/projects/${project}/health-report`);
        expect(headers.get('deprecation')).toMatch(/^@\d+$/);
        expect(headers.get('sunset')).toBeNull();
        expect(headers.get('link')).toContain('</graphql>; rel="successor-version"');
        expect(headers.get('link')).toContain('</api/admin/openapi.json>; rel="deprecation"');
      }
    });

    test('and tells its last day once that is set, below the base path', async () => {
      const settings = { HEALTH_REPORT_SUNSET: '2030-06-30', BASE_PATH: '/flags' };
      const leaving = await startGateway(database(), settings);
      const { status, headers } = await leaving.rest('/api/admin/projects/web/health-report');
      await leaving.stop();
      expect(status).toBe(200);
      expect(headers.get('sunset')).toBe('Sun, 30 Jun 2030 00:00:00 GMT');
      expect(headers.get('link')).toContain('</flags/graphql>');
    });

    test('and its siblings are not', async () => {
      const { headers } = await gateway().rest('/api/admin/search/events');
      expect(headers.get('deprecation')).toBeNull();
      expect(headers.get('link')).not.toContain('rel="deprecation"');
    });
  });
});
