import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { type AttachedGateway, attachGateway } from '../../testkit/attached-gateway.js';
import { addPrivateWorld, PRIVATE_TOKENS } from '../../testkit/private-world.js';
import { seed } from '../../testkit/seed.js';
import { addAdminToken, describeWithRows } from '../../testkit/seeded.js';

const MANY = 12;
const COPIES = Array.from({ length: MANY }, (_, index) => `copy-${index}`);

/** A plan of two milestones, of which the second one has started. */
const addPlan = async (client: PrismaClient, featureName: string) => {
  await client.releasePlan.create({
    data: {
      id: `plan-of-${featureName}`,
      discriminator: 'plan',
      name: 'Careful',
      description: 'Step by step',
      featureName,
      environmentName: 'production',
      createdByUserId: 25,
      createdAt: new Date('2026-01-02T03:04:05Z'),
    },
  });
  await client.milestone.createMany({
    data: ['first', 'second'].map((name, sortOrder) => ({
      id: `${name}-of-${featureName}`,
      name,
      sortOrder,
      releasePlanId: `plan-of-${featureName}`,
    })),
  });
  await client.releasePlan.update({
    where: { id: `plan-of-${featureName}` },
    data: { activeMilestoneId: `second-of-${featureName}` },
  });
  await client.strategy.create({
    data: {
      id: `planned-for-${featureName}`,
      featureName,
      projectId: 'open',
      environmentName: 'production',
      name: 'flexibleRollout',
      milestoneId: `second-of-${featureName}`,
    },
  });
};

const addRequest = async (
  client: PrismaClient,
  id: number,
  state: string,
  more: { features?: string[]; projectId?: string; title?: string; approvals?: number[] } = {},
) => {
  const { features = ['open-one'], projectId = 'open', title = null, approvals = [] } = more;
  await client.changeRequest.create({
    data: {
      id,
      state,
      projectId,
      title,
      environmentName: 'production',
      createdByUserId: 25,
      createdAt: new Date('2026-02-02T00:00:00Z'),
      requiredApprovalCount: 3,
    },
  });
  for (const feature of features) {
    // Two changes of the same feature are one change request.
    for (const action of ['updateEnabled', 'addStrategy']) {
      await client.$executeRaw`insert into change_request_events (feature, action, created_by, change_request_id)
        values (${feature}, ${action}, 25, ${id})`;
    }
  }
  for (const person of approvals) {
    await client.$executeRaw`insert into change_request_approvals (change_request_id, created_by)
      values (${id}, ${person})`;
  }
};

const addRows = async (client: PrismaClient) => {
  await addPrivateWorld(client);
  await seed(client, {
    features: COPIES.map((name) => ({
      name,
      project: 'open',
      environments: { production: {}, development: {} },
    })),
  });
  await addPlan(client, 'open-one');
  for (const name of COPIES) await addPlan(client, name);
  await addRequest(client, 1, 'In review', {
    title: 'Turn it on',
    features: ['open-one', ...COPIES],
    approvals: [22, 23],
  });
  await addRequest(client, 2, 'Applied');
  await addRequest(client, 3, 'Cancelled');
  await addRequest(client, 4, 'Rejected');
  await addRequest(client, 5, 'Draft');
  await addRequest(client, 6, 'Scheduled');
  await addRequest(client, 7, 'Approved', { projectId: 'vault' });
  await addRequest(client, 8, 'Paused');
  await addRequest(client, 9, 'In review', { features: ['open-plain'] });
};

const PLAN = `id name description createdAt milestones { id name sortOrder active }
  activeMilestone { name releasePlan { id } }`;
const QUERY = `query ($name: String!) { feature(name: $name) {
  changeRequests { id title state stateName projectId project { id } environmentName environment { name }
    createdAt createdByUserId createdByUser { name } approvalCount requiredApprovalCount }
  environments { environment { name } releasePlans { ${PLAN} }
    strategies { id milestone { id name active releasePlan { name } } } }
} }`;

describeWithRows('planned changes of a feature', addRows, ({ gateway, statementsOf }) => {
  const planned = async (name: string, token?: string) => {
    const { data, errors } = await gateway().graphql(QUERY, { name }, token ? { token } : {});
    expect(errors).toBeUndefined();
    return data.feature;
  };
  const idsFor = async (token?: string) =>
    (await planned('open-one', token)).changeRequests.map(({ id }: { id: number }) => id);

  test('include the release plan, and which strategies it added', async () => {
    const [production] = (await planned('open-one')).environments;
    expect(production.releasePlans).toEqual([
      {
        id: 'plan-of-open-one',
        name: 'Careful',
        description: 'Step by step',
        createdAt: '2026-01-02T03:04:05.000Z',
        milestones: [
          { id: 'first-of-open-one', name: 'first', sortOrder: 0, active: false },
          { id: 'second-of-open-one', name: 'second', sortOrder: 1, active: true },
        ],
        activeMilestone: { name: 'second', releasePlan: { id: 'plan-of-open-one' } },
      },
    ]);
    expect(production.strategies).toEqual(
      expect.arrayContaining([
        { id: 'strategy-1', milestone: null },
        {
          id: 'planned-for-open-one',
          milestone: {
            id: 'second-of-open-one',
            name: 'second',
            active: true,
            releasePlan: { name: 'Careful' },
          },
        },
      ]),
    );
    const other = (await planned('copy-1')).environments.find(
      (row: { environment: { name: string } }) => row.environment.name === 'development',
    );
    expect(other).toMatchObject({ releasePlans: [], strategies: [] });
  });

  test('include open change requests, newest first', async () => {
    const { changeRequests } = await planned('open-one');
    expect(
      changeRequests.map(({ id, state }: { id: number; state: string }) => [id, state]),
    ).toEqual([
      [8, 'OTHER'],
      [7, 'APPROVED'],
      [6, 'SCHEDULED'],
      [1, 'IN_REVIEW'],
    ]);
    expect(changeRequests.at(-1)).toEqual({
      id: 1,
      title: 'Turn it on',
      state: 'IN_REVIEW',
      stateName: 'In review',
      projectId: 'open',
      project: { id: 'open' },
      environmentName: 'production',
      environment: { name: 'production' },
      createdAt: '2026-02-02T00:00:00.000Z',
      createdByUserId: 25,
      createdByUser: { name: 'person-25' },
      approvalCount: 2,
      requiredApprovalCount: 3,
    });
  });

  test('hide drafts of others, and change requests of projects that the viewer may not see', async () => {
    expect(await idsFor(PRIVATE_TOKENS.editor)).toEqual([8, 7, 6, 5, 1]);
    expect(await idsFor(PRIVATE_TOKENS.member)).toEqual([8, 7, 6, 1]);
    expect(await idsFor(PRIVATE_TOKENS.viewer)).toEqual([8, 6, 1]);
  });

  test('are read in as many statements for many features as for one', async () => {
    const statementsFor = (first: number) =>
      statementsOf(async () => {
        const { data, errors } = await gateway().graphql(
          `query ($first: Int) { project(id: "open") { features(first: $first) { nodes {
            changeRequests { approvalCount createdByUser { name } }
            environments { releasePlans { ${PLAN} } strategies { milestone { releasePlan { name } } } } } } } }`,
          { first },
        );
        expect(errors).toBeUndefined();
        expect(data.project.features.nodes).toHaveLength(first);
      });
    expect((await statementsFor(MANY)).length).toBe((await statementsFor(2)).length);
  });
});

const DROPPED = [
  'DROP TABLE change_request_approvals',
  'DROP TABLE client_metrics_env_variants_daily, client_metrics_env_daily',
  'DROP TABLE milestones CASCADE',
];

describe('a database without the tables of newer or other editions', () => {
  let attached: AttachedGateway;
  beforeAll(async () => {
    attached = await attachGateway(async (client) => {
      await addAdminToken(client);
      await seed(client, {
        features: [
          { name: 'plain', environments: { production: { strategies: [{ name: 'default' }] } } },
        ],
      });
      for (const statement of DROPPED) await client.$executeRawUnsafe(statement);
    });
  });
  afterAll(() => attached.close());

  test('returns null or empty lists', async () => {
    const { data, errors } = await attached.gateway.graphql(
      `{ feature(name: "plain") { changeRequests { id } environments {
        usage { yes } releasePlans { id } strategies { name milestone { name } } } } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.feature).toEqual({
      changeRequests: [],
      environments: [
        { usage: null, releasePlans: [], strategies: [{ name: 'default', milestone: null }] },
      ],
    });
  });
});
