import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Seed, tokenOf } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

const toggle = (feature: string, environment: string, days: number, project = 'web') => ({
  type: 'feature-environment-enabled',
  createdBy: 'ada',
  createdByUserId: 1,
  createdAt: daysAgo(days),
  project,
  feature,
  environment,
});

const segmentUse = (id: string, segments: number[]) => ({
  enabled: true,
  strategies: [{ id, name: 'default', segments }],
});

const WORLD: Seed = {
  environments: { staging: { type: 'test', sortOrder: 5 } },
  users: [
    { id: 1, name: 'Ada Lovelace', username: 'ada', email: 'countess@example.com' },
    { id: 2, username: 'plain-user', email: 'plain@example.com' },
    { id: 3, email: 'only-mail@example.com' },
    { id: 4, username: 'sso@example.com' },
    { id: 5, name: 'Deleted', deletedAt: daysAgo(1) },
    { id: 6, name: 'Robot', isService: true },
    { id: 7, name: 'mail@example.com' },
    { id: 9, name: 'Watcher', email: 'watcher@example.com', roles: { default: 'Viewer' } },
  ],
  segments: [
    { id: 1, name: 'shared', description: 'Used 100% everywhere' },
    { id: 2, name: 'hidden-one', project: 'secret' },
    { id: 3, name: 'alone' },
    { id: 4, name: 'alone' },
  ],
  projects: {
    web: { environments: ['development', 'production'] },
    secret: { settings: { mode: 'private' }, environments: ['production'] },
  },
  features: [
    {
      name: 'a-one',
      project: 'web',
      type: 'release',
      stale: true,
      createdAt: daysAgo(100),
      environments: { production: segmentUse('s-a', [1, 3]), development: {} },
    },
    {
      name: 'b-two',
      project: 'web',
      type: 'release',
      createdAt: daysAgo(1),
      environments: { production: segmentUse('s-b', [1]) },
    },
    {
      name: 'c-archived',
      project: 'web',
      stale: true,
      archivedAt: daysAgo(2),
      environments: { production: segmentUse('s-c', [1]) },
    },
    {
      name: 'hidden-feature',
      project: 'secret',
      stale: true,
      environments: { production: segmentUse('s-hidden', [1]) },
    },
  ],
  events: [
    toggle('a-one', 'production', 3),
    toggle('a-one', 'development', 3),
    toggle('b-two', 'production', 2),
    { ...toggle('a-one', 'production', 1), type: 'feature-environment-disabled' },
    { ...toggle('a-one', 'production', 0), createdByUserId: 2 },
    toggle('hidden-feature', 'production', 1, 'secret'),
  ],
  integrations: [
    {
      id: 1,
      deliveries: [
        { event: { id: 1, project: 'web' } },
        { event: { id: 1, project: 'web' }, state: 'failed' },
        { event: { id: '1', project: 'web' } },
        { event: { id: 6, project: 'secret' } },
        { event: 'not an object' },
      ],
    },
    { id: 2, deliveries: [{ event: { id: 1, project: 'web' } }] },
  ],
};

const VIEWER = tokenOf(9);

describeWithRows('edges', WORLD, ({ gateway }) => {
  const ask = async (query: string, token?: string) => {
    const { data, errors } = await gateway().graphql(query, {}, token ? { token } : {});
    expect(errors).toBeUndefined();
    return data;
  };

  describe('Event.deliveries', () => {
    const QUERY = `{ event(id: 1) { deliveries(first: 2) { totalCount totalCountUpTo(max: 2) { count exceeded }
      nodes { integrationId state } pageInfo { hasNextPage endCursor } } } }`;

    test('lists the deliveries to all integrations, newest first', async () => {
      const { event } = await ask(QUERY);
      expect(event.deliveries).toMatchObject({
        totalCount: 3,
        totalCountUpTo: { count: 2, exceeded: true },
        nodes: [{ integrationId: 2 }, { integrationId: 1, state: 'FAILED' }],
        pageInfo: { hasNextPage: true },
      });
      const rest =
        await ask(`{ event(id: 1) { deliveries(after: "${event.deliveries.pageInfo.endCursor}") {
        nodes { integrationId state } pageInfo { hasNextPage } } } }`);
      expect(rest.event.deliveries).toEqual({
        nodes: [{ integrationId: 1, state: 'SUCCESS' }],
        pageInfo: { hasNextPage: false },
      });
    });

    test('is null without ADMIN', async () => {
      expect((await ask(QUERY, VIEWER)).event).toEqual({ deliveries: null });
    });
  });

  test('FeatureEnvironment.events and timeline cover this environment only', async () => {
    const { feature } =
      await ask(`{ feature(name: "a-one") { environments { environmentName feature { name }
      events { totalCount nodes { id } } filtered: events(filter: { type: { is: FEATURE_ENVIRONMENT_DISABLED } }) { totalCount nodes { id } }
      timeline(last: 2) { state startedBy { id } } } } }`);
    expect(feature.environments).toEqual([
      {
        environmentName: 'development',
        feature: { name: 'a-one' },
        events: { totalCount: 1, nodes: [{ id: 2 }] },
        filtered: { totalCount: 0, nodes: [] },
        timeline: expect.any(Array),
      },
      {
        environmentName: 'production',
        feature: { name: 'a-one' },
        events: { totalCount: 3, nodes: [{ id: 5 }, { id: 4 }, { id: 1 }] },
        filtered: { totalCount: 1, nodes: [{ id: 4 }] },
        timeline: [
          { state: 'DISABLED', startedBy: { id: 4 } },
          { state: 'ENABLED', startedBy: { id: 5 } },
        ],
      },
    ]);
  });

  test('FeatureEnvironment.events are found by text, by index or not', async () => {
    const { feature } = await ask(`{ feature(name: "a-one") { environments {
      events(filter: { text: "nowhere" }) { totalCount totalCountUpTo(max: 5) { count } nodes { id } } } } }`);
    expect(feature.environments[0].events).toEqual({
      totalCount: 0,
      totalCountUpTo: { count: 0 },
      nodes: [],
    });
  });

  test('Feature.cleanUpReasons are the reasons of the clean-up list', async () => {
    const { features, cleanUp } = await ask(`{
      features(filter: { archived: null }) { nodes { name cleanUpReasons { kind explanation } } }
      cleanUp { nodes { feature { name } reasons { kind explanation } } } }`);
    const listed = new Map(
      cleanUp.nodes.map((node: { feature: { name: string }; reasons: unknown }) => [
        node.feature.name,
        node.reasons,
      ]),
    );
    expect(listed.size).toBe(2);
    for (const { name, cleanUpReasons } of features.nodes) {
      expect([name, cleanUpReasons]).toEqual([name, listed.get(name) ?? []]);
    }
  });

  test('Feature.activity counts the events of the feature', async () => {
    const { features } = await ask(
      '{ features { nodes { name activity { count byType { typeName count } buckets { count } } } } }',
    );
    const one = features.nodes.find(({ name }: { name: string }) => name === 'a-one');
    expect(one.activity).toMatchObject({
      count: 4,
      byType: [
        { typeName: 'feature-environment-enabled', count: 3 },
        { typeName: 'feature-environment-disabled', count: 1 },
      ],
    });
    expect(one.activity.buckets).toHaveLength(30);
  });

  describe('Segment.strategies', () => {
    const QUERY = `{ segments { nodes { id strategies { totalCount nodes { id featureName feature { name } segmentIds } } } } }`;

    test('lists the strategies that use a segment, by feature', async () => {
      const { segments } = await ask(QUERY);
      const usesOf = (id: number) =>
        segments.nodes.find((node: { id: number }) => node.id === id).strategies;
      expect(usesOf(1).totalCount).toBe(4);
      expect(usesOf(1).nodes.map(({ id }: { id: string }) => id)).toEqual([
        's-a',
        's-b',
        's-c',
        's-hidden',
      ]);
      expect(usesOf(3)).toEqual({
        totalCount: 1,
        nodes: [
          { id: 's-a', featureName: 'a-one', feature: { name: 'a-one' }, segmentIds: [1, 3] },
        ],
      });
      expect(usesOf(4)).toEqual({ totalCount: 0, nodes: [] });
    });

    test('omits strategies of features that a Viewer may not see', async () => {
      const { segments } = await ask(QUERY, VIEWER);
      expect(segments.nodes.map(({ id }: { id: number }) => id)).toEqual([3, 4, 1]);
      expect(segments.nodes[2].strategies.totalCount).toBe(3);
      expect(JSON.stringify(segments)).not.toContain('hidden');
    });

    test('pages in both directions', async () => {
      const page = async (args: string) => {
        const { node } = (
          await ask(`{ segments(search: "shared") { edges { node { strategies(${args}) {
            nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } } } } }`)
        ).segments.edges[0];
        const { nodes, pageInfo } = node.strategies;
        return { ids: nodes.map(({ id }: { id: string }) => id), ...pageInfo };
      };
      const first = await page('first: 3');
      expect(first).toMatchObject({ ids: ['s-a', 's-b', 's-c'], hasNextPage: true });
      expect(await page(`first: 3, after: "${first.endCursor}"`)).toMatchObject({
        ids: ['s-hidden'],
        hasNextPage: false,
      });
      const last = await page('last: 1');
      expect(last).toMatchObject({ ids: ['s-hidden'], hasPreviousPage: true });
      expect((await page(`last: 2, before: "${last.startCursor}"`)).ids).toEqual(['s-b', 's-c']);
    });
  });

  describe('segments', () => {
    const namesFor = async (args: string, token?: string) => {
      const { segments } = await ask(
        `{ segments(${args}) { totalCount nodes { id name } pageInfo { startCursor endCursor } } }`,
        token,
      );
      return segments;
    };

    test('are listed by name, then by ID', async () => {
      const { totalCount, nodes } = await namesFor('first: 10');
      expect(totalCount).toBe(4);
      expect(nodes.map(({ id }: { id: number }) => id)).toEqual([3, 4, 2, 1]);
    });

    test('are paged between equal names', async () => {
      const { pageInfo } = await namesFor('first: 1');
      const { nodes } = await namesFor(`first: 1, after: "${pageInfo.endCursor}"`);
      expect(nodes).toEqual([{ id: 4, name: 'alone' }]);
      const back = await namesFor('last: 3');
      expect((await namesFor(`last: 5, before: "${back.pageInfo.startCursor}"`)).nodes).toEqual([
        { id: 3, name: 'alone' },
      ]);
    });

    test('are found literally in name and description', async () => {
      expect((await namesFor('search: "100%"')).nodes).toEqual([{ id: 1, name: 'shared' }]);
      expect((await namesFor('search: "s%d"')).nodes).toEqual([]);
    });

    test('of hidden projects are absent for a Viewer', async () => {
      expect(JSON.stringify(await namesFor('search: "hidden"', VIEWER))).not.toContain(
        'hidden-one',
      );
      expect((await namesFor('search: "hidden"')).totalCount).toBe(1);
      expect((await namesFor('search: "hidden"', VIEWER)).totalCount).toBe(0);
    });
  });

  describe('environments', () => {
    const QUERY = `{ environments { name features { totalCount nodes { name } }
      archived: features(filter: { archived: true }) { totalCount nodes { name } } } }`;
    const byName = async (token?: string) =>
      new Map<string, { features: unknown; archived: unknown }>(
        (await ask(QUERY, token)).environments.map((environment: { name: string }) => [
          environment.name,
          environment,
        ]),
      );

    test('are listed with their features', async () => {
      const found = await byName();
      expect(found.get('production')).toMatchObject({
        features: {
          totalCount: 3,
          nodes: [{ name: 'a-one' }, { name: 'b-two' }, { name: 'hidden-feature' }],
        },
        archived: { totalCount: 1, nodes: [{ name: 'c-archived' }] },
      });
      expect(found.get('development')).toMatchObject({ features: { nodes: [{ name: 'a-one' }] } });
      expect(found.get('staging')).toMatchObject({ features: { totalCount: 0, nodes: [] } });
    });

    test('omit features that a Viewer may not see', async () => {
      const found = (await byName(VIEWER)).get('production');
      expect(found?.features).toEqual({
        totalCount: 2,
        nodes: [{ name: 'a-one' }, { name: 'b-two' }],
      });
    });

    test('page their features by name', async () => {
      const page = async (args: string) =>
        (
          await ask(
            `{ environments { name features(${args}) { nodes { name } pageInfo { endCursor hasNextPage } } } }`,
          )
        ).environments.find(({ name }: { name: string }) => name === 'production').features;
      const first = await page('first: 2');
      expect(first.pageInfo.hasNextPage).toBe(true);
      const { errors } = await gateway().graphql(
        `{ environments { features(first: 2, after: "${first.pageInfo.endCursor}") { nodes { name } } } }`,
      );
      // The cursor belongs to the list of one environment.
      expect(errors?.[0]?.message).toContain('cursor of another list');
      expect((await page('last: 1')).nodes).toEqual([{ name: 'hidden-feature' }]);
    });
  });

  describe('users', () => {
    const find = async (args: string, token?: string) => {
      const { users } = await ask(
        `{ users(${args}) { totalCount nodes { id name imageUrl } pageInfo { endCursor hasNextPage } } }`,
        token,
      );
      return { ...users, ids: users.nodes.map(({ id }: { id: number }) => id) };
    };

    test('are found by email address or username by administrators', async () => {
      const { ids, nodes, totalCount } = await find('first: 100');
      expect(ids).toEqual([1, 2, 3, 4, 7, 9]);
      expect(totalCount).toBe(6);
      expect(nodes[0]).toMatchObject({ id: 1, name: 'Ada Lovelace' });
      expect(nodes[2]).toMatchObject({ id: 3, name: 'only-mail@example.com' });
      expect((await find('search: "COUNTESS@"')).ids).toEqual([1]);
      expect((await find('search: "plain-user"')).ids).toEqual([2]);
    });

    test('show no email address to other callers', async () => {
      const { ids, nodes } = await find('first: 100', VIEWER);
      expect(ids).toEqual([1, 2, 9]);
      expect(JSON.stringify(nodes)).not.toContain('@');
    });

    test('show a hash of their email address only to administrators and to themselves', async () => {
      const picturesFor = async (token?: string): Promise<Map<number, string>> => {
        const { nodes } = await find('first: 100', token);
        return new Map(
          nodes.map((user: { id: number; imageUrl: string }) => [user.id, user.imageUrl]),
        );
      };
      const full = await picturesFor();
      const seen = await picturesFor(VIEWER);
      const { viewer } = await ask('{ viewer { userId user { imageUrl } } }', VIEWER);
      expect(full.get(1)).toContain(
        createHash('sha256').update('countess@example.com').digest('hex'),
      );
      expect(seen.get(1)).toMatch(/^https:\/\/gravatar\.com\/avatar\/[0-9a-f]{64}\?/);
      expect(seen.get(1)).not.toBe(full.get(1));
      expect(viewer.user.imageUrl).toBe(full.get(viewer.userId));
    });

    test.each(['countess', 'example.com', '@', 'plain', 'sso', 'only-mail'])(
      'are not found by the email address or username %s by other callers',
      async (search) => {
        expect(await find(`search: "${search}"`, VIEWER)).toMatchObject({ ids: [], totalCount: 0 });
      },
    );

    test('are found literally by name', async () => {
      expect((await find('search: "love"', VIEWER)).ids).toEqual([1]);
      expect((await find('search: "a%e"', VIEWER)).ids).toEqual([]);
    });

    test('are paged by ID', async () => {
      const first = await find('first: 2');
      expect(first.pageInfo.hasNextPage).toBe(true);
      expect((await find(`first: 2, after: "${first.pageInfo.endCursor}"`)).ids).toEqual([3, 4]);
      expect((await find('last: 2')).ids).toEqual([7, 9]);
    });

    test('lead to their events', async () => {
      const query = '{ users(search: "ada") { nodes { events { totalCount nodes { id } } } } }';
      const eventsFor = async (token?: string) => (await ask(query, token)).users.nodes[0].events;
      const all = await eventsFor();
      expect(all.totalCount).toBe(5);
      expect(all.nodes.map(({ id }: { id: number }) => id)).toEqual([6, 4, 3, 2, 1]);
      expect((await eventsFor(VIEWER)).totalCount).toBe(4);
      const { users } = await ask(`{ users(search: "ada") { nodes {
        events(first: 1, filter: { type: { is: FEATURE_ENVIRONMENT_DISABLED } }) { totalCount totalCountUpTo(max: 3) { count } nodes { id } } } } }`);
      expect(users.nodes[0].events).toEqual({
        totalCount: 1,
        totalCountUpTo: { count: 1 },
        nodes: [{ id: 4 }],
      });
    });
  });
});
