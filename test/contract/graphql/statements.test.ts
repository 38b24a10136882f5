import { beforeAll, describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { type Seed, seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';
import { stopClock } from '../../testkit/stop-clock.js';

stopClock();

const FEW = 3;
const MANY = 60;

const range = (size: number) => Array.from({ length: size }, (_, index) => index);

/** A project of `size` features with one row of every kind per feature. */
const projectOf = (id: string, size: number): Seed => {
  const names = range(size).map((index) => `${id}-${String(index).padStart(2, '0')}`);
  const variants = [{ name: 'a', weight: 1000 }];
  return {
    projects: {
      [id]: {
        environments: ['development', 'production'],
        settings: {},
        stats: {},
        members: { Member: range(size).map((index) => index + 1) },
      },
    },
    features: names.map((name, index) => ({
      name,
      project: id,
      createdByUserId: index + 1,
      environments: {
        development: { enabled: true, variants },
        production: {
          enabled: true,
          variants,
          strategies: [{ id: `strategy-of-${name}`, name: 'default', segments: [index + 1] }],
        },
      },
      parents: index === 0 ? [] : [{ feature: `${id}-00` }],
      tags: { simple: ['red'] },
      stages: { initial: {} },
      lastSeen: { production: new Date() },
      favoriteOf: [1],
    })),
    events: names.flatMap((feature, index) =>
      ['feature-created', 'feature-updated'].map((type) => ({
        type,
        createdByUserId: index + 1,
        feature,
        project: id,
      })),
    ),
  };
};

const deliveries = (size: number) => range(size).map((index) => ({ event: { id: index + 1 } }));

const addRows = async (client: PrismaClient) => {
  await seed(client, {
    users: range(MANY).map((index) => ({
      id: index + 1,
      username: `user-${index + 1}`,
      ...(index > 0 && { token: null }),
    })),
    segments: range(MANY).map((index) => ({ id: index + 1, name: `segment-${index + 1}` })),
    integrations: [
      { id: 1, deliveries: deliveries(FEW) },
      { id: 2, deliveries: deliveries(MANY) },
    ],
  });
  await seed(client, projectOf('few', FEW));
  await seed(client, projectOf('many', MANY));
};

describeWithRows('the number of SQL statements', addRows, ({ gateway, database, statementsOf }) => {
  const count = async (work: () => Promise<unknown>) => (await statementsOf(work)).length;

  /**
   * The number of statements of a query for the small and the large project. Two fields that load the same kind of
   * object share a statement only if their keys arrive together, so unequal numbers are counted again.
   */
  const compare = async (
    query: string,
    few: Record<string, unknown>,
    many: Record<string, unknown>,
    token?: string,
  ) => {
    const run = async (variables: Record<string, unknown>) => {
      let size = 0;
      const statements = await count(async () => {
        const { data, errors } = await gateway().graphql(
          query,
          variables,
          token === undefined ? {} : { token },
        );
        expect(errors).toBeUndefined();
        size = JSON.stringify(data).length;
      });
      return { statements, size };
    };
    for (let attempt = 1; ; attempt += 1) {
      const small = await run(few);
      const large = await run(many);
      expect(large.size).toBeGreaterThan(small.size * 5);
      if (large.statements === small.statements || attempt === 5)
        return [small.statements, large.statements] as const;
    }
  };

  const FEATURE = `name type favorite enabled potentiallyStale lastSeenAt tags { value } variants { name }
    createdByUser { name } collaborators { name } lifecycle { stage } project { id name }
    children { name favorite } dependencies { feature { name tags { value } } }
    environments { enabled lastSeenAt hasStrategies environment { name } variants { name }
      strategies { name segments { name } } }`;

  test.each<[string, string]>([
    [
      'features of a project with all their fields',
      `query ($id: String!, $n: Int) { project(id: $id) { features(first: $n) { totalCount nodes { ${FEATURE} } } } }`,
    ],
    [
      'features with their events and the features of these',
      `query ($id: String!, $n: Int) { project(id: $id) { features(first: $n) { nodes {
        events(first: 2) { totalCount nodes { id project { name } feature { name project { id members } } } } } } } }`,
    ],
    [
      'the same list under several names, in fragments',
      `query ($id: String!, $n: Int) { project(id: $id) {
          a: features(first: $n) { nodes { ...one ...two } }
          b: features(first: $n) { edges { node { ...two ... on Feature { first: tags { type } second: tags { value } } } } }
        } }
        fragment one on Feature { environments { strategies { ...three } } x: createdByUser { name } }
        fragment two on Feature { environments { hasStrategies } y: createdByUser { id } events(first: 1) { nodes { ...four } } }
        fragment three on Strategy { segments { name } more: segments { id } }
        fragment four on Event { feature { name } other: feature { project { name } } }`,
    ],
    [
      'projectHealthReport',
      `query ($id: String!, $n: Int) { projectHealthReport(projectId: $id) { members favorite activeCount potentiallyStaleCount
        stats { createdCurrentWindow } environments { changeRequestsEnabled environment { name } } features { ${FEATURE} } }
        project(id: $id) { features(first: $n) { totalCount } } }`,
    ],
    [
      'events of a project with related objects',
      `query ($id: String!, $n: Int) { events(first: $n, filter: { projectId: { is: $id } }) { totalCount nodes { id label summary tags { value }
        feature { ${FEATURE} } project { id members health { score activeCount } environments { environment { name } } } } } }`,
    ],
  ])('does not increase with the rows: %s', async (_title, query) => {
    const [few, many] = await compare(
      query,
      { id: 'few', n: FEW },
      { id: 'many', n: MANY },
      'user:token-of-1',
    );
    expect(many).toBeLessThanOrEqual(few);
  });

  test.each([
    `query ($id: Int!) { integrationEvents(integrationId: $id, first: 100) { totalCount nodes { id
      integration { id provider deliveries(first: 1) { totalCount } }
      event { eventId stored { id feature { name } project { name } } } } } }`,
    `query ($id: Int!) { integration(id: $id) { a: deliveries(first: 100) { nodes { ...delivery } }
      b: deliveries(first: 100) { nodes { id ...delivery } } } }
      fragment delivery on IntegrationEvent { integration { provider } event { stored { id } } }`,
  ])('does not increase with the deliveries of an integration', async (query) => {
    const [few, many] = await compare(query, { id: 1 }, { id: 2 });
    expect(many).toBeLessThanOrEqual(few);
  });

  describe('for several projects', () => {
    const QUERY = `query ($ids: [String!], $n: Int) { projects(filter: { id: { anyOf: $ids } }) { totalCount nodes {
      id mode members favorite defaultStickiness featureNaming { pattern } stats { createdPastWindow }
      health { score staleCount potentiallyStaleCount } environments { changeRequestsEnabled environment { name } }
      features(first: $n) { totalCount nodes { name tags { value } events(first: 1) { nodes { id } } } }
      events(first: $n) { totalCount nodes { id feature { name } } } } } }`;

    beforeAll(async () => {
      for (const index of range(8)) await seed(database().client, projectOf(`extra-${index}`, 2));
    });

    test('does not increase with their number', async () => {
      const ids = range(8).map((index) => `extra-${index}`);
      const [few, many] = await compare(QUERY, { ids: ids.slice(0, 1), n: 2 }, { ids, n: 2 });
      expect(many).toBe(few);
    });
  });

  test('does not increase with the rows of the REST paths', async () => {
    const rest = (path: string) =>
      count(async () => {
        const { status } = await gateway().rest(path);
        expect(status).toBe(200);
      });
    const report = (id: string) => rest(`/api/admin/projects/${id}/health-report`);
    expect(await report('many')).toBe(await report('few'));
    const search = (limit: number) => rest(`/api/admin/search/events?limit=${limit}`);
    // Warms the cached total.
    await search(1);
    expect(await search(120)).toBe(await search(1));
    const deliveries = (limit: number) => rest(`/api/admin/addons/2/events?limit=${limit}`);
    expect(await deliveries(100)).toBe(await deliveries(1));
  });

  test('is small for common queries', async () => {
    const token = 'user:token-of-1';
    const graphql = (query: string) => count(() => gateway().graphql(query, {}, { token }));
    // One of each reads the token with its permissions.
    expect(await graphql('{ viewer { name } }')).toBe(1);
    expect(await graphql('{ events { nodes { id label summary } } }')).toBe(2);
    // The first total also fills the cache.
    expect(await graphql('{ events { totalCount nodes { id } } }')).toBe(5);
    expect(await graphql('{ events { totalCount nodes { id } } }')).toBe(3);
    expect(await graphql('{ feature(name: "few-00") { name } }')).toBe(2);
    expect(await count(() => gateway().rest('/api/admin/search/events', { token }))).toBe(2);
  });

  test('is the same for a clone of a feature with many strategies', async () => {
    const { client } = database();
    const source = (name: string, size: number) =>
      client.strategy.createMany({
        data: range(size).map((index) => ({
          id: `${name}-${index}`,
          featureName: name,
          projectId: 'few',
          environmentName: 'development',
          name: 'default',
          constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
        })),
      });
    await source('few-00', 1);
    await source('many-00', 20);
    const clone = (name: string) =>
      count(async () => {
        const { status } = await gateway().rest(`/api/admin/projects/few/features/${name}/clone`, {
          body: { name: `copy-of-${name}` },
        });
        expect(status).toBe(200);
      });
    expect(await clone('many-00')).toBe(await clone('few-00'));
  });
});
