import type { EventRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { EventType, toEventType } from './event-type.js';
import { Feature } from './feature.js';
import { Node } from './node.js';
import { Project } from './project.js';
import { readTags, Tag } from './tag.js';

export const Event = builder.objectRef<EventRow>('Event');

/** Payloads are read only if one of these fields is selected. */
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
  description: 'An entry in the event log: a change to a feature, project, setting or user.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Event ID. IDs increase over time.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Timestamp of the event. Null only in damaged logs.',
    }),
    type: t.field({
      type: EventType,
      description: 'Event type. OTHER for types newer than this gateway.',
      resolve: (event) => toEventType(event.type),
    }),
    typeName: t.exposeString('type', {
      description: 'Event type as recorded, such as `feature-created`.',
    }),
    label: t.string({
      description: 'Short human-readable label of the event.',
      resolve: (event, _args, { operations }) => operations.describeEvent(event).label,
    }),
    summary: t.string({
      description:
        'One-sentence Markdown summary with links: the actor, the change and where it happened.',
      resolve: (event, _args, { operations }) => operations.describeEvent(event).summary,
    }),
    createdBy: t.exposeString('createdBy', {
      description: 'Email address, username or token name of the actor.',
    }),
    createdByUserId: t.exposeInt('createdByUserId', {
      nullable: true,
      description: 'User ID of the actor: -42 for admin tokens, null in very old events.',
    }),
    environment: t.exposeString('environment', {
      nullable: true,
      description: 'Environment the event relates to.',
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
    ip: t.string({
      nullable: true,
      description:
        'IP address the change came from, such as `203.0.113.7`. Requires ADMIN; null for other callers.',
      resolve: (event, _args, { actor }) => (actor.can('ADMIN') ? event.ip : null),
    }),
  }),
});
