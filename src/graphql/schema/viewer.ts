import type { Actor, Grant as GrantShape } from '../../domain/actor.js';
import { assertText } from '../../domain/text.js';
import { builder } from '../builder.js';
import { Environment, findEnvironment } from './environment.js';
import { Project } from './project.js';
import { findUser, User } from './user.js';

const ViewerKind = builder.enumType('ViewerKind', {
  description: 'Type of caller.',
  values: {
    ADMIN_TOKEN: { description: 'An admin API token. It has every permission.' },
    USER: { description: 'A user, authenticated by a personal access token or a sign-in session.' },
    SERVICE_ACCOUNT: {
      description: 'A service account, authenticated by a personal access token.',
    },
  } as const,
});

const Grant = builder.objectRef<GrantShape>('Grant').implement({
  description: 'A permission and its scope.',
  fields: (t) => ({
    permission: t.exposeString('permission', {
      description: 'Permission, such as `CREATE_FEATURE` or `ADMIN`.',
    }),
    projectId: t.exposeString('project', {
      nullable: true,
      description: 'ID of the project it is limited to; null or `*` means all.',
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project it is limited to; null if it applies to all.',
      resolve: ({ project }, _args, { loaders }) =>
        project === null ? null : loaders.project.load(project),
    }),
    environmentName: t.exposeString('environment', {
      nullable: true,
      description: 'Name of the environment it is limited to; null or `*` means all.',
    }),
    environment: t.field({
      type: Environment,
      nullable: true,
      description: 'The environment it is limited to; null if it applies to all.',
      resolve: ({ environment }, _args, { loaders }) => findEnvironment(environment, loaders),
    }),
  }),
});

const Viewer = builder.objectRef<Actor>('Viewer').implement({
  description:
    'The authenticated caller, identified by its token or sign-in session, and its permissions.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ViewerKind, description: 'Type of caller.' }),
    userId: t.exposeInt('userId', {
      description: 'User ID; -42 for every admin token.',
    }),
    user: t.field({
      type: User,
      nullable: true,
      description: 'The user with this ID. Null if Unleash has no such user.',
      resolve: ({ userId }, _args, { loaders }) => findUser(userId, loaders),
    }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the user or token.' }),
    authorName: t.exposeString('author', {
      description:
        'Name recorded as the author of your events, as in `Event.createdBy`: email, username or token name.',
    }),
    isAdmin: t.boolean({
      description: 'Whether you have the ADMIN permission.',
      resolve: (actor) => actor.can('ADMIN'),
    }),
    seesAllEvents: t.exposeBoolean('seesAllEvents', {
      description: 'Whether you can see events without a project. Requires the root role Admin.',
    }),
    grants: t.field({
      type: [Grant],
      description: 'All your permissions.',
      resolve: (actor) => [...actor.grants],
    }),
    can: t.boolean({
      description: 'Whether you have a permission in a project and an environment.',
      args: {
        permission: t.arg.string({
          required: true,
          description: 'Permission, such as `CREATE_FEATURE`.',
        }),
        projectId: t.arg.string({ description: 'Project ID, such as `default`.' }),
        environmentName: t.arg.string({ description: 'Environment name, such as `production`.' }),
      },
      resolve: (actor, { permission, projectId, environmentName }) => {
        assertText('An argument of can', permission, projectId ?? '', environmentName ?? '');
        return actor.can(permission, {
          ...(typeof projectId === 'string' && { project: projectId }),
          ...(typeof environmentName === 'string' && { environment: environmentName }),
        });
      },
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'The authenticated caller.',
    resolve: (_root, _args, { actor }) => actor,
  }),
);
