import type { PrismaClient } from '../../src/data/db.js';
import { addUser } from './seeded.js';

/** All data of the private project contains this word, so that any trace of it can be found in a response. */
export const HIDDEN_WORD = 'vault';

export const PRIVATE_TOKENS = {
  /** Root role Viewer, no membership. */
  viewer: 'user:token-of-21',
  /** Root role Viewer, and a role in the private project. */
  member: 'user:token-of-22',
  /** Root role Viewer, and a group with a role in the private project. */
  groupMember: 'user:token-of-23',
  /** No root role at all. */
  noRole: 'user:token-of-24',
  editor: 'user:token-of-25',
  /** Root role Viewer, and CREATE_FEATURE in every project. */
  creator: 'user:token-of-26',
  /** Root role Viewer, and a group whose root role is Editor. */
  lifted: 'user:token-of-27',
} as const;

const roleId = async (client: PrismaClient, name: string) =>
  (await client.role.findFirstOrThrow({ where: { name } })).id;

const addEvents = async (client: PrismaClient) => {
  const event = (type: string, projectId: string | null, more: object = {}) => ({
    type,
    createdBy: 'ada',
    createdByUserId: 25,
    createdAt: new Date(Date.now() - 3_600_000),
    projectId,
    ...more,
  });
  await client.event.createMany({
    data: [
      event('feature-created', 'open', { featureName: 'open-one', data: { name: 'open-one' } }),
      event('feature-created', 'vault', { featureName: 'vault-one', data: { name: 'vault-one' } }),
      event('feature-environment-enabled', 'vault', {
        featureName: 'vault-one',
        environment: 'production',
      }),
      event('feature-environment-enabled', 'open', {
        featureName: 'open-one',
        environment: 'production',
      }),
      event('project-deleted', 'vault-that-is-gone', { data: { id: 'vault-that-is-gone' } }),
      event('user-created', null, { data: { about: 'vault' } }),
      // The feature was in the private project at that time.
      event('feature-updated', 'vault', { featureName: 'open-one', createdByUserId: 29 }),
    ],
  });
};

const addFeatures = async (client: PrismaClient) => {
  const rows = [
    ['open-one', 'open'],
    ['open-child', 'open'],
    ['open-plain', 'open'],
    ['vault-one', 'vault'],
    ['vault-child', 'vault'],
    ['vault-archived', 'vault'],
  ] as const;
  for (const [name, projectId] of rows) {
    await client.feature.create({
      data: {
        name,
        projectId,
        type: 'release',
        stale: true,
        impressionData: false,
        description: `${projectId} feature`,
        ...(name === 'vault-archived' && { archivedAt: new Date('2026-01-01') }),
      },
    });
  }
  await client.segment.create({
    data: { id: 7, name: 'vault-segment', projectId: 'vault', constraints: [] },
  });
  await client.$executeRaw`insert into dependent_features (parent, child, enabled) values
    ('open-one', 'vault-child', true), ('vault-one', 'open-child', true)`;
  await client.featureEnvironment.create({
    data: { featureName: 'open-one', environmentName: 'production', enabled: true },
  });
  await client.strategy.create({
    data: {
      id: 'strategy-1',
      featureName: 'open-one',
      projectId: 'open',
      environmentName: 'production',
      name: 'default',
    },
  });
  await client.$executeRaw`insert into feature_strategy_segment (feature_strategy_id, segment_id)
    values ('strategy-1', 7)`;
};

/** An open project and a private one, with users that may and may not see it. */
export const addPrivateWorld = async (client: PrismaClient): Promise<void> => {
  await client.project.createMany({
    data: [
      { id: 'open', name: 'Open' },
      { id: 'vault', name: 'The vault', description: 'Nothing to see' },
    ],
  });
  await client.projectSettings.create({ data: { projectId: 'vault', mode: 'private' } });

  const people = [21, 22, 23, 24, 25, 26, 27, 29];
  for (const id of people) await addUser(client, { id, username: `person-${id}` });
  await client.user.update({
    where: { id: 29 },
    data: { username: 'vault-keeper', name: 'vault' },
  });
  const viewer = await roleId(client, 'Viewer');
  const editor = await roleId(client, 'Editor');
  const member = await roleId(client, 'Member');
  const creator = await client.role.create({ data: { name: 'Creators', type: 'custom' } });
  await client.$executeRaw`insert into role_permission (role_id, permission)
    values (${creator.id}, 'CREATE_FEATURE')`;
  const hold = (userId: number, roleId: number, projectId: string) =>
    client.roleUser.create({ data: { userId, roleId, projectId } });
  for (const id of [21, 22, 23, 26, 27]) await hold(id, viewer, 'default');
  await hold(22, member, 'vault');
  await hold(25, editor, 'default');
  await hold(26, creator.id, '*');

  const keepers = await client.group.create({ data: { name: 'Keepers' } });
  const editors = await client.group.create({ data: { name: 'Editors', rootRoleId: editor } });
  await client.groupUser.create({ data: { groupId: keepers.id, userId: 23 } });
  await client.groupRole.create({
    data: { groupId: keepers.id, roleId: member, projectId: 'vault' },
  });
  await client.groupUser.create({ data: { groupId: editors.id, userId: 27 } });

  await addFeatures(client);
  await addEvents(client);
};
