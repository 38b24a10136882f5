import { asText, isObject } from '../../domain/json.js';
import { builder } from '../builder.js';
import { Event } from './event.js';
import { type EventFacts, EventRecord } from './event-record.js';

/** GraphQL's Int holds 32-bit integers only; any other value becomes null. */
const whole = (value: unknown): number | null =>
  Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31 ? Number(value) : null;

const timestamp = (value: unknown): Date | null => {
  const date = new Date(asText(value) ?? '');
  const isRepresentable = date.getUTCFullYear() >= 0 && date.getUTCFullYear() <= 9999;
  return isRepresentable ? date : null;
};

export type Delivered = EventFacts & { eventId: number | null };

/** Untyped JSON written by other Unleash versions, so any field can be missing or malformed. */
export const readDelivered = (json: unknown): Delivered => {
  const event = isObject(json) ? json : {};
  return {
    eventId: whole(event['id']),
    type: asText(event['type']),
    createdAt: timestamp(event['createdAt']),
    createdBy: asText(event['createdBy']),
    createdByUserId: whole(event['createdByUserId']),
    environment: asText(event['environment']),
    projectId: asText(event['project']),
    featureName: asText(event['featureName']),
    data: event['data'],
    preData: event['preData'],
    tags: event['tags'],
    groupId: asText(event['groupId']),
    groupType: asText(event['groupType']),
  };
};

export const DeliveredEvent = builder.objectRef<Delivered>('DeliveredEvent').implement({
  interfaces: [EventRecord],
  description:
    'An event as delivered to an integration. The stored event may have changed or been deleted since.',
  fields: (t) => ({
    eventId: t.exposeInt('eventId', { nullable: true, description: 'ID of the event.' }),
    stored: t.field({
      type: Event,
      nullable: true,
      description: 'The event in the event log. Null if it is not there.',
      resolve: ({ eventId }, _args, { pages }) =>
        eventId === null || eventId < 1 ? null : pages.event(eventId),
    }),
  }),
});
