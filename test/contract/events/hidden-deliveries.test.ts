import { expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { addUser, describeWithRows } from '../../testkit/seeded.js';

const EVENTS = [
  { id: 1, type: 'feature-created', featureName: 'one', project: 'default', data: { n: 1 } },
  { id: 2, type: 'user-created', environment: 'production', project: null, data: { n: 2 } },
  { id: 3, type: 'feature-created', featureName: 'hush', project: 'vault', data: { n: 3 } },
];

/** Has ADMIN through a custom role, so event search does not show events without a project. */
const ADMIN_BY_CUSTOM_ROLE = 'user:token-of-7';
/** The same, plus the root role Viewer, which hides private projects. */
const ADMIN_AND_VIEWER = 'user:token-of-8';

const seed = async (client: PrismaClient) => {
  await client.project.create({ data: { id: 'vault', name: 'Vault' } });
  await client.projectSettings.create({ data: { projectId: 'vault', mode: 'private' } });
  const role = await client.role.create({ data: { name: 'Deputies', type: 'root-custom' } });
  await client.$executeRaw`insert into role_permission (role_id, permission) values (${role.id}, 'ADMIN')`;
  for (const id of [7, 8]) {
    await addUser(client, { id, username: `deputy-${id}` });
    await client.roleUser.create({ data: { userId: id, roleId: role.id, projectId: 'default' } });
  }
  const viewer = await client.role.findFirstOrThrow({ where: { name: 'Viewer' } });
  await client.roleUser.create({ data: { userId: 8, roleId: viewer.id, projectId: 'default' } });

  await client.integration.create({
    data: { id: 1, provider: 'webhook', projects: ['default', 'vault'], events: [] },
  });
  await client.integrationEvent.createMany({
    data: EVENTS.map((event) => ({
      integrationId: 1,
      state: 'failed',
      stateDetails: `Status ${event.id}`,
      event,
      details: { body: JSON.stringify(event) },
    })),
  });
  await client.event.create({ data: { id: 1, type: 'x', createdBy: 'ada', projectId: 'default' } });
};

describeWithRows('lists of deliveries', seed, ({ gateway }) => {
  const runQuery = async (selection: string, token: string, filter: object = {}) => {
    const { data, errors } = await gateway().graphql(
      `query ($filter: IntegrationEventFilter) { integrationEvents(integrationId: 1, filter: $filter) { ${selection} } }`,
      { filter },
      { token },
    );
    expect(errors).toBeUndefined();
    return data.integrationEvents;
  };
  const SELECTION = 'totalCount nodes { nodeId details event { eventId } }';
  const restEvents = async (token: string) => {
    const { body } = await gateway().rest('/api/admin/addons/1/events', { token });
    return body.integrationEvents.map(({ event }: { event: { id: number } }) => event.id);
  };
  const graphEvents = async (token: string) =>
    (await runQuery(SELECTION, token)).nodes.map(
      ({ event }: { event: { eventId: number } }) => event.eventId,
    );

  test('contain every delivery for an ADMIN in both transports, including events without a project', async () => {
    expect(await restEvents(ADMIN_BY_CUSTOM_ROLE)).toEqual([3, 2, 1]);
    expect(await graphEvents(ADMIN_BY_CUSTOM_ROLE)).toEqual([3, 2, 1]);
  });

  test('omit deliveries of projects that the caller may not see in both transports', async () => {
    expect(await restEvents(ADMIN_AND_VIEWER)).toEqual([1]);
    expect(await graphEvents(ADMIN_AND_VIEWER)).toEqual([1]);
    expect((await runQuery('totalCount', ADMIN_AND_VIEWER)).totalCount).toBe(1);
    for (const filter of [
      { featureName: { is: 'hush' } },
      { projectId: { noneOf: ['default'] } },
      { environmentName: { is: 'production' } },
    ]) {
      const hidden = await runQuery('totalCount nodes { id }', ADMIN_AND_VIEWER, filter);
      expect(hidden).toEqual({ totalCount: 0, nodes: [] });
      expect(
        (await runQuery('totalCount', ADMIN_BY_CUSTOM_ROLE, filter)).totalCount,
      ).toBeGreaterThan(0);
    }
  });

  test('hide the same deliveries by node ID, in statistics and in explanations', async () => {
    const { nodes } = await runQuery(SELECTION, ADMIN_BY_CUSTOM_ROLE);
    const { data } = await gateway().graphql(
      `query ($ids: [ID!]!) {
        nodes(ids: $ids) { ... on IntegrationEvent { event { eventId } } }
        integration(id: 1) {
          projectIds
          stats { deliveryCount commonestFailure { stateDetails } }
          hidden: explain(eventId: 3) { wouldBeSent }
          shown: explain(eventId: 1) { reasons { message } }
        }
      }`,
      { ids: nodes.map(({ nodeId }: { nodeId: string }) => nodeId) },
      { token: ADMIN_AND_VIEWER },
    );
    expect(data.nodes).toEqual([null, null, { event: { eventId: 1 } }]);
    expect(data.integration).toMatchObject({
      projectIds: ['default'],
      stats: { deliveryCount: 1, commonestFailure: { stateDetails: 'Status 1' } },
      hidden: null,
    });
    expect(JSON.stringify(data)).not.toContain('vault');
  });
});
