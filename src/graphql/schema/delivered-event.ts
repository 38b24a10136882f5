import { asText, isObject, type JsonObject } from '../../domain/json.js';
import { builder } from '../builder.js';
import { Event } from './event.js';
import { EventType, toEventType } from './event-type.js';
import { Feature } from './feature.js';
import { Project } from './project.js';
import { readTags, Tag } from './tag.js';

/** GraphQL's Int holds 32-bit integers only; any other value becomes null. */
const whole = (value: unknown): number | null =>
  Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31 ? Number(value) : null;

/** Untyped JSON written by other Unleash versions, so any field can be missing or malformed. */
export const DeliveredEvent = builder.objectRef<JsonObject>('DeliveredEvent').implement({
  description:
    'An event as delivered to an integration. The stored event may have changed or been deleted since.',
  fields: (t) => ({
    id: t.int({
      nullable: true,
      description: 'Event ID.',
      resolve: (event) => whole(event['id']),
    }),
    type: t.field({
      type: EventType,
      description: 'Event type. OTHER for types newer than this gateway.',
      resolve: (event) => toEventType(asText(event['type']) ?? ''),
    }),
    typeName: t.string({
      nullable: true,
      description: 'Event type as delivered, such as `feature-created`.',
      resolve: (event) => asText(event['type']),
    }),
    createdAt: t.string({
      nullable: true,
      description: 'Timestamp of the event as delivered, usually like `2026-03-01T09:30:00.000Z`.',
      resolve: (event) => asText(event['createdAt']),
    }),
    createdBy: t.string({
      nullable: true,
      description: 'Actor that caused the event.',
      resolve: (event) => asText(event['createdBy']),
    }),
    createdByUserId: t.int({
      nullable: true,
      description: 'User ID of the actor.',
      resolve: (event) => whole(event['createdByUserId']),
    }),
    environment: t.string({
      nullable: true,
      description: 'Environment the event relates to.',
      resolve: (event) => asText(event['environment']),
    }),
    projectId: t.string({
      nullable: true,
      description: 'ID of the project the event relates to.',
      resolve: (event) => asText(event['project']),
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project, if it still exists.',
      resolve: (event, _args, { loaders }) => {
        const id = asText(event['project']);
        return id === null ? null : loaders.project.load(id);
      },
    }),
    featureName: t.string({
      nullable: true,
      description: 'Name of the feature the event relates to.',
      resolve: (event) => asText(event['featureName']),
    }),
    feature: t.field({
      type: Feature,
      nullable: true,
      description: 'The feature, if it still exists.',
      resolve: (event, _args, { loaders }) => {
        const name = asText(event['featureName']);
        return name === null ? null : loaders.feature.load(name);
      },
    }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Data recorded with the event.',
      resolve: (event) => event['data'],
    }),
    preData: t.field({
      type: 'JSON',
      nullable: true,
      description: 'State before the change.',
      resolve: (event) => event['preData'],
    }),
    tags: t.field({
      type: [Tag],
      description: 'Tags of the feature when the event was recorded.',
      resolve: (event) => readTags(event['tags']),
    }),
    stored: t.field({
      type: Event,
      nullable: true,
      description: 'The event in the event log. Null if it is not there.',
      resolve: (event, _args, { pages }) => {
        const id = whole(event['id']);
        return id === null || id < 1 ? null : pages.event(id);
      },
    }),
  }),
});

export const readDelivered = (event: unknown): JsonObject => (isObject(event) ? event : {});
