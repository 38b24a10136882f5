import { describe, expect, test } from 'vitest';
import type { FeatureSpec, Seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const at = (day: string) => new Date(`${day}T00:00:00Z`);
const MANY = 25;

const features: FeatureSpec[] = [
  {
    name: 'parent',
    project: 'web',
    type: 'experiment',
    description: 'The 100 % one',
    createdAt: at('2024-01-10'),
    impressionData: true,
    createdByUserId: 1,
    environments: {
      production: {
        variants: [
          {
            name: 'blue',
            weight: 700,
            weightType: 'fix',
            stickiness: 'userId',
            payload: { type: 'json', value: '{"a":1}' },
            overrides: [{ contextName: 'userId', values: ['7', '8'] }],
          },
          { name: 'green', weight: 300, weightType: 'variable' },
        ],
        strategies: [
          { id: 'second', name: 'default', sortOrder: 2, disabled: null },
          {
            id: 'first',
            name: 'flexibleRollout',
            title: 'Gold only',
            sortOrder: 1,
            disabled: true,
            parameters: { rollout: '25', stickiness: 'userId', groupId: 'parent', odd: 7 },
            constraints: [
              {
                contextName: 'tier',
                operator: 'IN',
                values: ['gold', 'silver'],
                inverted: true,
                caseInsensitive: 'true',
              },
              { contextName: 'cart', operator: 'NUM_GTE', value: '25' },
              'not a constraint',
            ],
            variants: [
              { name: 'only', weight: 1000, weightType: 'variable', stickiness: 'default' },
            ],
            segments: [12, 11],
          },
        ],
      },
      development: { enabled: true },
      beta: { variants: 'not a list' },
    },
    lastSeen: { development: at('2024-04-04') },
    stages: {
      initial: at('2024-01-10'),
      live: at('2024-01-20'),
      'pre-live': at('2024-01-15'),
    },
    tags: { team: ['core'], simple: ['red', 'blue'] },
    favoriteOf: [1],
  },
  {
    name: 'child-a',
    project: 'web',
    stale: true,
    createdByUserId: 2,
    environments: { production: {} },
    parents: [{ feature: 'parent', variants: ['blue', 7] }],
    stages: { initial: at('2024-01-11'), 'pre-live': at('2024-01-11') },
    tags: { simple: ['red'] },
    favoriteOf: [2],
  },
  {
    name: 'child-b',
    project: 'web',
    createdByUserId: 99,
    parents: [{ feature: 'parent', enabled: false }],
    stages: { 'odd-stage': null },
  },
  { name: 'resting', project: 'web', archivedAt: at('2024-03-03') },
  { name: 'stray', project: 'no-such-project', type: null, stale: null, impressionData: null },
  { name: 'snake_case', project: 'app', createdByUserId: null, favoriteOf: [1] },
  { name: 'snakeXcase', project: 'app', type: 'kill-switch', createdAt: null },
  ...Array.from({ length: MANY }, (_, index) => ({
    name: `many-${String(index).padStart(2, '0')}`,
    project: 'app',
    ...(index === 0 && { stages: { completed: at('2024-01-01'), live: at('2024-02-01') } }),
  })),
];

const ROWS: Seed = {
  environments: { beta: { type: 'test', sortOrder: 2 } },
  projects: {
    web: {
      name: 'Web shop',
      description: '100 % online',
      createdAt: at('2024-01-01'),
      environments: ['beta'],
      settings: { mode: 'private' },
    },
    app: { name: 'App_One', health: 7, favoriteOf: [1] },
    attic: { name: 'Attic', archivedAt: at('2024-02-02'), settings: { mode: 'open' } },
  },
  segments: [
    {
      id: 11,
      name: 'testers',
      description: 'Ours',
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
    },
    { id: 12, name: 'of-web', project: 'web' },
  ],
  users: [
    { id: 1, name: 'Ada Berg', username: 'ada', email: 'Ada@example.com' },
    { id: 2, username: 'bo' },
    { id: 3, email: 'cy@example.com' },
    { id: 4, imageUrl: 'https://pictures.example/4.png', token: null },
  ],
  features,
  events: [1, 3, 1, -42, null, 4, 2, 99].map((createdByUserId) => ({
    type: 'feature-updated',
    createdBy: 'somebody',
    createdByUserId,
    feature: 'parent',
    project: 'web',
  })),
};

type Named = { name: string };
const namesOf = (nodes: Named[]) => nodes.map(({ name }) => name);

describeWithRows('the graph of features and projects', ROWS, ({ gateway, statementsOf }) => {
  const runQuery = async (
    selection: string,
    variables: Record<string, unknown> = {},
    head = '',
    token?: string,
  ) => {
    const { data, errors } = await gateway().graphql(
      `query ${head} { ${selection} }`,
      variables,
      token === undefined ? {} : { token },
    );
    expect(errors).toBeUndefined();
    return data;
  };
  const feature = async (name: string, selection: string, token?: string) =>
    (await runQuery(`feature(name: "${name}") { ${selection} }`, {}, '', token)).feature;

  describe('a feature', () => {
    test('has its properties, with defaults for null columns', async () => {
      const FACTS = `name type description projectId archived archivedAt stale impressionData createdAt
        project { id }`;
      expect(await feature('parent', FACTS)).toEqual({
        name: 'parent',
        type: 'experiment',
        description: 'The 100 % one',
        projectId: 'web',
        archived: false,
        archivedAt: null,
        stale: false,
        impressionData: true,
        createdAt: '2024-01-10T00:00:00.000Z',
        project: { id: 'web' },
      });
      expect(await feature('resting', FACTS)).toMatchObject({
        archived: true,
        archivedAt: '2024-03-03T00:00:00.000Z',
      });
      expect(await feature('stray', FACTS)).toMatchObject({
        type: null,
        description: null,
        stale: false,
        impressionData: false,
        projectId: 'no-such-project',
        project: null,
      });
      expect((await feature('snakeXcase', FACTS)).createdAt).toBeNull();
      expect(await feature('nothing', FACTS)).toBeNull();
      expect(await feature('PARENT', FACTS)).toBeNull();
    });

    test('is enabled in any environment, or in a named one', async () => {
      const selection = `enabled development: enabled(environmentName: "development")
        production: enabled(environmentName: "production")`;
      expect(await feature('parent', selection)).toEqual({
        enabled: true,
        development: true,
        production: false,
      });
      expect((await feature('child-a', 'enabled')).enabled).toBe(false);
      expect((await feature('snake_case', 'enabled')).enabled).toBe(false);
    });

    test('is disabled in an environment that it lacks, and rejects unknown environments', async () => {
      const IN = `query ($environment: String) {
        feature(name: "child-a") { enabled(environmentName: $environment) }
      }`;
      const existing = await gateway().graphql(IN, { environment: 'beta' });
      expect(existing.data).toEqual({ feature: { enabled: false } });

      const mistyped = await gateway().graphql(IN, { environment: 'prod' });
      expect(mistyped.data.feature).toBeNull();
      expect(mistyped.errors?.[0]).toMatchObject({
        message: expect.stringMatching(
          /^Environment 'prod' does not exist\. Existing environments: [\w, ]*\bbeta, [\w, ]*\.$/,
        ),
        path: ['feature', 'enabled'],
        extensions: { code: 'NOT_FOUND', name: 'NotFoundError' },
      });
    });

    test('takes a constant number of statements for disabled and unknown environments', async () => {
      const statementsFor = (first: number, environment: string) =>
        statementsOf(() =>
          gateway().graphql(
            `query ($first: Int, $environment: String) {
              features(first: $first) { nodes { enabled(environmentName: $environment) } }
            }`,
            { first, environment },
          ),
        );
      const one = await statementsFor(1, 'beta');
      expect(await statementsFor(MANY, 'beta')).toHaveLength(one.length);
      expect(await statementsFor(MANY, 'prod')).toHaveLength(one.length);
    });

    test('is potentially stale when it exceeds the lifetime of its type', async () => {
      const of = async (name: string) => (await feature(name, 'potentiallyStale')).potentiallyStale;
      expect(await of('parent')).toBe(true);
      expect(await of('child-b')).toBe(false);
      expect(await of('child-a')).toBe(false);
      expect(await of('snakeXcase')).toBe(false);
      expect(await of('stray')).toBe(false);
    });

    test('returns its author if known', async () => {
      expect((await feature('parent', 'createdByUser { id name imageUrl }')).createdByUser).toEqual(
        {
          id: 1,
          name: 'Ada Berg',
          imageUrl: expect.stringMatching(/^https:\/\/gravatar\.com\/avatar\/[0-9a-f]{64}/),
        },
      );
      expect((await feature('child-a', 'createdByUser { name }')).createdByUser.name).toBe('bo');
      expect((await feature('child-b', 'createdByUser { name }')).createdByUser).toBeNull();
      expect((await feature('snake_case', 'createdByUser { name }')).createdByUser).toBeNull();
    });

    test('returns its collaborators once each, latest first', async () => {
      const { collaborators } = await feature('parent', 'collaborators { id name imageUrl }');
      expect(collaborators.map(({ id }: { id: number }) => id)).toEqual([2, 4, 1, 3]);
      expect(namesOf(collaborators)).toEqual(['bo', 'User 4', 'Ada Berg', 'cy@example.com']);
      expect(collaborators[1].imageUrl).toBe('https://pictures.example/4.png');
      expect((await feature('child-a', 'collaborators { id }')).collaborators).toEqual([]);
    });

    test('is in the lifecycle stage that it entered last', async () => {
      const SELECTION = 'lifecycle { stage stageName enteredStageAt }';
      expect((await feature('parent', SELECTION)).lifecycle).toEqual({
        stage: 'LIVE',
        stageName: 'live',
        enteredStageAt: '2024-01-20T00:00:00.000Z',
      });
      expect((await feature('many-00', SELECTION)).lifecycle.stage).toBe('LIVE');
      expect((await feature('child-a', SELECTION)).lifecycle.stage).toBe('PRE_LIVE');
      expect((await feature('child-b', SELECTION)).lifecycle).toEqual({
        stage: 'OTHER',
        stageName: 'odd-stage',
        enteredStageAt: null,
      });
      expect((await feature('snake_case', SELECTION)).lifecycle).toBeNull();
    });

    test('returns its parents and its children', async () => {
      const { children, dependencies } = await feature(
        'parent',
        'children { name children { name } } dependencies { featureName }',
      );
      expect(children).toEqual([
        { name: 'child-a', children: [] },
        { name: 'child-b', children: [] },
      ]);
      expect(dependencies).toEqual([]);
      const SELECTION =
        'dependencies { featureName enabled variantNames feature { name children { name } } }';
      expect((await feature('child-a', SELECTION)).dependencies).toEqual([
        {
          featureName: 'parent',
          enabled: true,
          variantNames: ['blue'],
          feature: { name: 'parent', children: [{ name: 'child-a' }, { name: 'child-b' }] },
        },
      ]);
      expect((await feature('child-b', SELECTION)).dependencies[0]).toMatchObject({
        enabled: false,
        variantNames: [],
      });
    });

    test('returns its tags', async () => {
      expect((await feature('parent', 'tags { type value }')).tags).toEqual([
        { type: 'simple', value: 'blue' },
        { type: 'simple', value: 'red' },
        { type: 'team', value: 'core' },
      ]);
      expect((await feature('child-b', 'tags { type }')).tags).toEqual([]);
    });

    test('is a favorite of the caller or not', async () => {
      const of = async (name: string, token?: string) =>
        (await feature(name, 'favorite', token)).favorite;
      expect(await of('parent', 'user:token-of-1')).toBe(true);
      expect(await of('parent', 'user:token-of-2')).toBe(false);
      expect(await of('parent')).toBe(false);
    });

    test('returns its environments in order, with variants and last-seen timestamps', async () => {
      const { environments, lastSeenAt, variants } = await feature(
        'parent',
        `lastSeenAt variants { name } environments { featureName enabled variantCount lastSeenAt
          environment { name type sortOrder enabled } variants { name weight weightType stickiness
            payload { type value } overrides { contextName values } } }`,
      );
      expect(lastSeenAt).toBe('2024-04-04T00:00:00.000Z');
      expect(variants).toEqual([{ name: 'blue' }, { name: 'green' }]);
      const names = environments.map(({ environment }: { environment: Named }) => environment.name);
      expect(names).toEqual(['beta', 'development', 'production']);
      expect(environments[0]).toMatchObject({
        featureName: 'parent',
        enabled: false,
        variantCount: 0,
        variants: [],
        lastSeenAt: null,
        environment: { type: 'test', sortOrder: 2, enabled: true },
      });
      expect(environments[1]).toMatchObject({
        enabled: true,
        lastSeenAt: '2024-04-04T00:00:00.000Z',
      });
      expect(environments[2].variants).toEqual([
        {
          name: 'blue',
          weight: 700,
          weightType: 'fix',
          stickiness: 'userId',
          payload: { type: 'json', value: '{"a":1}' },
          overrides: [{ contextName: 'userId', values: ['7', '8'] }],
        },
        {
          name: 'green',
          weight: 300,
          weightType: 'variable',
          stickiness: null,
          payload: null,
          overrides: [],
        },
      ]);
    });

    test('returns its strategies in order, with constraints, segments and variants', async () => {
      const { environments } = await feature(
        'parent',
        `environments { hasStrategies hasEnabledStrategies strategies { id name title disabled featureName sortOrder
          parameters constraints { contextName operator values value inverted caseInsensitive }
          segments { id name description projectId constraints { contextName } } variants { name weight } } }`,
      );
      expect(environments[0]).toEqual({
        hasStrategies: false,
        hasEnabledStrategies: false,
        strategies: [],
      });
      const { strategies, ...flags } = environments[2];
      expect(flags).toEqual({ hasStrategies: true, hasEnabledStrategies: true });
      expect(strategies[0]).toEqual({
        id: 'first',
        name: 'flexibleRollout',
        title: 'Gold only',
        disabled: true,
        featureName: 'parent',
        sortOrder: 1,
        parameters: { rollout: '25', stickiness: 'userId', groupId: 'parent', odd: 7 },
        constraints: [
          {
            contextName: 'tier',
            operator: 'IN',
            values: ['gold', 'silver'],
            value: null,
            inverted: true,
            caseInsensitive: true,
          },
          {
            contextName: 'cart',
            operator: 'NUM_GTE',
            values: [],
            value: '25',
            inverted: false,
            caseInsensitive: false,
          },
        ],
        segments: [
          {
            id: 11,
            name: 'testers',
            description: 'Ours',
            projectId: null,
            constraints: [{ contextName: 'userId' }],
          },
          { id: 12, name: 'of-web', description: null, projectId: 'web', constraints: [] },
        ],
        variants: [{ name: 'only', weight: 1000 }],
      });
      expect(strategies[1]).toMatchObject({
        id: 'second',
        title: null,
        disabled: false,
        constraints: [],
        segments: [],
        variants: [],
      });
    });

    test('returns its own events', async () => {
      const { events } = await feature(
        'parent',
        'events(first: 3, filter: { createdByUserId: { anyOf: [1, 3] } }) { totalCount nodes { createdByUserId feature { name } } }',
      );
      expect(events).toEqual({
        totalCount: 3,
        nodes: [1, 3, 1].map((createdByUserId) => ({
          createdByUserId,
          feature: { name: 'parent' },
        })),
      });
    });
  });

  describe('features can be filtered by', () => {
    const find = async (filter: object | null, token?: string) => {
      const { features } = await runQuery(
        'features(filter: $filter, first: 1000) { totalCount nodes { name } }',
        { filter },
        '($filter: FeatureFilter)',
        token,
      );
      expect(features.totalCount).toBe(features.nodes.length);
      return namesOf(features.nodes);
    };
    const WITHOUT_MANY = { type: { anyOf: ['experiment', 'kill-switch'] } };
    const ME = 'user:token-of-1';

    test.each<[string, object, string[]]>([
      ['name', { name: { anyOf: ['parent', 'resting', 'nothing'] } }, ['parent']],
      ['project', { projectId: { is: 'web' } }, ['child-a', 'child-b', 'parent']],
      ['type', WITHOUT_MANY, ['parent', 'snakeXcase']],
      ['text in the name', { text: 'CHILD' }, ['child-a', 'child-b']],
      ['text in the description', { text: 'the 100 %' }, ['parent']],
      ['text without wildcards', { text: 'e_c' }, ['snake_case']],
      ['text that is only a wildcard', { text: '%' }, ['parent']],
      ['a backslash', { text: '\\' }, []],
      ['the archive', { archived: true }, ['resting']],
      [
        'both sides of the archive',
        { archived: null, projectId: { is: 'web' } },
        ['child-a', 'child-b', 'parent', 'resting'],
      ],
      ['being stale', { stale: true }, ['child-a']],
      [
        'not being stale, unknown included',
        { stale: false, type: { anyOf: ['experiment'] } },
        ['parent'],
      ],
      ['one tag', { tag: { type: 'simple', value: 'red' } }, ['child-a', 'parent']],
      ['a tag of another kind', { tag: { type: 'team', value: 'red' } }, []],
      ['several conditions', { tag: { type: 'simple', value: 'red' }, stale: false }, ['parent']],
      ['an empty list', { name: { anyOf: [] } }, []],
    ])('%s', async (_title, filter, names) => {
      expect(await find(filter)).toEqual(names);
    });

    test('favorites of the caller', async () => {
      expect(await find({ favorite: true }, ME)).toEqual(['parent', 'snake_case']);
      expect(await find({ favorite: true })).toEqual([]);
      expect(await find({ favorite: false, projectId: { is: 'web' } }, ME)).toEqual([
        'child-a',
        'child-b',
      ]);
    });

    test('nothing, which returns every unarchived one', async () => {
      const all = await find(null);
      expect(all).toHaveLength(6 + MANY);
      expect(all).toContain('stray');
      expect(await find({})).toEqual(all);
      expect(await find({ stale: false })).toContain('stray');
    });
  });

  test('features are paged in both directions, across projects and in one project', async () => {
    const walk = async (place: 'all' | 'project', size: number, backward: boolean) => {
      const names: string[] = [];
      let cursor: string | null = null;
      for (;;) {
        const range = backward ? 'last: $size, before: $cursor' : 'first: $size, after: $cursor';
        const list = `features(${range}) { nodes { name } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }`;
        const data = await runQuery(
          place === 'all' ? list : `project(id: "app") { ${list} }`,
          { size, cursor },
          '($size: Int, $cursor: String)',
        );
        const { nodes, pageInfo } = place === 'all' ? data.features : data.project.features;
        if (backward) names.unshift(...namesOf(nodes));
        else names.push(...namesOf(nodes));
        if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return names;
        cursor = backward ? pageInfo.startCursor : pageInfo.endCursor;
      }
    };
    for (const [place, count] of [
      ['all', 6 + MANY],
      ['project', 2 + MANY],
    ] as const) {
      const forwards = await walk(place, 4, false);
      expect(new Set(forwards).size).toBe(count);
      expect(forwards).toHaveLength(count);
      expect(await walk(place, 7, true)).toEqual(forwards);
      expect(await walk(place, count, false)).toEqual(forwards);
    }
  });

  describe('a project', () => {
    test('has its properties, archived or not', async () => {
      const FACTS =
        'id name description archived archivedAt createdAt mode health { score } members favorite';
      const { web, attic, nothing } = await runQuery(
        `web: project(id: "web") { ${FACTS} } attic: project(id: "attic") { ${FACTS} } nothing: project(id: "Web") { id }`,
      );
      expect(web).toEqual({
        id: 'web',
        name: 'Web shop',
        description: '100 % online',
        archived: false,
        archivedAt: null,
        createdAt: '2024-01-01T00:00:00.000Z',
        mode: 'PRIVATE',
        health: { score: 100 },
        members: 0,
        favorite: false,
      });
      expect(attic).toMatchObject({ archived: true, archivedAt: '2024-02-02T00:00:00.000Z' });
      expect(nothing).toBeNull();
    });

    test('returns its own features, events and environments', async () => {
      const { project } = await runQuery(`project(id: "web") {
        environments { environment { name } changeRequestsEnabled defaultStrategy { name } }
        features { totalCount nodes { name projectId } }
        archived: features(filter: { archived: true }) { nodes { name } }
        others: features(filter: { projectId: { is: "app" } }) { totalCount nodes { name } }
        events(first: 2) { totalCount nodes { projectId featureName } } }`);
      expect(project.environments).toEqual([
        { environment: { name: 'beta' }, changeRequestsEnabled: false, defaultStrategy: null },
      ]);
      expect(project.features.totalCount).toBe(3);
      expect(namesOf(project.features.nodes)).toEqual(['child-a', 'child-b', 'parent']);
      expect(project.archived.nodes).toEqual([{ name: 'resting' }]);
      expect(project.others).toEqual({ totalCount: 0, nodes: [] });
      expect(project.events.totalCount).toBe(8);
      expect(project.events.nodes[0]).toEqual({ projectId: 'web', featureName: 'parent' });
    });
  });

  describe('projects can be filtered by', () => {
    const find = async (filter: object | null, token?: string) => {
      const { projects } = await runQuery(
        'projects(filter: $filter) { totalCount nodes { id } }',
        { filter },
        '($filter: ProjectFilter)',
        token,
      );
      expect(projects.totalCount).toBe(projects.nodes.length);
      return projects.nodes.map(({ id }: { id: string }) => id);
    };

    test.each<[string, object | null, string[]]>([
      ['nothing, which returns every unarchived one', null, ['app', 'default', 'web']],
      ['id', { id: { anyOf: ['web', 'attic'] } }, ['web']],
      ['text in the name', { text: 'SHOP' }, ['web']],
      ['text in the id', { text: 'aPp' }, ['app']],
      ['text in the description', { text: '100 %' }, ['web']],
      ['text without wildcards', { text: 'p_o' }, ['app']],
      ['the archive', { archived: true }, ['attic']],
      ['both sides of the archive', { archived: null }, ['app', 'attic', 'default', 'web']],
      ['mode', { mode: 'PRIVATE' }, ['web']],
      [
        'mode open, which a project without settings has',
        { mode: 'OPEN', archived: null },
        ['app', 'attic', 'default'],
      ],
      ['mode protected', { mode: 'PROTECTED' }, []],
    ])('%s', async (_title, filter, ids) => {
      expect(await find(filter)).toEqual(ids);
    });

    test('favorites of the caller', async () => {
      expect(await find({ favorite: true }, 'user:token-of-1')).toEqual(['app']);
      expect(await find({ favorite: false }, 'user:token-of-1')).toEqual(['default', 'web']);
      expect(await find({ favorite: true })).toEqual([]);
    });

    test('nothing, with pages', async () => {
      const { projects } = await runQuery(
        'projects(first: 2) { nodes { id } pageInfo { endCursor hasNextPage } }',
      );
      expect(projects.pageInfo.hasNextPage).toBe(true);
      const rest = await runQuery(
        'projects(after: $cursor) { nodes { id } pageInfo { hasNextPage hasPreviousPage } }',
        { cursor: projects.pageInfo.endCursor },
        '($cursor: String)',
      );
      expect([...projects.nodes, ...rest.projects.nodes]).toEqual([
        { id: 'app' },
        { id: 'default' },
        { id: 'web' },
      ]);
      expect(rest.projects.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
    });
  });
});
