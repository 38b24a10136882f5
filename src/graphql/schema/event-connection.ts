import type { GraphQLResolveInfo } from 'graphql';
import type { EventCriteria } from '../../domain/events/event-criteria.js';
import type { EventRow } from '../../domain/events/event-query.js';
import type { EventOwner } from '../../domain/events/list-events-of.js';
import { MAX_EVENTS_LIMIT } from '../../domain/paging.js';
import { builder } from '../builder.js';
import {
  type CursorKey,
  connectionTypes,
  type PageArgs,
  readPage,
  searchCost,
} from '../connection.js';
import type { Context } from '../context.js';
import { selectsAny } from '../selected-fields.js';
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
  edgeDescription: 'An event and its place in the list.',
});

export { EventEdge };

export const filterArg = {
  type: EventFilter,
  description: 'Which events; all you may see when left out.',
};

export const readEventPage = (args: PageArgs, criteria: EventCriteria, owner: string | null) =>
  readPage(args, { key: EVENT_KEY, filter: [owner, criteria], most: MAX_EVENTS_LIMIT });

builder.queryFields((t) => ({
  event: t.field({
    type: Event,
    nullable: true,
    description: 'One event by its number; null when there is none that you may see.',
    args: { id: t.arg.int({ required: true, description: 'Number of the event.' }) },
    resolve: (_root, { id }, { actor, operations }) => operations.findEvent(actor, id),
  }),
  events: t.connection(
    {
      type: Event,
      description: 'Searches the recorded events, newest first.',
      complexity: searchCost,
      args: { filter: t.arg(filterArg) },
      resolve: async (_root, { filter, ...args }, { actor, operations }, info) => {
        const criteria = readEventFilter(filter);
        const { page, toConnection } = readEventPage(args, criteria, null);
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
              ? operations.countEvents(actor, criteria)
              : operations.countEventsUpTo(actor, { criteria, upTo }),
        };
      },
    },
    Connection,
    EventEdge,
  ),
}));

/** The events of one feature or project, batched with those of its siblings. */
const eventsOf = async (
  owner: EventOwner,
  key: string,
  { filter, ...args }: PageArgs & { filter?: typeof EventFilter.$inferInput | null | undefined },
  { pages }: Context,
  info: GraphQLResolveInfo,
) => {
  const criteria = readEventFilter(filter);
  const { page, toConnection } = readEventPage(args, criteria, `${owner}:${key}`);
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
  t.connection(
    {
      type: Event,
      description: 'What happened to this feature, newest first.',
      complexity: searchCost,
      args: { filter: t.arg(filterArg) },
      resolve: (feature, args, context, info) =>
        eventsOf('feature', feature.name, args, context, info),
    },
    Connection,
    EventEdge,
  ),
);

builder.prismaObjectField(Project, 'events', (t) =>
  t.connection(
    {
      type: Event,
      description: 'What happened in this project, newest first.',
      complexity: searchCost,
      args: { filter: t.arg(filterArg) },
      resolve: (project, args, context, info) =>
        eventsOf('project', project.id, args, context, info),
    },
    Connection,
    EventEdge,
  ),
);
