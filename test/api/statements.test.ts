import { beforeAll, describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../src/data/db.js';
import { addUser, describeSeededOnBothDatabases } from '../testkit/seeded.js';
import { stopClock } from '../testkit/stop-clock.js';

stopClock();

const FEW = 3;
const MANY = 60;

const range = (size: number) => Array.from({ length: size }, (_, index) => index);

/** A project in which every feature has one of everything, and that has as many of everything as features. */
const addProject = async (client: PrismaClient, id: string, size: number) => {
  await client.project.create({ data: { id, name: id } });
  await client.projectSettings.create({ data: { projectId: id } });
  await client.projectStats.create({ data: { projectId: id } });
  await client.projectEnvironment.createMany({
    data: ['development', 'production'].map((environmentName) => ({
      projectId: id,
      environmentName,
    })),
  });
  const names = range(size).map((index) => `${id}-${String(index).padStart(2, '0')}`);
  await client.feature.createMany({
    data: names.map((name, index) => ({
      name,
      projectId: id,
      type: 'release',
      createdByUserId: (index % size) + 1,
    })),
  });
  await client.featureEnvironment.createMany({
    data: names.flatMap((featureName) =>
      ['development', 'production'].map((environmentName) => ({
        featureName,
        environmentName,
        enabled: true,
        variants: [{ name: 'a', weight: 1000 }],
      })),
    ),
  });
  await client.strategy.createMany({
    data: names.map((featureName) => ({
      id: `strategy-of-${featureName}`,
      featureName,
      projectId: id,
      environmentName: 'production',
      name: 'default',
    })),
  });
  await client.strategySegment.createMany({
    data: names.map((name, index) => ({
      strategyId: `strategy-of-${name}`,
      segmentId: (index % size) + 1,
    })),
  });
  const [parent = '', ...children] = names;
  await client.dependency.createMany({
    data: children.map((childName) => ({ parentName: parent, childName })),
  });
  await client.featureTag.createMany({
    data: names.map((featureName) => ({ featureName, type: 'simple', value: 'red' })),
  });
  await client.lifecycleStage.createMany({
    data: names.map((featureName) => ({ featureName, stage: 'initial' })),
  });
  await client.lastSeen.createMany({
    data: names.map((featureName) => ({
      featureName,
      environmentName: 'production',
      lastSeenAt: new Date(),
    })),
  });
  await client.favoriteFeature.createMany({
    data: names.map((featureName) => ({ featureName, userId: 1 })),
  });
  await client.roleUser.createMany({
    data: range(size).map((index) => ({ userId: index + 1, roleId: 5, projectId: id })),
  });
  await client.event.createMany({
    data: names.flatMap((featureName, index) =>
      ['feature-created', 'feature-updated'].map((type) => ({
        type,
        createdBy: 'ada',
        createdByUserId: (index % size) + 1,
        featureName,
        projectId: id,
      })),
    ),
  });
};

const addIntegration = async (client: PrismaClient, id: number, size: number) => {
  await client.integration.create({ data: { id, provider: 'webhook' } });
  await client.integrationEvent.createMany({
    data: range(size).map((index) => ({
      integrationId: id,
      state: 'success',
      stateDetails: '',
      event: { id: index + 1 },
      details: {},
    })),
  });
};

const seed = async (client: PrismaClient) => {
  await addUser(client, { id: 1, username: 'user-1' });
  await client.user.createMany({
    data: range(MANY)
      .slice(1)
      .map((index) => ({ id: index + 1, username: `user-${index + 1}` })),
  });
  await client.segment.createMany({
    data: range(MANY).map((index) => ({ id: index + 1, name: `segment-${index + 1}` })),
  });
  await client.tag.create({ data: { type: 'simple', value: 'red' } });
  await addProject(client, 'few', FEW);
  await addProject(client, 'many', MANY);
  await addIntegration(client, 1, FEW);
  await addIntegration(client, 2, MANY);
};

describeSeededOnBothDatabases(
  'the number of SQL statements',
  seed,
  ({ gateway, database, statementsOf }) => {
    const count = async (work: () => Promise<unknown>) => (await statementsOf(work)).length;

    /** The statements a query costs on the small project and on the large one; rows tells how many it showed. */
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
      const small = await run(few);
      const large = await run(many);
      expect(large.size).toBeGreaterThan(small.size * 5);
      return [small.statements, large.statements];
    };

    const FEATURE = `name type favorite enabled potentiallyStale lastSeenAt tags { value } variants { name }
    createdBy { name } collaborators { name } lifecycle { stage } project { id name }
    children { name favorite } dependencies { feature { name tags { value } } }
    environments { enabled lastSeenAt hasStrategies environment { name } variants { name }
      strategies { name segments { name } } }`;

    test.each<[string, string]>([
      [
        'features of a project with all their fields',
        `query ($id: String!, $n: Int) { project(id: $id) { features(first: $n) { totalCount nodes { ${FEATURE} } } } }`,
      ],
      [
        'features with their events and back again',
        `query ($id: String!, $n: Int) { project(id: $id) { features(first: $n) { nodes {
        events(first: 2) { totalCount nodes { id project { name } feature { name project { id members } } } } } } } }`,
      ],
      [
        'the same list under several names, in fragments',
        `query ($id: String!, $n: Int) { project(id: $id) {
          a: features(first: $n) { nodes { ...one ...two } }
          b: features(first: $n) { edges { node { ...two ... on Feature { first: tags { type } second: tags { value } } } } }
        } }
        fragment one on Feature { environments { strategies { ...three } } x: createdBy { name } }
        fragment two on Feature { environments { hasStrategies } y: createdBy { id } events(first: 1) { nodes { ...four } } }
        fragment three on Strategy { segments { name } more: segments { id } }
        fragment four on Event { feature { name } other: feature { project { name } } }`,
      ],
      [
        'the old health report',
        `query ($id: String!, $n: Int) { projectHealthReport(projectId: $id) { members favorite activeCount potentiallyStaleCount
        stats { createdCurrentWindow } environments { changeRequestsEnabled environment { name } } features { ${FEATURE} } }
        project(id: $id) { features(first: $n) { totalCount } } }`,
      ],
      [
        'events of a project and all around them',
        `query ($id: String!, $n: Int) { events(first: $n, filter: { project: { is: $id } }) { totalCount nodes { id label summary tags { value }
        feature { ${FEATURE} } project { id members health { score activeCount } environments { environment { name } } } } } }`,
      ],
    ])('does not grow with the rows: %s', async (_what, query) => {
      const [few, many] = await compare(
        query,
        { id: 'few', n: FEW },
        { id: 'many', n: MANY },
        'user:token-of-1',
      );
      expect(many).toBe(few);
    });

    test.each([
      `query ($id: Int!) { integrationEvents(integrationId: $id, first: 100) { totalCount nodes { id
      integration { id provider events(first: 1) { totalCount } }
      event { id stored { id feature { name } project { name } } } } } }`,
      `query ($id: Int!) { integration(id: $id) { a: events(first: 100) { nodes { ...delivery } }
      b: events(first: 100) { nodes { id ...delivery } } } }
      fragment delivery on IntegrationEvent { integration { provider } event { stored { id } } }`,
    ])('does not grow with the deliveries of an integration', async (query) => {
      const [few, many] = await compare(query, { id: 1 }, { id: 2 });
      expect(many).toBe(few);
    });

    describe('with one more project after another', () => {
      const QUERY = `query ($ids: [String!], $n: Int) { projects(filter: { id: { anyOf: $ids } }) { totalCount nodes {
      id mode members favorite defaultStickiness featureNaming { pattern } stats { createdPastWindow }
      health { score staleCount potentiallyStaleCount } environments { changeRequestsEnabled environment { name } }
      features(first: $n) { totalCount nodes { name tags { value } events(first: 1) { nodes { id } } } }
      events(first: $n) { totalCount nodes { id feature { name } } } } } }`;

      beforeAll(async () => {
        for (const index of range(8)) await addProject(database().client, `extra-${index}`, 2);
      });

      test('does not grow either', async () => {
        const ids = range(8).map((index) => `extra-${index}`);
        const [few, many] = await compare(QUERY, { ids: ids.slice(0, 1), n: 2 }, { ids, n: 2 });
        expect(many).toBe(few);
      });
    });

    test('does not grow with the rows of the REST paths', async () => {
      const rest = (path: string) =>
        count(async () => {
          const { status } = await gateway().rest(path);
          expect(status).toBe(200);
        });
      const report = (id: string) => rest(`/api/admin/projects/${id}/health-report`);
      expect(await report('many')).toBe(await report('few'));
      const search = (limit: number) => rest(`/api/admin/search/events?limit=${limit}`);
      // The first to ask for a total has it learned.
      await search(1);
      expect(await search(120)).toBe(await search(1));
      const deliveries = (limit: number) => rest(`/api/admin/addons/2/events?limit=${limit}`);
      expect(await deliveries(100)).toBe(await deliveries(1));
    });

    test('is small for the everyday questions', async () => {
      const token = 'user:token-of-1';
      const graphql = (query: string) => count(() => gateway().graphql(query, {}, { token }));
      // Two of each are the token and its grants.
      expect(await graphql('{ viewer { name } }')).toBe(2);
      expect(await graphql('{ events { nodes { id label summary } } }')).toBe(3);
      // The first to ask for a total has it learned.
      expect(await graphql('{ events { totalCount nodes { id } } }')).toBe(6);
      expect(await graphql('{ events { totalCount nodes { id } } }')).toBe(4);
      expect(await graphql('{ feature(name: "few-00") { name } }')).toBe(3);
      expect(await count(() => gateway().rest('/api/admin/search/events', { token }))).toBe(3);
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
          const { status } = await gateway().rest(
            `/api/admin/projects/few/features/${name}/clone`,
            {
              body: { name: `copy-of-${name}` },
            },
          );
          expect(status).toBe(200);
        });
      expect(await clone('many-00')).toBe(await clone('few-00'));
    });
  },
);
