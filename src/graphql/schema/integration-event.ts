import {
  type IntegrationEventCriteria,
  type IntegrationEventRow,
  showsEvent,
} from '../../domain/integrations/integration-event-query.js';
import { isObject } from '../../domain/json.js';
import { MAX_INTEGRATION_EVENTS_LIMIT } from '../../domain/paging.js';
import { builder } from '../builder.js';
import {
  type CursorKey,
  connectionTypes,
  type PageArgs,
  pageCost,
  readPage,
} from '../connection.js';
import type { Context } from '../context.js';
import { DeliveredEvent, readDelivered } from './delivered-event.js';
import { EventTypeFilter, readTypeFilter } from './event-type-filter.js';
import { chosenValues, DateTimeRange, readRange, StringFilter } from './filters.js';
import { Integration } from './integration.js';
import { Node } from './node.js';

export const IntegrationEvent = builder.prismaObject('IntegrationEvent', {
  interfaces: [Node],
  description: 'The record of one delivery of an event to an integration.',
  fields: (t) => ({
    id: t.id({
      description: 'Number of the delivery, as text: `"42"`.',
      resolve: (delivery) => String(delivery.id),
    }),
    integrationId: t.exposeInt('integrationId', { description: 'Number of the integration.' }),
    integration: t.relation('integration', { description: 'The integration it went to.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the delivery was over.',
    }),
    state: t.exposeString('state', {
      description:
        'How it ended: `success`, `successWithErrors` or `failed`, in exactly these letters.',
    }),
    stateDetails: t.exposeString('stateDetails', { description: 'What there is to say about it.' }),
    event: t.field({
      type: DeliveredEvent,
      nullable: true,
      description:
        'The event as it was delivered; null where event search would not show it to you: it belongs to no project.',
      resolve: ({ event }, _args, { actor }) =>
        showsEvent(actor, event) ? readDelivered(event) : null,
    }),
    details: t.field({
      type: 'JSONObject',
      description:
        'What the integration sent, in a shape of its own; empty where `event` is not shown.',
      resolve: ({ details }) => (isObject(details) ? { ...details } : {}),
    }),
  }),
});

const IntegrationEventFilter = builder.inputType('IntegrationEventFilter', {
  description: 'Which deliveries to show; all conditions that are given must hold.',
  fields: (t) => ({
    state: t.field({
      type: StringFilter,
      description:
        'How they ended: `success`, `successWithErrors` or `failed`, in exactly these letters.',
    }),
    createdAt: t.field({ type: DateTimeRange, description: 'When they were over.' }),
    eventType: t.field({
      type: EventTypeFilter,
      description: 'What the delivered event tells of; without a readable type it is OTHER.',
    }),
    feature: t.field({ type: StringFilter, description: 'Name of its feature, as delivered.' }),
    project: t.field({ type: StringFilter, description: 'Id of its project, as delivered.' }),
    environment: t.field({
      type: StringFilter,
      description: 'Name of its environment, as delivered.',
    }),
  }),
});

type Filter = typeof IntegrationEventFilter.$inferInput | null | undefined;

const readFilter = (filter: Filter): IntegrationEventCriteria => ({
  ...chosenValues('states', 'filter.state', filter?.state),
  ...chosenValues('features', 'filter.feature', filter?.feature),
  ...chosenValues('projects', 'filter.project', filter?.project),
  ...chosenValues('environments', 'filter.environment', filter?.environment),
  ...readRange('filter.createdAt', filter?.createdAt),
  ...readTypeFilter('filter.eventType', filter?.eventType),
});

const DELIVERY_KEY: CursorKey<IntegrationEventRow, bigint> = {
  kind: 'integrationEvents',
  keyOf: (delivery) => delivery.id,
  parse: (text) => (/^\d{1,18}$/.test(text) ? BigInt(text) : null),
};

const { Connection, Edge } = connectionTypes(IntegrationEvent, {
  name: 'IntegrationEvent',
  description: 'A page of deliveries, newest first.',
  edgeDescription: 'A delivery and its place in the list.',
});

const filterArg = {
  type: IntegrationEventFilter,
  description: 'Which deliveries; all when left out.',
};

const deliveriesTo = async (
  integrationId: number,
  { filter, ...args }: PageArgs & { filter?: Filter },
  { pages }: Context,
) => {
  const criteria = readFilter(filter);
  const { page, toConnection } = readPage(args, {
    key: DELIVERY_KEY,
    filter: [integrationId, criteria],
    most: MAX_INTEGRATION_EVENTS_LIMIT,
  });
  return {
    ...toConnection(await pages.integrationEventsOf({ criteria, page }, integrationId)),
    countTotal: (upTo?: number) =>
      pages.countIntegrationEventsOf({ criteria, upTo }, integrationId),
  };
};

builder.queryField('integrationEvents', (t) =>
  t.connection(
    {
      type: IntegrationEvent,
      description: 'Deliveries to one integration, newest first. Needs ADMIN.',
      complexity: pageCost,
      args: {
        integrationId: t.arg.int({ required: true, description: 'Number of the integration.' }),
        filter: t.arg(filterArg),
      },
      resolve: async (_root, { integrationId, ...args }, context) => {
        await context.operations.assertIntegration(context.actor, integrationId);
        return deliveriesTo(integrationId, args, context);
      },
    },
    Connection,
    Edge,
  ),
);

builder.prismaObjectField(Integration, 'events', (t) =>
  t.connection(
    {
      type: IntegrationEvent,
      description: 'Deliveries to this integration, newest first.',
      complexity: pageCost,
      args: { filter: t.arg(filterArg) },
      resolve: ({ id }, args, context) => deliveriesTo(id, args, context),
    },
    Connection,
    Edge,
  ),
);
