import type { Actor, Grant as GrantShape } from '../../domain/actor.js';
import { assertText } from '../../domain/text.js';
import { builder } from '../builder.js';

const ViewerKind = builder.enumType('ViewerKind', {
  description: 'What stands behind a token.',
  values: {
    ADMIN_TOKEN: { description: 'An admin API token: it may do everything.' },
    OTHER_TOKEN: { description: 'An API token of a kind this gateway does not know: it may read.' },
    USER: { description: 'A person, through a personal token.' },
    SERVICE_ACCOUNT: { description: 'A service account, through a personal token.' },
  } as const,
});

const Grant = builder.objectRef<GrantShape>('Grant').implement({
  description: 'A permission somebody holds.',
  fields: (t) => ({
    permission: t.exposeString('permission', {
      description: 'Such as `CREATE_FEATURE` or `ADMIN`.',
    }),
    project: t.exposeString('project', {
      nullable: true,
      description: 'Project it is confined to; null or `*` for all.',
    }),
    environment: t.exposeString('environment', {
      nullable: true,
      description: 'Environment it is confined to; null or `*` for all.',
    }),
  }),
});

const Viewer = builder.objectRef<Actor>('Viewer').implement({
  description: 'Who your token says you are, and what you may do.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ViewerKind, description: 'What stands behind the token.' }),
    userId: t.exposeInt('userId', {
      description: 'Number of the user; -42 for every admin token.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the user or token.' }),
    author: t.exposeString('author', {
      description: 'How events you cause name you: e-mail, user name or token name.',
    }),
    isAdmin: t.boolean({
      description: 'Whether you hold ADMIN.',
      resolve: (actor) => actor.can('ADMIN'),
    }),
    seesAllEvents: t.exposeBoolean('seesAllEvents', {
      description: 'Whether you see events that belong to no project, too.',
    }),
    grants: t.field({
      type: [Grant],
      description: 'Every permission you hold.',
      resolve: (actor) => [...actor.grants],
    }),
    can: t.boolean({
      description: 'Whether you hold a permission in a project and an environment.',
      args: {
        permission: t.arg.string({ required: true, description: 'Such as `CREATE_FEATURE`.' }),
        project: t.arg.string({ description: 'Id of a project, such as `default`.' }),
        environment: t.arg.string({ description: 'Name of an environment, such as `production`.' }),
      },
      resolve: (actor, { permission, project, environment }) => {
        assertText('The question', permission, project ?? '', environment ?? '');
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
    description: 'Who you are.',
    resolve: (_root, _args, { actor }) => actor,
  }),
);
