import type {
  Activity as ActivityShape,
  AuthorCount,
  ActivityBucket as Bucket,
  ActivityFigures as Figures,
  TypeCount,
} from '../../domain/events/event-activity.js';
import { builder } from '../builder.js';
import { EventType, toEventType } from './event-type.js';

export const ActivityInterval = builder.enumType('ActivityInterval', {
  description: 'Interval by which events are counted.',
  values: {
    DAY: { description: 'Days, midnight to midnight UTC.' },
    WEEK: { description: 'ISO 8601 weeks, Monday to Monday, midnight UTC.' },
  } as const,
});

export const EventTypeCount = builder.objectRef<TypeCount>('EventTypeCount').implement({
  description: 'Number of events of one type.',
  fields: (t) => ({
    type: t.field({
      type: EventType,
      description: 'Event type. OTHER for types newer than this gateway.',
      resolve: ({ type }) => toEventType(type),
    }),
    typeName: t.exposeString('type', {
      description: 'Event type as recorded, such as `feature-created`.',
    }),
    count: t.exposeInt('count', { description: 'Number of events.' }),
  }),
});

export const EventAuthorCount = builder.objectRef<AuthorCount>('EventAuthorCount').implement({
  description: 'Number of events by one author.',
  fields: (t) => ({
    createdBy: t.exposeString('createdBy', {
      description: 'Email address, username or token name of the author.',
    }),
    createdByUserId: t.exposeInt('createdByUserId', {
      nullable: true,
      description:
        'User ID of the author: -42 for admin tokens, -1337 for Unleash itself, null in very old events.',
    }),
    count: t.exposeInt('count', { description: 'Number of events.' }),
  }),
});

/** Events are grouped by day or week, by type and by author only if one of these fields is selected. */
export const BUCKET_FIELDS: ReadonlySet<string> = new Set(['buckets']);
export const TYPE_FIELDS: ReadonlySet<string> = new Set(['byType', 'byTypeRemainder']);
export const AUTHOR_FIELDS: ReadonlySet<string> = new Set(['byAuthor', 'byAuthorRemainder']);

const ActivityFigures = builder.interfaceRef<Figures>('ActivityFigures').implement({
  description: 'Event counts for a period of time.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of events.' }),
    byType: t.expose('byType', {
      type: [EventTypeCount],
      description: 'Event counts by type, most frequent first. At most 20 types.',
    }),
    byTypeRemainder: t.exposeInt('byTypeRemainder', {
      description: 'Number of events of all types not listed in `byType`.',
    }),
    byAuthor: t.expose('byAuthor', {
      type: [EventAuthorCount],
      description:
        'Event counts by author, most frequent first. At most 20 authors. `createdBy` has the same value as in `Event.createdBy`.',
    }),
    byAuthorRemainder: t.exposeInt('byAuthorRemainder', {
      description: 'Number of events by all authors not listed in `byAuthor`.',
    }),
  }),
});

const ActivityBucket = builder.objectRef<Bucket>('ActivityBucket').implement({
  description: 'Event counts for one day or week.',
  interfaces: [ActivityFigures],
  fields: (t) => ({
    from: t.expose('from', {
      type: 'DateTime',
      description:
        'Start of the day or week, in UTC. Events outside the requested range are not counted.',
    }),
    before: t.expose('before', {
      type: 'DateTime',
      description: 'Start of the next day or week, in UTC.',
    }),
  }),
});

export const Activity = builder.objectRef<ActivityShape>('Activity').implement({
  description: 'Event counts, in total and per day or week.',
  interfaces: [ActivityFigures],
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'Start of the range (inclusive).' }),
    before: t.expose('to', {
      type: 'DateTime',
      description: 'End of the range (exclusive).',
    }),
    by: t.expose('by', { type: ActivityInterval, description: 'Interval length.' }),
    buckets: t.expose('buckets', {
      type: [ActivityBucket],
      description:
        'Every day or week in the range, including those without events. The range may cover the first and the last only partially.',
      // The parent field is already multiplied by the number of buckets.
      complexity: { field: 1, multiplier: 1 },
    }),
  }),
});
