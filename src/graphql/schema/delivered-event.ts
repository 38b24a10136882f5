import { asText, isObject, type JsonObject } from '../../domain/json.js';
import { builder } from '../builder.js';
import { Event } from './event.js';
import { EventType, toEventType } from './event-type.js';
import { Feature } from './feature.js';
import { Project } from './project.js';
import { readTags, Tag } from './tag.js';

/** A number GraphQL's Int can show. */
const whole = (value: unknown): number | null =>
  Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31 ? Number(value) : null;

/** An event as it was sent to an integration: JSON that other versions wrote, so nothing of it is certain. */
export const DeliveredEvent = builder.objectRef<JsonObject>('DeliveredEvent').implement({
  description: 'An event as it was delivered; the stored one may have changed or gone since.',
  fields: (t) => ({
    id: t.int({
      nullable: true,
      description: 'Number of the event.',
      resolve: (event) => whole(event['id']),
    }),
    type: t.field({
      type: EventType,
      description: 'What happened; OTHER for a type newer than this gateway.',
      resolve: (event) => toEventType(asText(event['type']) ?? ''),
    }),
    typeName: t.string({
      nullable: true,
      description: 'What happened, as delivered: `feature-created`.',
      resolve: (event) => asText(event['type']),
    }),
    createdAt: t.string({
      nullable: true,
      description: 'When it happened, as delivered: usually `2026-03-01T09:30:00.000Z`.',
      resolve: (event) => asText(event['createdAt']),
    }),
    createdBy: t.string({
      nullable: true,
      description: 'Who did it.',
      resolve: (event) => asText(event['createdBy']),
    }),
    createdByUserId: t.int({
      nullable: true,
      description: 'Number of that user.',
      resolve: (event) => whole(event['createdByUserId']),
    }),
    environment: t.string({
      nullable: true,
      description: 'Environment the event relates to.',
      resolve: (event) => asText(event['environment']),
    }),
    projectId: t.string({
      nullable: true,
      description: 'Project the event relates to.',
      resolve: (event) => asText(event['project']),
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'That project, if it still exists.',
      resolve: (event, _args, { loaders }) => {
        const id = asText(event['project']);
        return id === null ? null : loaders.project.load(id);
      },
    }),
    featureName: t.string({
      nullable: true,
      description: 'Feature the event relates to.',
      resolve: (event) => asText(event['featureName']),
    }),
    feature: t.field({
      type: Feature,
      nullable: true,
      description: 'That feature, if it still exists.',
      resolve: (event, _args, { loaders }) => {
        const name = asText(event['featureName']);
        return name === null ? null : loaders.feature.load(name);
      },
    }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What was recorded along with it.',
      resolve: (event) => event['data'],
    }),
    preData: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The state before the change.',
      resolve: (event) => event['preData'],
    }),
    tags: t.field({
      type: [Tag],
      description: 'Tags the feature had.',
      resolve: (event) => readTags(event['tags']),
    }),
    stored: t.field({
      type: Event,
      nullable: true,
      description: 'The event in the log; null when it is not there.',
      resolve: (event, _args, { pages }) => {
        const id = whole(event['id']);
        return id === null || id < 1 ? null : pages.event(id);
      },
    }),
  }),
});

export const readDelivered = (event: unknown): JsonObject => (isObject(event) ? event : {});
