import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { type AttachedGateway, attachGateway } from '../../testkit/attached-gateway.js';
import { addCloneWorld, addFeature } from '../../testkit/clone-world.js';
import { addUser } from '../../testkit/seeded.js';

const ADD_STRATEGY = 'CREATE_FEATURE_STRATEGY';
const SET_VARIANTS = 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS';
const STRATEGIES = [{ name: 'default', disabled: true }];
const VARIANTS = [{ name: 'one', weight: 1000, weightType: 'variable', stickiness: 'default' }];

const SOURCES = {
  bare: {},
  'in-development': { development: { strategies: STRATEGIES } },
  'in-both': { development: { strategies: STRATEGIES }, production: { strategies: STRATEGIES } },
  'variants-in-production': { production: { variants: VARIANTS } },
};

type Grant = [permission: string, environment?: string];

/** Each has CREATE_FEATURE in project shop through its own role, plus these permissions. */
const PEOPLE: Readonly<Record<string, { id: number; grants: readonly Grant[] }>> = {
  'CREATE_FEATURE alone': { id: 201, grants: [] },
  'strategies in development': { id: 202, grants: [[ADD_STRATEGY, 'development']] },
  'strategies in both': {
    id: 203,
    grants: [
      [ADD_STRATEGY, 'development'],
      [ADD_STRATEGY, 'production'],
    ],
  },
  'variants in production': { id: 204, grants: [[SET_VARIANTS, 'production']] },
  'strategies everywhere': { id: 205, grants: [[ADD_STRATEGY]] },
};

const addPeople = async (client: PrismaClient) => {
  for (const [name, { id, grants }] of Object.entries(PEOPLE)) {
    await addUser(client, { id, username: name });
    const role = await client.role.create({ data: { name, type: 'custom' } });
    for (const [permission, environment = null] of [['CREATE_FEATURE'] as Grant, ...grants]) {
      await client.$executeRaw`insert into role_permission (role_id, permission, environment)
        values (${role.id}, ${permission}, ${environment})`;
    }
    await client.roleUser.create({ data: { userId: id, roleId: role.id, projectId: 'shop' } });
  }
};

const fill = async (client: PrismaClient) => {
  await addCloneWorld(client);
  for (const [name, environments] of Object.entries(SOURCES)) {
    await addFeature(client, { name, project: 'shop', environments });
  }
  await addPeople(client);
};

const strategyIn = (environment: string) => [ADD_STRATEGY, environment] as const;
const variantsIn = (environment: string) => [SET_VARIANTS, environment] as const;

/** The first permission that 8.x reports as missing, by caller and source. All other combinations are allowed. */
const MISSING: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  'CREATE_FEATURE alone': {
    'in-development': strategyIn('development'),
    'in-both': strategyIn('development'),
    'variants-in-production': variantsIn('production'),
  },
  'strategies in development': {
    'in-both': strategyIn('production'),
    'variants-in-production': variantsIn('production'),
  },
  'strategies in both': { 'variants-in-production': variantsIn('production') },
  'variants in production': {
    'in-development': strategyIn('development'),
    'in-both': strategyIn('development'),
  },
  'strategies everywhere': { 'variants-in-production': variantsIn('production') },
};

const cases = Object.entries(PEOPLE).flatMap(([caller, { id }]) =>
  Object.keys(SOURCES).map((source) => ({ caller, id, source })),
);

describe.each(['6.6', '6.10', '7.6', '8.2'] as const)('on a database of Unleash %s', (version) => {
  let attached: AttachedGateway;
  beforeAll(async () => {
    attached = await attachGateway(fill, { version });
  });
  afterAll(() => attached.close());

  test.each(cases)('$caller clones $source', async ({ caller, id, source }) => {
    const { gateway, database } = attached;
    const token = `user:token-of-${id}`;
    const name = `copy-of-${source}-by-${id}`;
    const missing = version === '8.2' ? MISSING[caller]?.[source] : undefined;
    const features = await database.client.feature.count();
    const events = await database.client.event.count();
    const plan = await gateway.graphql(
      `query ($source: String!, $name: String!) {
        clonePlan(input: { featureName: $source, newName: $name, targetProjectId: "shop" }) {
          wouldSucceed refusals { name message } } }`,
      { source, name },
      { token },
    );
    const rest = await gateway.rest(`/api/admin/projects/shop/features/${source}/clone`, {
      token,
      body: { name },
    });

    const planned = plan.data.clonePlan;
    expect(planned.wouldSucceed).toBe(missing === undefined);
    if (missing === undefined) return expect(rest.status).toBe(200);
    const [permission, environment] = missing;
    const message = `You need ${permission} in project 'shop' for environment '${environment}'.`;
    expect(planned.refusals[0]).toEqual({ name: 'NoAccessError', message });
    expect(rest.status).toBe(403);
    expect(rest.body).toMatchObject({ name: 'NoAccessError', message, permissions: [permission] });
    expect(await database.client.feature.count()).toBe(features);
    expect(await database.client.event.count()).toBe(events);
  });
});

test('an upgrade of Unleash while the gateway runs applies to the next clone', async () => {
  const attached = await attachGateway(fill);
  try {
    await attached.database.client.$executeRaw`delete from migrations`;
    await attached.database.client
      .$executeRaw`insert into migrations (name) values ('/99990101000000-of-a-later-version')`;
    const { status } = await attached.gateway.rest(
      '/api/admin/projects/shop/features/in-both/clone',
      { token: 'user:token-of-201', body: { name: 'copy-after-upgrade' } },
    );
    expect(status).toBe(403);
  } finally {
    await attached.close();
  }
});
