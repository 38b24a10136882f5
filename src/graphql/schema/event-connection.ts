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
import { EventType, typeCriteria } from './event-type.js';
import { Feature } from './feature.js';
import {
  allowedValues,
  DateTimeRange,
  defined,
  IntFilter,
  nonNull,
  readRange,
  StringFilter,
} from './filters.js';
import { Project } from './project.js';

const EventTypeFilter = builder.inputType('EventTypeFilter', {
  description: 'Conditions on what happened; all that are given must hold.',
  fields: (t) => ({
    is: t.field({ type: EventType, description: 'Of this type.' }),
    anyOf: t.field({ type: [EventType], description: 'Of one of these types. At most 1000.' }),
  }),
});

const EventFilter = builder.inputType('EventFilter', {
  description: 'Which events to show; all conditions that are given must hold.',
  fields: (t) => ({
    text: t.string({
      description:
        'Found, in any letter case, in `data`, `preData` or the tags. Every character means itself.',
    }),
    id: t.field({ type: IntFilter, description: 'Number of the event.' }),
    feature: t.field({ type: StringFilter, description: 'Name of the feature.' }),
    project: t.field({ type: StringFilter, description: 'Id of the project.' }),
    environment: t.field({ type: StringFilter, description: 'Name of the environment.' }),
    type: t.field({ type: EventTypeFilter, description: 'What happened.' }),
    createdBy: t.field({ type: IntFilter, description: 'Numeric id of the user who did it.' }),
    createdAt: t.field({ type: DateTimeRange, description: 'When it happened.' }),
  }),
});

export const readEventFilter = (
  filter: typeof EventFilter.$inferInput | null | undefined,
): EventCriteria => ({
  ...defined({
    text: nonNull(filter?.text),
    ids: allowedValues('filter.id', filter?.id),
    idFrom: nonNull(filter?.id?.from),
    idBefore: nonNull(filter?.id?.to),
    creatorFrom: nonNull(filter?.createdBy?.from),
    creatorBefore: nonNull(filter?.createdBy?.to),
    features: allowedValues('filter.feature', filter?.feature),
    projects: allowedValues('filter.project', filter?.project),
    environments: allowedValues('filter.environment', filter?.environment),
    creators: allowedValues('filter.createdBy', filter?.createdBy),
  }),
  ...readRange('filter.createdAt', filter?.createdAt),
  ...typeCriteria(allowedValues('filter.type', filter?.type)),
});

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
          countTotal: () => operations.countEvents(actor, criteria),
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
    countTotal: () => pages.countEventsOf({ owner, criteria }, key),
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
