import type { EventRow } from '../../domain/events/event-query.js';
import { builder } from '../builder.js';
import { EventType, toEventType } from './event-type.js';
import { Feature } from './feature.js';
import { Node } from './node.js';
import { Project } from './project.js';
import { readTags, Tag } from './tag.js';

export const Event = builder.objectRef<EventRow>('Event');

/** The fields that read what was recorded along with an event. */
export const PAYLOAD_FIELDS: ReadonlySet<string> = new Set([
  'data',
  'preData',
  'changes',
  'tags',
  'label',
  'summary',
]);

Event.implement({
  interfaces: [Node],
  description:
    'Something that was recorded: a change of a feature, a project, a setting, a person.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Number of the event; later events have larger ones.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it happened; null only in damaged logs.',
    }),
    type: t.field({
      type: EventType,
      description: 'What happened; OTHER for a type newer than this gateway.',
      resolve: (event) => toEventType(event.type),
    }),
    typeName: t.exposeString('type', {
      description: 'What happened, as recorded: `feature-created`.',
    }),
    label: t.string({
      description: 'Short human-readable name of what happened.',
      resolve: (event, _args, { operations }) => operations.describeEvent(event).label,
    }),
    summary: t.string({
      description: 'One sentence of Markdown saying who did what where, with links.',
      resolve: (event, _args, { operations }) => operations.describeEvent(event).summary,
    }),
    createdBy: t.exposeString('createdBy', {
      description: 'Who did it: e-mail, user name or token name.',
    }),
    createdByUserId: t.exposeInt('createdByUserId', {
      nullable: true,
      description: 'Number of that user; -42 for an admin token, null in very old events.',
    }),
    environment: t.exposeString('environment', {
      nullable: true,
      description: 'Environment the event relates to.',
    }),
    projectId: t.exposeString('projectId', {
      nullable: true,
      description: 'Project the event relates to, as recorded; it may be gone.',
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'That project, if it still exists.',
      resolve: ({ projectId }, _args, { loaders }) =>
        projectId === null ? null : loaders.project.load(projectId),
    }),
    featureName: t.exposeString('featureName', {
      nullable: true,
      description: 'Feature the event relates to, as recorded; it may be gone.',
    }),
    feature: t.field({
      type: Feature,
      nullable: true,
      description: 'That feature, if it still exists.',
      resolve: ({ featureName }, _args, { loaders }) =>
        featureName === null ? null : loaders.feature.load(featureName),
    }),
    data: t.expose('data', {
      type: 'JSON',
      nullable: true,
      description: 'What was recorded along with it, such as the state of the feature afterwards.',
    }),
    preData: t.expose('preData', {
      type: 'JSON',
      nullable: true,
      description: 'The state before the change.',
    }),
    tags: t.field({
      type: [Tag],
      description: 'Tags the feature had at that time.',
      resolve: (event) => readTags(event.tags),
    }),
    ip: t.string({
      nullable: true,
      description:
        'Address the change came from, such as `203.0.113.7`. Needs ADMIN; null for everybody else.',
      resolve: (event, _args, { actor }) => (actor.can('ADMIN') ? event.ip : null),
    }),
  }),
});
