import type {
  Activity as ActivityShape,
  ActorCount,
  ActivityBucket as Bucket,
  ActivityFigures as Figures,
  TypeCount,
} from '../../domain/events/event-activity.js';
import { builder } from '../builder.js';
import { EventType, toEventType } from './event-type.js';

export const ActivityInterval = builder.enumType('ActivityInterval', {
  description: 'How long the intervals are in which events are counted.',
  values: {
    DAY: { description: 'Days, from midnight to midnight UTC.' },
    WEEK: { description: 'Weeks as in ISO 8601, from Monday to Monday, midnight UTC.' },
  } as const,
});

const EventTypeCount = builder.objectRef<TypeCount>('EventTypeCount').implement({
  description: 'How many events are of a type.',
  fields: (t) => ({
    type: t.field({
      type: EventType,
      description: 'What happened; OTHER for a type newer than this gateway.',
      resolve: ({ type }) => toEventType(type),
    }),
    typeName: t.exposeString('type', {
      description: 'What happened, as recorded: `feature-created`.',
    }),
    count: t.exposeInt('count', { description: 'Number of events.' }),
  }),
});

const EventActorCount = builder.objectRef<ActorCount>('EventActorCount').implement({
  description: 'How many events somebody caused.',
  fields: (t) => ({
    createdBy: t.exposeString('createdBy', {
      description: 'Who did it: e-mail, user name or token name.',
    }),
    createdByUserId: t.exposeInt('createdByUserId', {
      nullable: true,
      description: 'Number of that user; -42 for an admin token, null in very old events.',
    }),
    count: t.exposeInt('count', { description: 'Number of events.' }),
  }),
});

/** The fields for which events are counted type by type, and actor by actor. */
export const TYPE_FIELDS: ReadonlySet<string> = new Set(['byType', 'byTypeRemainder']);
export const ACTOR_FIELDS: ReadonlySet<string> = new Set(['byActor', 'byActorRemainder']);

const ActivityFigures = builder.interfaceRef<Figures>('ActivityFigures').implement({
  description: 'How many events there were in some time.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of events.' }),
    byType: t.expose('byType', {
      type: [EventTypeCount],
      description: 'Events by what happened, most frequent first; at most 20 types.',
    }),
    byTypeRemainder: t.exposeInt('byTypeRemainder', {
      description: 'Events of all types that are not listed.',
    }),
    byActor: t.expose('byActor', {
      type: [EventActorCount],
      description:
        'Events by who caused them, told by `createdBy` as `Event.createdBy` shows it, most frequent first; at most 20 actors.',
    }),
    byActorRemainder: t.exposeInt('byActorRemainder', {
      description: 'Events of all actors that are not listed.',
    }),
  }),
});

const ActivityBucket = builder.objectRef<Bucket>('ActivityBucket').implement({
  description: 'How many events there were in one day or week.',
  interfaces: [ActivityFigures],
  fields: (t) => ({
    start: t.expose('start', {
      type: 'DateTime',
      description:
        'When the day or week begins, in UTC. What lies outside the time asked for is not counted.',
    }),
  }),
});

export const Activity = builder.objectRef<ActivityShape>('Activity').implement({
  description: 'How many events there were, in all and in each day or week.',
  interfaces: [ActivityFigures],
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'The first moment that counts.' }),
    to: t.expose('to', {
      type: 'DateTime',
      description: 'The first moment that no longer counts.',
    }),
    by: t.expose('by', { type: ActivityInterval, description: 'How long the intervals are.' }),
    buckets: t.expose('buckets', {
      type: [ActivityBucket],
      description:
        'Every day or week of that time, also those without events. The first and the last may be cut off by its ends.',
      // The field above has already been multiplied by their number.
      complexity: { field: 1, multiplier: 1 },
    }),
  }),
});
