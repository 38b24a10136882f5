import { beforeAll, describe, expect, test } from 'vitest';
import { PROJECT_PERMISSIONS } from '../../../src/domain/projects/project-permissions.js';
import { describeWithCloneWorld } from '../../testkit/clone-world.js';
import { seed } from '../../testkit/seed.js';

const ROLES = { creator: 501, everything: 502, creatorEverywhere: 503, inDevelopment: 504 };

/** Each caller holds its permissions in another way. */
const CALLERS = {
  'an admin token': undefined,
  'a root administrator': 'user:can-admin',
  'an editor': 'user:can-editor',
  'a viewer': 'user:can-viewer',
  'a user without a role': 'user:can-none',
  'a member of a project': 'user:can-member',
  'a user with a custom project role': 'user:can-custom',
  'a member of a group with a project role': 'user:can-group',
  'a member of a group with a root role': 'user:can-root-group',
  'a user with a custom root role': 'user:can-root',
  'a user with a role in all projects': 'user:can-star',
  'a service account': 'user:can-service',
  'a user with a role in one environment': 'user:can-environment',
} as const;

const FIELDS: Readonly<Record<string, string>> = {
  CREATE_FEATURE: 'createFeature',
  UPDATE_FEATURE: 'updateFeature',
  DELETE_FEATURE: 'deleteFeature',
  MOVE_FEATURE_TOGGLE: 'moveFeature',
  UPDATE_FEATURE_DEPENDENCY: 'updateDependencies',
  UPDATE_PROJECT: 'updateProject',
  DELETE_PROJECT: 'deleteProject',
  UPDATE_PROJECT_SEGMENT: 'updateSegments',
  PROJECT_SETTINGS_WRITE: 'updateSettings',
  PROJECT_USER_ACCESS_WRITE: 'updateAccess',
};

describeWithCloneWorld('what the viewer may do', ({ gateway, db }) => {
  beforeAll(async () => {
    const run = (sql: string) => db().$executeRawUnsafe(sql);
    await run(`insert into roles (id, name, description, type) values
      (${ROLES.creator}, 'Creator', '', 'custom'), (${ROLES.everything}, 'Everything', '', 'custom'),
      (${ROLES.creatorEverywhere}, 'Root creator', '', 'root-custom'),
      (${ROLES.inDevelopment}, 'Developer', '', 'custom')`);
    await run(`insert into role_permission (role_id, permission, environment) values
      (${ROLES.creator}, 'CREATE_FEATURE', null), (${ROLES.creator}, 'DELETE_FEATURE', null),
      (${ROLES.creatorEverywhere}, 'CREATE_FEATURE', null),
      (${ROLES.inDevelopment}, 'UPDATE_FEATURE_ENVIRONMENT', 'development')`);
    await run(`insert into role_permission (role_id, permission)
      select ${ROLES.everything}, permission from permissions where type = 'project'`);
    const user = (id: number, name: string, more: object = {}) => ({
      id,
      name,
      username: name,
      token: `user:can-${name}`,
      ...more,
    });
    await seed(db(), {
      users: [
        user(601, 'admin', { roles: { default: 'Admin' } }),
        user(602, 'editor', { roles: { default: 'Editor' } }),
        user(603, 'viewer', { roles: { default: 'Viewer' } }),
        user(604, 'none'),
        user(605, 'member', { roles: { shop: 'Member' } }),
        user(606, 'custom'),
        user(607, 'group'),
        user(608, 'root-group'),
        user(609, 'root'),
        user(610, 'star'),
        user(611, 'service', { roles: { bare: 'Owner' } }),
        user(612, 'environment'),
      ],
    });
    await run(`update users set is_service = true where id = 611`);
    await run(`insert into role_user (role_id, user_id, project) values
      (${ROLES.creator}, 606, 'plaza'), (${ROLES.creatorEverywhere}, 609, 'default'),
      (${ROLES.everything}, 610, '*'), (${ROLES.inDevelopment}, 612, 'shop')`);
    await run(`insert into groups (id, name, root_role_id) values
      (701, 'Creators', null), (702, 'Admins', (select id from roles where name = 'Admin'))`);
    await run(`insert into group_user (group_id, user_id) values (701, 607), (702, 608)`);
    await run(`insert into group_role (group_id, role_id, project) values
      (701, ${ROLES.creator}, 'plaza'), (701, ${ROLES.creator}, 'bare')`);
  });

  const optionsOf = (caller: string) => {
    const token = CALLERS[caller as keyof typeof CALLERS];
    return token === undefined ? {} : { token };
  };
  const query = async (caller: string, text: string) => {
    const { data, errors } = await gateway().graphql(text, {}, optionsOf(caller));
    expect(errors).toBeUndefined();
    return data;
  };

  type Node = { id: string; viewerCan: Record<string, boolean> };

  describe.each(Object.keys(CALLERS))('as %s', (caller) => {
    test('is the same in the field, the filter and viewer.can', async () => {
      const fields = Object.values(FIELDS).join(' ');
      const { projects } = await query(
        caller,
        `{ projects(first: 100, filter: { archived: null }) { totalCount nodes { id viewerCan { ${fields} } } } }`,
      );
      expect(projects.totalCount).toBe(9);
      for (const permission of PROJECT_PERMISSIONS) {
        const found = await query(
          caller,
          `{ projects(first: 100, filter: { archived: null, viewerCan: ${permission} }) { totalCount nodes { id } } }`,
        );
        const expected = projects.nodes
          .filter(({ viewerCan }: Node) => viewerCan[FIELDS[permission] ?? ''])
          .map(({ id }: Node) => id);
        expect(found.projects.nodes.map(({ id }: Node) => id)).toEqual(expected);
        expect(found.projects.totalCount).toBe(expected.length);
      }
      const asked = projects.nodes.map(
        ({ id }: Node, index: number) =>
          `p${index}: can(permission: "CREATE_FEATURE", projectId: "${id}")`,
      );
      const { viewer } = await query(caller, `{ viewer { ${asked.join(' ')} } }`);
      expect(Object.values(viewer)).toEqual(
        projects.nodes.map(({ viewerCan }: Node) => viewerCan['createFeature']),
      );
    });

    test('decides as a clone does', async () => {
      const { projects } = await query(
        caller,
        '{ projects(first: 100) { nodes { id viewerCan { createFeature } } } }',
      );
      for (const { id, viewerCan } of projects.nodes) {
        const { clonePlan } = await query(
          caller,
          `{ clonePlan(input: { featureName: "ghost", newName: "x", targetProjectId: "${id}" }) { refusals { message } } }`,
        );
        const isDenied = clonePlan.refusals.some(({ message }: { message: string }) =>
          message.startsWith('You need CREATE_FEATURE'),
        );
        expect([id, isDenied]).toEqual([id, !viewerCan.createFeature]);
      }
    });
  });

  test.each([
    ['an admin token', 9],
    ['a root administrator', 9],
    ['an editor', 1],
    ['a viewer', 0],
    ['a user without a role', 0],
    ['a member of a project', 1],
    ['a user with a custom project role', 1],
    ['a member of a group with a project role', 2],
    ['a member of a group with a root role', 9],
    ['a user with a custom root role', 1],
    ['a user with a role in all projects', 9],
    ['a service account', 1],
    ['a user with a role in one environment', 0],
  ])('%s may create features in %i projects', async (caller, count) => {
    const { projects } = await query(
      caller,
      '{ projects(filter: { archived: null, viewerCan: CREATE_FEATURE }) { totalCount } }',
    );
    expect(projects.totalCount).toBe(count);
  });

  test('pages of permitted projects are complete', async () => {
    const caller = 'a member of a group with a project role';
    const filter = 'filter: { viewerCan: CREATE_FEATURE }';
    const first = await query(
      caller,
      `{ projects(first: 1, ${filter}) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
    );
    expect(first.projects.nodes).toEqual([{ id: 'bare' }]);
    const { hasNextPage, endCursor } = first.projects.pageInfo;
    expect(hasNextPage).toBe(true);
    const second = await query(
      caller,
      `{ projects(first: 1, after: "${endCursor}", ${filter}) { nodes { id } pageInfo { hasNextPage } } }`,
    );
    expect(second.projects).toEqual({ nodes: [{ id: 'plaza' }], pageInfo: { hasNextPage: false } });
  });

  test('depends on the environment for environments of a project', async () => {
    const { project } = await query(
      'a user with a role in one environment',
      `{ project(id: "shop") { viewerCan { updateFeature }
        environments { environment { name } viewerCan { enableFeature createStrategy } } } }`,
    );
    expect(project).toEqual({
      viewerCan: { updateFeature: false },
      environments: [
        {
          environment: { name: 'development' },
          viewerCan: { enableFeature: true, createStrategy: false },
        },
        {
          environment: { name: 'production' },
          viewerCan: { enableFeature: false, createStrategy: false },
        },
      ],
    });
  });
});
