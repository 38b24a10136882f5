import { expect, test } from 'vitest';
import type { PrismaClient } from '../../src/data/db.js';
import { addUser, describeSeededOnBothDatabases } from '../testkit/seeded.js';

const ADMIN_BY_CUSTOM_ROLE = 'user:token-of-7';

const EVENTS = [
  { id: 1, type: 'feature-created', featureName: 'one', project: 'default', data: { n: 1 } },
  { id: 2, type: 'user-created', environment: 'secret', project: null, data: { n: 'hidden' } },
  { id: 3, type: 'role-created', featureName: 'hush', data: { n: 'hidden' } },
];

/** Holds ADMIN by a role of another name, so that event search takes him for no root administrator. */
const seed = async (client: PrismaClient) => {
  await addUser(client, { id: 7, username: 'deputy' });
  const role = await client.role.create({ data: { name: 'Deputies', type: 'root-custom' } });
  await client.$executeRaw`insert into role_permission (role_id, permission) values (${role.id}, 'ADMIN')`;
  await client.roleUser.create({ data: { userId: 7, roleId: role.id, projectId: 'default' } });

  await client.integration.create({ data: { id: 1, provider: 'webhook' } });
  await client.integrationEvent.createMany({
    data: EVENTS.map((event) => ({
      integrationId: 1,
      state: 'failed',
      stateDetails: 'No answer.',
      event,
      details: { body: JSON.stringify(event) },
    })),
  });
};

describeSeededOnBothDatabases(
  'the delivered events of no project, for an ADMIN who is no root administrator',
  seed,
  ({ gateway }) => {
    const ask = async (selection: string, token?: string, filter: object = {}) => {
      const { data, errors } = await gateway().graphql(
        `query ($filter: IntegrationEventFilter) { integrationEvents(integrationId: 1, filter: $filter) { ${selection} } }`,
        { filter },
        token === undefined ? {} : { token },
      );
      expect(errors).toBeUndefined();
      return data.integrationEvents;
    };
    const SHOWN = 'nodes { state details event { id typeName data preData changes { path } } }';

    test('are not shown, nor what was sent of them; the deliveries are', async () => {
      const { nodes } = await ask(SHOWN, ADMIN_BY_CUSTOM_ROLE);
      expect(nodes).toHaveLength(3);
      expect(nodes[0]).toEqual({ state: 'failed', details: {}, event: null });
      expect(nodes[1]).toEqual({ state: 'failed', details: {}, event: null });
      expect(nodes[2].event).toMatchObject({ id: 1, typeName: 'feature-created', data: { n: 1 } });
      expect(nodes[2].details.body).toContain('"n":1');

      const { data } = await gateway().graphql(
        '{ integration(id: 1) { stats { failed lastFailure { details event { data } } } } }',
        {},
        { token: ADMIN_BY_CUSTOM_ROLE },
      );
      expect(data.integration.stats).toEqual({
        failed: 3,
        lastFailure: { details: {}, event: null },
      });
    });

    test('are not shown by the ids of their deliveries either', async () => {
      const { nodes } = await ask('nodes { nodeId }');
      const { data } = await gateway().graphql(
        `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on IntegrationEvent { details event { id } } } }`,
        { ids: nodes.map(({ nodeId }: { nodeId: string }) => nodeId) },
        { token: ADMIN_BY_CUSTOM_ROLE },
      );
      const hidden = { details: {}, event: null };
      expect(data.nodes).toEqual([hidden, hidden, expect.objectContaining({ event: { id: 1 } })]);
    });

    test('are not found by what they tell, nor counted', async () => {
      for (const filter of [
        { eventType: { is: 'USER_CREATED' } },
        { feature: { is: 'hush' } },
        { environment: { is: 'secret' } },
      ]) {
        const found = await ask('totalCount nodes { id }', ADMIN_BY_CUSTOM_ROLE, filter);
        expect(found).toEqual({ totalCount: 0, nodes: [] });
        expect((await ask('totalCount', undefined, filter)).totalCount).toBe(1);
      }
      const named = { feature: { is: 'one' } };
      expect((await ask('totalCount', ADMIN_BY_CUSTOM_ROLE, named)).totalCount).toBe(1);
    });

    test('are shown to root administrators, and by the original path to every ADMIN', async () => {
      const { nodes } = await ask(SHOWN);
      expect(nodes.map(({ event }: { event: { id: number } }) => event.id)).toEqual([3, 2, 1]);
      const { body } = await gateway().rest('/api/admin/addons/1/events', {
        token: ADMIN_BY_CUSTOM_ROLE,
      });
      expect(body.integrationEvents.map(({ event }: { event: unknown }) => event)).toMatchObject(
        EVENTS.toReversed(),
      );
    });
  },
);
