import type { Actor, Grant as GrantShape } from '../../domain/actor.js';
import { assertText } from '../../domain/text.js';
import { builder } from '../builder.js';

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
    project: t.exposeString('project', {
      nullable: true,
      description: 'ID of the project it is limited to; null or `*` means all.',
    }),
    environment: t.exposeString('environment', {
      nullable: true,
      description: 'Name of the environment it is limited to; null or `*` means all.',
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
    name: t.exposeString('name', { nullable: true, description: 'Name of the user or token.' }),
    author: t.exposeString('author', {
      description: 'Author recorded in your events: email, username or token name.',
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
        project: t.arg.string({ description: 'Project ID, such as `default`.' }),
        environment: t.arg.string({ description: 'Environment name, such as `production`.' }),
      },
      resolve: (actor, { permission, project, environment }) => {
        assertText('An argument of can', permission, project ?? '', environment ?? '');
        return actor.can(permission, {
          ...(typeof project === 'string' && { project }),
          ...(typeof environment === 'string' && { environment }),
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
