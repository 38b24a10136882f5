import {
  type ChangeRequestRow,
  MAX_CHANGE_REQUESTS,
} from '../../domain/features/planned-changes.js';
import { personOf } from '../../domain/users/person.js';
import { builder } from '../builder.js';
import { Environment, findEnvironment } from './environment.js';
import { Feature } from './feature.js';
import { Project } from './project.js';
import { User } from './user.js';

const ChangeRequestState = builder.enumType('ChangeRequestState', {
  description: 'State of a change request.',
  values: {
    DRAFT: { description: 'Not submitted yet. Only its author sees it.' },
    IN_REVIEW: { description: 'Waits for approvals.' },
    APPROVED: { description: 'Has enough approvals and can be applied.' },
    SCHEDULED: { description: 'Will be applied at a set time.' },
    APPLIED: { description: 'Its changes were made.' },
    CANCELLED: { description: 'Withdrawn.' },
    REJECTED: { description: 'Rejected by a reviewer.' },
    OTHER: { description: 'A state unknown to this version; see `stateName`.' },
  },
} as const);

const STATES = {
  Draft: 'DRAFT',
  'In review': 'IN_REVIEW',
  Approved: 'APPROVED',
  Scheduled: 'SCHEDULED',
  Applied: 'APPLIED',
  Cancelled: 'CANCELLED',
  Rejected: 'REJECTED',
} as const;

const stateOf = (name: string) =>
  Object.hasOwn(STATES, name) ? STATES[name as keyof typeof STATES] : 'OTHER';

const ChangeRequest = builder.objectRef<ChangeRequestRow>('ChangeRequest').implement({
  description:
    'A request to change features in an environment, which others must approve. A part of Unleash Enterprise.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Change request ID.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title given by its author.' }),
    state: t.field({
      type: ChangeRequestState,
      description: 'State of the change request.',
      resolve: ({ state }) => stateOf(state),
    }),
    stateName: t.exposeString('state', {
      description: 'State as Unleash stores it, such as `In review`.',
    }),
    projectId: t.exposeString('projectId', {
      nullable: true,
      description: 'ID of the project whose features it changes.',
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'Project whose features it changes.',
      resolve: ({ projectId }, _args, { loaders }) =>
        projectId === null ? null : loaders.project.load(projectId),
    }),
    environmentName: t.exposeString('environmentName', {
      nullable: true,
      description: 'Name of the environment that it changes.',
    }),
    environment: t.field({
      type: Environment,
      nullable: true,
      description: 'Environment that it changes.',
      resolve: ({ environmentName }, _args, { loaders }) =>
        environmentName === null ? null : findEnvironment(environmentName, loaders),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was created.',
    }),
    createdByUserId: t.exposeInt('createdByUserId', { description: 'ID of its author.' }),
    createdByUser: t.field({
      type: User,
      nullable: true,
      description: 'Its author. Null if Unleash has no record of that user.',
      resolve: async ({ createdByUserId }, _args, { loaders }) => {
        const user = await loaders.user.load(createdByUserId);
        return user && personOf(user);
      },
    }),
    approvalCount: t.exposeInt('approvalCount', { description: 'Number of approvals it has.' }),
    requiredApprovalCount: t.int({
      description: 'Number of approvals it needs.',
      resolve: ({ requiredApprovalCount }) => requiredApprovalCount ?? 1,
    }),
  }),
});

builder.prismaObjectField(Feature, 'changeRequests', (t) =>
  t.field({
    type: [ChangeRequest],
    nullable: true,
    description: `Open change requests that would change the feature, newest first. At most ${MAX_CHANGE_REQUESTS}. Empty without Unleash Enterprise; null if the database user may not read them.`,
    resolve: async ({ name }, _args, { pages }) => [...(await pages.changeRequestsOf.load(name))],
  }),
);
