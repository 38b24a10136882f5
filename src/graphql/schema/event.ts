import { ipFor } from '../../domain/events/event-ip.js';
import type { EventRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { EventRecord } from './event-record.js';
import { Node } from './node.js';

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

const EPOCH = new Date(0);

Event.implement({
  interfaces: [Node, EventRecord],
  description: 'An entry in the event log: a change to a feature, project, setting or user.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Event ID. IDs increase over time.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Timestamp of the event. `1970-01-01T00:00:00.000Z` if a damaged log has none.',
      resolve: ({ createdAt }) => createdAt ?? EPOCH,
    }),
    typeName: t.exposeString('type', {
      description: 'Event type as recorded, such as `feature-created`.',
    }),
    createdBy: t.exposeString('createdBy', {
      description: 'Recorded name of the author: an email address, username or token name.',
    }),
    label: t.string({
      description: 'Short human-readable label of the event.',
      resolve: (event, _args, { operations }) => operations.describeEvent(event).label,
    }),
    summary: t.string({
      description:
        'One-sentence Markdown summary with links: the author, the change and where it happened.',
      resolve: (event, _args, { operations }) => operations.describeEvent(event).summary,
    }),
    ip: t.string({
      nullable: true,
      description:
        'IP address the change came from, such as `203.0.113.7`. Requires ADMIN; null for other callers.',
      resolve: (event, _args, { actor }) => ipFor(actor, event),
    }),
  }),
});
