import { describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { startGateway } from '../../testkit/app.js';
import { type FeatureSpec, type Seed, seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const DAY_MS = 86_400_000;
const daysAgo = (days: number, msLater = 0) => new Date(Date.now() - days * DAY_MS + msLater);
const at = (day: string) => new Date(`${day}T00:00:00Z`);

const ROLLOUT = { name: 'flexibleRollout', parameters: { rollout: '10' } };

const projects: Seed['projects'] = {
  web: {
    name: 'Web shop',
    description: 'All of it',
    health: 42,
    createdAt: at('2024-01-01'),
    updatedAt: at('2024-06-01'),
    environments: ['production', 'beta-env', 'QA', 'development'],
    defaultStrategies: { production: ROLLOUT },
    changeRequests: ['production'],
    settings: {
      defaultStickiness: 'userId',
      mode: 'protected',
      featureLimit: 99,
      featureNamingPattern: '[a-z-]+',
      featureNamingExample: 'a-name',
      featureNamingDescription: 'Small letters.\nAnd dashes.',
    },
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
    members: { Member: [1, 2], Owner: [2], Editor: [3], 'Custom root': [4] },
    favoriteOf: [1],
  },
  bare: { name: 'Bare', description: null, health: null, createdAt: null, updatedAt: null },
  gone: {
    name: 'Gone',
    archivedAt: at('2024-01-01'),
    settings: { defaultStickiness: '' },
    stats: { createdCurrentWindow: null },
    members: { Member: [7] },
  },
  'oddly-named': { name: 'Names' },
};

const addFeatures = (client: PrismaClient) => {
  const feature = (
    name: string,
    createdAt: Date | null,
    more: Partial<FeatureSpec> = {},
  ): FeatureSpec => ({ name, project: 'web', createdAt, ...more });
  return seed(client, {
    features: [
      feature('almost-old', daysAgo(40, 3_600_000)),
      feature('just-old', daysAgo(40, -1)),
      feature('new', daysAgo(1), {
        description: 'Fresh',
        impressionData: true,
        lastSeenAt: at('2024-03-01'),
        createdByUserId: 1,
        environments: {
          production: {
            strategies: [
              { id: 'on', name: 'default', disabled: null, sortOrder: 2, title: 'Second' },
              { id: 'off-too', name: 'default', disabled: true, sortOrder: 1, title: 'First' },
            ],
          },
          QA: {},
          'beta-env': {
            enabled: true,
            variants: [
              { name: 'a', weight: 500 },
              { name: 'b', weight: 500 },
            ],
          },
          development: {
            enabled: true,
            strategies: [{ id: 'off', name: 'default', disabled: true }],
          },
        },
        lastSeen: {
          development: at('2024-03-05'),
          production: at('2024-03-02'),
          // The feature has no row for this environment.
          default: at('2024-12-12'),
        },
        tags: { simple: ['zeta', 'alpha'] },
        favoriteOf: [1],
      }),
      feature('no-date', null),
      feature('no-type', daysAgo(900), { type: null }),
      feature('old', daysAgo(41), {
        lastSeenAt: at('2024-02-02'),
        environments: {
          production: {
            enabled: true,
            strategies: [{ id: 'planned', name: 'default', milestoneId: 'milestone' }],
          },
        },
      }),
      feature('old-kill-switch', daysAgo(900), { type: 'kill-switch' }),
      feature('old-of-unknown-type', daysAgo(900), { type: 'marketing' }),
      feature('stale', daysAgo(900), { stale: true }),
      feature('stale-unknown', daysAgo(8), { type: 'operational', stale: null }),
      feature('archived', daysAgo(900), { archivedAt: at('2024-01-01') }),
      feature('elsewhere', daysAgo(900), { project: 'gone', stale: true }),
      ...['__proto__', 'toString', '7'].map((name) =>
        feature(name, daysAgo(1), { project: 'oddly-named' }),
      ),
      feature('constructor', daysAgo(1), {
        project: 'oddly-named',
        environments: { production: { enabled: true } },
      }),
    ],
  });
};

const addRows = async (client: PrismaClient) => {
  await seed(client, {
    environments: {
      QA: { type: 'test', sortOrder: 2 },
      'beta-env': { type: 'test', sortOrder: 2 },
    },
    projects,
    roles: [{ name: 'Custom root', type: 'root-custom' }],
    // Users 1, 2, 4 and 6 are members of project web; its two empty groups count as one more.
    users: [1, 2, 3, 4, 5, 6, 7].map((id) => ({
      id,
      username: `user-${id}`,
      ...(id === 5 && { roles: { '*': 'Member' } }),
    })),
    groups: [
      { name: 'crew', users: [1, 6], roles: { web: 'Member' } },
      { name: 'empty', roles: { web: 'Member' } },
      { name: 'empty too', roles: { web: 'Member' } },
      { name: 'others', users: [7], roles: { default: 'Member' } },
    ],
  });
  await client.$executeRaw`
    insert into release_plan_definitions (id, discriminator, name, created_by_user_id)
    values ('plan', 'plan', 'Plan', 1)`;
  await client.$executeRaw`
    insert into milestones (id, name, sort_order, release_plan_definition_id)
    values ('milestone', 'First', 1, 'plan')`;
  await addFeatures(client);
  // Columns that the gateway must not read.
  await client.$executeRaw`update features set potentially_stale = true where name = 'new'`;
  await client.$executeRaw`update feature_environments set last_seen_at = '2025-01-01'`;
};

type Named = { name: string };

describeWithRows('the health report', addRows, ({ gateway, database }) => {
  const report = async (project: string, token?: string) => {
    const path = `/api/admin/projects/${project}/health-report`;
    const { status, body } = await gateway().rest(path, token === undefined ? {} : { token });
    expect(status).toBe(200);
    return body;
  };
  const featureOf = (body: { features: Named[] }, name: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: parsed JSON that the tests compare.
    body.features.find((feature) => feature.name === name) as any;

  test('has all keys of Unleash, in the same order', async () => {
    const KEYS = [
      'stats',
      'name',
      'description',
      'mode',
      'featureLimit',
      'featureNaming',
      'defaultStickiness',
      'health',
      'technicalDebt',
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

  test('returns the stored settings and statistics of a project', async () => {
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
      technicalDebt: 58,
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

  test('returns defaults for a project without settings and statistics', async () => {
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
      technicalDebt: 0,
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

  test('is available for archived projects', async () => {
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

  test('counts stale, active and potentially stale features', async () => {
    expect(await report('web')).toMatchObject({
      staleCount: 1,
      activeCount: 9,
      // just-old, old and stale-unknown; the column potentially_stale is ignored.
      potentiallyStaleCount: 3,
    });
  });

  test('counts members by their roles in this project, and empty groups once', async () => {
    expect((await report('web')).members).toBe(5);
    expect((await report('gone')).members).toBe(1);
    expect((await report('default')).members).toBe(1);
  });

  test('lists environments in order, with the default strategy only if there is one', async () => {
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

  describe('features', () => {
    test('have their properties, including nulls', async () => {
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

    test('have the latest last-seen timestamp of their own environments', async () => {
      const body = await report('web');
      expect(featureOf(body, 'new').lastSeenAt).toBe('2024-03-05T00:00:00.000Z');
      expect(featureOf(body, 'old').lastSeenAt).toBe('2024-02-02T00:00:00.000Z');
      expect(featureOf(body, 'just-old').lastSeenAt).toBeNull();
    });

    test('omit the key tags when there are none', async () => {
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

    test('list environments by sort order, then by name regardless of case', async () => {
      const body = await report('web');
      const environments = featureOf(body, 'new').environments.map(
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
      expect(environments).toEqual([
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

    test('list strategies in order, where those of a release plan only count', async () => {
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

  test('accepts names with a meaning in JavaScript', async () => {
    const { features, activeCount } = await report('oddly-named');
    const names = features.map(({ name }: Named) => name).sort();
    expect(names).toEqual(['7', '__proto__', 'constructor', 'toString']);
    expect(activeCount).toBe(4);
    expect(featureOf({ features }, 'constructor').environments).toHaveLength(1);
    expect(featureOf({ features }, '__proto__').environments).toEqual([]);
  });

  test('returns the favorites of the caller only', async () => {
    const favorites = async (token?: string) => {
      const body = await report('web', token);
      const favorite = body.features.filter((feature: { favorite: boolean }) => feature.favorite);
      return [body.favorite, favorite.map(({ name }: Named) => name)];
    };
    expect(await favorites('user:token-of-1')).toEqual([true, ['new']]);
    expect(await favorites('user:token-of-2')).toEqual([false, []]);
    expect(await favorites()).toEqual([false, []]);
  });

  test('matches the graph, both projectHealthReport and project', async () => {
    const FACTS = `name description mode defaultStickiness featureLimit favorite members createdAt updatedAt
      featureNaming { pattern example description }
      environments { environment { name } defaultStrategy { name parameters } changeRequestsEnabled }
      stats { avgTimeToProdCurrentWindow createdCurrentWindow createdPastWindow archivedCurrentWindow
        archivedPastWindow projectActivityCurrentWindow projectActivityPastWindow projectMembersAddedCurrentWindow }`;
    const FEATURE = `name type description createdAt stale impressionData lastSeenAt favorite archived enabled
      tags { value type }
      environments { enabled variantCount lastSeenAt hasStrategies hasEnabledStrategies
        environment { name type sortOrder } strategies { id milestone { id } } variants { name } }`;
    const query = `query ($id: String!) {
      projectHealthReport(projectId: $id) { ${FACTS} version health technicalDebt activeCount staleCount potentiallyStaleCount
        features { ${FEATURE} } }
      project(id: $id) { ${FACTS} health { score technicalDebt activeCount staleCount potentiallyStaleCount }
        features(first: 100) { totalCount nodes { ${FEATURE} } } }
    }`;
    const PLANNED = { id: 'planned', milestone: { id: 'milestone' } };
    for (const id of ['web', 'gone', 'oddly-named', 'default']) {
      const token = 'user:token-of-1';
      const rest = await report(id, token);
      const { data, errors } = await gateway().graphql(query, { id }, { token });
      expect(errors).toBeUndefined();
      const {
        features,
        version,
        health,
        technicalDebt,
        activeCount,
        staleCount,
        potentiallyStaleCount,
        ...fields
      } = data.projectHealthReport;

      expect(fields).toEqual({
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
      expect({ version, health, technicalDebt, ...counts }).toEqual({
        version: rest.version,
        health: rest.health,
        technicalDebt: rest.technicalDebt,
        activeCount: rest.activeCount,
        staleCount: rest.staleCount,
        potentiallyStaleCount: rest.potentiallyStaleCount,
      });
      expect(features).toEqual(
        // biome-ignore lint/suspicious/noExplicitAny: parsed JSON that is mapped to the shape of GraphQL.
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
            strategies: [
              ...row.strategies.map(({ id }: { id: string }) => ({ id, milestone: null })),
              // REST leaves out strategies of release plans, as Unleash does.
              ...(feature.name === 'old' && row.name === 'production' ? [PLANNED] : []),
            ],
            variants: row.variants.map((variant: Named) => ({ name: variant.name })),
          })),
        })),
      );

      const { health: projectHealth, features: connection, ...projectFacts } = data.project;
      expect(projectFacts).toEqual(fields);
      expect(projectHealth).toEqual({ score: health, technicalDebt, ...counts });
      expect(connection).toEqual({ totalCount: features.length, nodes: features });
    }
  });

  test('reads a column that replaced another one', async () => {
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
    test('and reports it in its headers, on errors too', async () => {
      for (const project of ['web', 'nowhere']) {
        const { headers } = await gateway().rest(`/api/admin/projects/${project}/health-report`);
        expect(headers.get('deprecation')).toMatch(/^@\d+$/);
        expect(headers.get('sunset')).toBeNull();
        expect(headers.get('link')).toContain('</graphql>; rel="successor-version"');
        expect(headers.get('link')).toContain('</api/admin/openapi.json>; rel="deprecation"');
      }
    });

    test('and reports its sunset date when set, below the base path', async () => {
      const settings = { HEALTH_REPORT_SUNSET: '2030-06-30', BASE_PATH: '/flags' };
      const withSunset = await startGateway(database(), settings);
      const { status, headers } = await withSunset.rest('/api/admin/projects/web/health-report');
      await withSunset.stop();
      expect(status).toBe(200);
      expect(headers.get('sunset')).toBe('Sun, 30 Jun 2030 00:00:00 GMT');
      expect(headers.get('link')).toContain('</flags/graphql>');
    });

    test('while other paths are not', async () => {
      const { headers } = await gateway().rest('/api/admin/search/events');
      expect(headers.get('deprecation')).toBeNull();
      expect(headers.get('link')).not.toContain('rel="deprecation"');
    });
  });
});
