import { MAX_EVENTS_LIMIT } from '../../domain/paging.js';
import { builder } from '../builder.js';
import { pageArgs, searchCost } from '../connection.js';
import { EventConnection, eventsOf, filterArg } from './event-connection.js';
import { EventRecord } from './event-record.js';

type EventGroupShape = { id: string; type: string | null };

const EventGroup = builder.objectRef<EventGroupShape>('EventGroup').implement({
  description:
    'Events that Unleash wrote together, in one request or for one applied change request.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Group ID, for use in `EventFilter.groupId`.' }),
    type: t.exposeString('type', {
      nullable: true,
      description:
        'Group type as recorded, such as `transaction` or `change-request`. Null if only the ID is recorded.',
    }),
    events: t.field({
      type: EventConnection,
      description: 'Events of the group that are visible to you, newest first.',
      complexity: searchCost,
      args: { ...pageArgs(t, MAX_EVENTS_LIMIT), filter: t.arg(filterArg) },
      resolve: ({ id }, args, context, info) => eventsOf('group', id, args, context, info),
    }),
  }),
});

builder.interfaceField(EventRecord, 'group', (t) =>
  t.field({
    type: EventGroup,
    nullable: true,
    description:
      'Group of events that were written together with this one. Null if no group is recorded: for older events, and for all events before Unleash 7.',
    resolve: ({ groupId, groupType }) => (groupId ? { id: groupId, type: groupType } : null),
  }),
);
