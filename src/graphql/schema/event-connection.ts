import type { GraphQLResolveInfo } from 'graphql';
import type { EventCriteria } from '../../domain/events/event-criteria.js';
import type { EventOwner } from '../../domain/events/list-events-of.js';
import { MAX_EVENTS_LIMIT } from '../../domain/paging.js';
import type { EventRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import {
  type CursorKey,
  connectionTypes,
  type PageArgs,
  pageArgs,
  parsePage,
  searchCost,
} from '../connection.js';
import type { Context } from '../context.js';
import { selectsAny, selectsItself } from '../selected-fields.js';
import { Event, PAYLOAD_FIELDS } from './event.js';
import { EventFilter, readEventFilter } from './event-filter.js';
import { Feature } from './feature.js';
import { Project } from './project.js';

const EVENT_KEY: CursorKey<EventRow, number> = {
  kind: 'events',
  keyOf: (event) => event.id,
  parse: (text) => (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : null),
};

const { Connection, Edge: EventEdge } = connectionTypes(Event, {
  name: 'Event',
  description: 'A page of events, newest first.',
  edgeDescription: 'An event and its cursor.',
});

export { Connection as EventConnection, EventEdge };

export const filterArg = {
  type: EventFilter,
  description: 'Filters events. If omitted, all events visible to you match.',
};

export const parseEventPage = (args: PageArgs, criteria: EventCriteria, owner: string | null) =>
  parsePage(args, { key: EVENT_KEY, filter: [owner, criteria], max: MAX_EVENTS_LIMIT });

builder.queryFields((t) => ({
  event: t.field({
    type: Event,
    nullable: true,
    description: 'Looks up an event by ID. Null if it does not exist or is not visible to you.',
    args: { id: t.arg.int({ required: true, description: 'Event ID.' }) },
    resolve: (_root, { id }, { actor, operations }) => operations.findEvent(actor, id),
  }),
  events: t.field({
    type: Connection,
    description: 'Searches the event log, newest events first.',
    complexity: searchCost,
    args: { ...pageArgs(t, MAX_EVENTS_LIMIT), filter: t.arg(filterArg) },
    resolve: async (_root, { filter, ...args }, { actor, now, operations }, info) => {
      const criteria = readEventFilter(filter, now);
      const { page, toConnection } = parseEventPage(args, criteria, null);
      // Runs in parallel with reading the page: both need several database round trips.
      const total = selectsItself(info, 'totalCount')
        ? operations.countEvents(actor, criteria)
        : null;
      total?.catch(() => undefined);
      return {
        ...toConnection(
          await operations.listEvents(actor, {
            criteria,
            page,
            hasPayload: selectsAny(info, PAYLOAD_FIELDS),
          }),
        ),
        countTotal: (upTo?: number) =>
          upTo === undefined
            ? (total ?? operations.countEvents(actor, criteria))
            : operations.countEventsUpTo(actor, { criteria, upTo }),
      };
    },
  }),
}));

/** Batches the events of one feature, project or group with those of its siblings. */
export const eventsOf = async (
  owner: EventOwner,
  key: string,
  { filter, ...args }: PageArgs & { filter?: typeof EventFilter.$inferInput | null | undefined },
  { now, pages }: Context,
  info: GraphQLResolveInfo,
) => {
  const criteria = readEventFilter(filter, now);
  const { page, toConnection } = parseEventPage(args, criteria, `${owner}:${key}`);
  return {
    ...toConnection(
      await pages.eventsOf(
        { owner, criteria, page, hasPayload: selectsAny(info, PAYLOAD_FIELDS) },
        key,
      ),
    ),
    countTotal: (upTo?: number) => pages.countEventsOf({ owner, criteria, upTo }, key),
  };
};

builder.prismaObjectField(Feature, 'events', (t) =>
  t.field({
    type: Connection,
    description: 'Events of this feature, newest first.',
    complexity: searchCost,
    args: { ...pageArgs(t, MAX_EVENTS_LIMIT), filter: t.arg(filterArg) },
    resolve: (feature, args, context, info) =>
      eventsOf('feature', feature.name, args, context, info),
  }),
);

builder.prismaObjectField(Project, 'events', (t) =>
  t.field({
    type: Connection,
    description: 'Events in this project, newest first.',
    complexity: searchCost,
    args: { ...pageArgs(t, MAX_EVENTS_LIMIT), filter: t.arg(filterArg) },
    resolve: (project, args, context, info) => eventsOf('project', project.id, args, context, info),
  }),
);
