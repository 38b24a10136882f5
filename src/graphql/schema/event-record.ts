import { builder } from '../builder.js';
import { Environment, findEnvironment } from './environment.js';
import { EventType, toEventType } from './event-type.js';
import { Feature } from './feature.js';
import { Project } from './project.js';
import { readTags, Tag } from './tag.js';
import { findUser, User } from './user.js';

export type EventFacts = {
  type: string | null;
  createdAt: Date | null;
  createdBy: string | null;
  createdByUserId: number | null;
  environment: string | null;
  projectId: string | null;
  featureName: string | null;
  data: unknown;
  preData: unknown;
  tags: unknown;
  groupId: string | null;
  groupType: string | null;
};

export const EventRecord = builder.interfaceRef<EventFacts>('EventRecord').implement({
  description: 'An event as stored in the event log or as delivered to an integration.',
  fields: (t) => ({
    type: t.field({
      type: EventType,
      description: 'Event type. OTHER for types newer than this gateway.',
      resolve: ({ type }) => toEventType(type ?? ''),
    }),
    typeName: t.exposeString('type', {
      nullable: true,
      description: 'Event type as recorded, such as `feature-created`.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Timestamp of the event.',
    }),
    createdBy: t.exposeString('createdBy', {
      nullable: true,
      description: 'Recorded name of the author: an email address, username or token name.',
    }),
    createdByUserId: t.exposeInt('createdByUserId', {
      nullable: true,
      description:
        'User ID of the author: -42 for admin tokens, -1337 for Unleash itself, null in very old events.',
    }),
    createdByUser: t.field({
      type: User,
      nullable: true,
      description:
        'The author, if Unleash has a record of that user. Deleted users may still have one.',
      resolve: ({ createdByUserId }, _args, { loaders }) => findUser(createdByUserId, loaders),
    }),
    environmentName: t.exposeString('environment', {
      nullable: true,
      description: 'Name of the environment the event relates to, as recorded.',
    }),
    environment: t.field({
      type: Environment,
      nullable: true,
      description: 'The environment, if it still exists.',
      resolve: ({ environment }, _args, { loaders }) => findEnvironment(environment, loaders),
    }),
    projectId: t.exposeString('projectId', {
      nullable: true,
      description:
        'ID of the project the event relates to, as recorded. The project may no longer exist.',
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project, if it still exists.',
      resolve: ({ projectId }, _args, { loaders }) =>
        projectId === null ? null : loaders.project.load(projectId),
    }),
    featureName: t.exposeString('featureName', {
      nullable: true,
      description:
        'Name of the feature the event relates to, as recorded. The feature may no longer exist.',
    }),
    feature: t.field({
      type: Feature,
      nullable: true,
      description: 'The feature, if it still exists.',
      resolve: ({ featureName }, _args, { loaders }) =>
        featureName === null ? null : loaders.feature.load(featureName),
    }),
    data: t.expose('data', {
      type: 'JSON',
      nullable: true,
      description:
        'Data recorded with the event, such as the state of the feature after the change.',
    }),
    preData: t.expose('preData', {
      type: 'JSON',
      nullable: true,
      description: 'State before the change.',
    }),
    tags: t.field({
      type: [Tag],
      description: 'Tags of the feature when the event was recorded.',
      resolve: (event) => readTags(event.tags),
    }),
  }),
});
