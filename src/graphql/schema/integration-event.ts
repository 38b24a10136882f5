import { NotFoundError } from '../../domain/errors.js';
import type { IntegrationEventCriteria } from '../../domain/integrations/list-integration-events.js';
import { isObject } from '../../domain/json.js';
import { MAX_INTEGRATION_EVENTS_LIMIT } from '../../domain/paging.js';
import type { IntegrationEventRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import {
  type CursorKey,
  connectionTypes,
  listCost,
  type PageArgs,
  pageArgs,
  parsePage,
} from '../connection.js';
import type { Context } from '../context.js';
import { DeliveredEvent, readDelivered } from './delivered-event.js';
import {
  type DeliveryOrderInput,
  orderArg,
  orderedDeliveryKey,
  readDeliveryOrder,
} from './delivery-order.js';
import { DeliveryState, toDeliveryState } from './delivery-state.js';
import { DeliveryStateFilter, readStateFilter } from './delivery-state-filter.js';
import { EventTypeFilter, readTypeFilter } from './event-type-filter.js';
import { chosenTexts, DateTimeRange, readRange, StringFilter } from './filters.js';
import { Integration } from './integration.js';
import { Node } from './node.js';

export const IntegrationEvent = builder.prismaObject('IntegrationEvent', {
  interfaces: [Node],
  description: 'The record of one delivery of an event to an integration.',
  fields: (t) => ({
    id: t.id({
      description: 'Delivery ID as a string, such as `"42"`.',
      resolve: (delivery) => String(delivery.id),
    }),
    integrationId: t.exposeInt('integrationId', { description: 'Integration ID.' }),
    integration: t.field({
      type: Integration,
      description: 'Integration the event was delivered to.',
      resolve: async ({ integrationId }, _args, { pages }) => {
        const integration = await pages.integration.load(integrationId);
        if (!integration) throw NotFoundError.of('Integration', integrationId);
        return integration;
      },
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the delivery finished.',
    }),
    state: t.field({
      type: DeliveryState,
      description: 'Outcome. OTHER for outcomes newer than this gateway.',
      resolve: ({ state }) => toDeliveryState(state),
    }),
    stateName: t.exposeString('state', { description: 'Outcome as recorded, such as `failed`.' }),
    stateDetails: t.exposeString('stateDetails', {
      description: 'Human-readable details of the outcome.',
    }),
    event: t.field({
      type: DeliveredEvent,
      nullable: true,
      description:
        'The event as it was delivered. Its fields are empty if the record contains no event.',
      resolve: ({ event }) => readDelivered(event),
    }),
    details: t.field({
      type: 'JSONObject',
      description: 'What the integration sent. The structure depends on the integration.',
      resolve: ({ details }) => (isObject(details) ? { ...details } : {}),
    }),
  }),
});

const IntegrationEventFilter = builder.inputType('IntegrationEventFilter', {
  description: 'Filters deliveries. All given conditions must match.',
  fields: (t) => ({
    state: t.field({ type: DeliveryStateFilter, description: 'Outcome of the delivery.' }),
    createdAt: t.field({ type: DateTimeRange, description: 'When the delivery finished.' }),
    eventType: t.field({
      type: EventTypeFilter,
      description: 'Type of the delivered event. Events without a readable type match `OTHER`.',
    }),
    featureName: t.field({
      type: StringFilter,
      description: 'Feature name in the delivered event.',
    }),
    projectId: t.field({ type: StringFilter, description: 'Project ID in the delivered event.' }),
    environmentName: t.field({
      type: StringFilter,
      description: 'Environment name in the delivered event.',
    }),
  }),
});

export type DeliveryFilter = typeof IntegrationEventFilter.$inferInput | null | undefined;

export const readDeliveryFilter = (
  filter: DeliveryFilter,
  now: Date,
): IntegrationEventCriteria => ({
  ...readStateFilter('filter.state', filter?.state),
  ...chosenTexts({
    features: ['filter.featureName', filter?.featureName],
    projects: ['filter.projectId', filter?.projectId],
    environments: ['filter.environmentName', filter?.environmentName],
  }),
  ...readRange('filter.createdAt', filter?.createdAt, now),
  ...readTypeFilter('filter.eventType', filter?.eventType),
});

export const DELIVERY_KEY: CursorKey<IntegrationEventRow, bigint> = {
  kind: 'integrationEvents',
  keyOf: (delivery) => delivery.id,
  parse: (text) => (/^\d{1,18}$/.test(text) ? BigInt(text) : null),
};

const { Connection } = connectionTypes(IntegrationEvent, {
  name: 'IntegrationEvent',
  description: 'A page of deliveries.',
  edgeDescription: 'A delivery and its cursor.',
});

export { Connection as IntegrationEventConnection };

export const filterArg = {
  type: IntegrationEventFilter,
  description: 'Deliveries to return; all if omitted.',
};

const deliveriesTo = async (
  integrationId: number,
  {
    filter,
    orderBy,
    ...args
  }: PageArgs & { filter?: DeliveryFilter; orderBy?: DeliveryOrderInput },
  { now, pages }: Context,
) => {
  const criteria = readDeliveryFilter(filter, now);
  const { order, mark } = readDeliveryOrder(orderBy);
  const { page, toConnection } = parsePage(args, {
    key: orderedDeliveryKey(order),
    filter: [integrationId, criteria, ...mark],
    max: MAX_INTEGRATION_EVENTS_LIMIT,
  });
  return {
    ...toConnection(await pages.integrationEventsOf({ criteria, order, page }, integrationId)),
    countTotal: (upTo?: number) =>
      pages.countIntegrationEventsOf({ criteria, upTo }, integrationId),
  };
};

builder.queryField('integrationEvents', (t) =>
  t.field({
    type: Connection,
    description: 'Deliveries to one integration, newest first. Requires the ADMIN permission.',
    complexity: listCost,
    args: {
      ...pageArgs(t, MAX_INTEGRATION_EVENTS_LIMIT),
      integrationId: t.arg.int({ required: true, description: 'Integration ID.' }),
      filter: t.arg(filterArg),
      orderBy: t.arg(orderArg),
    },
    resolve: async (_root, { integrationId, ...args }, context) => {
      await context.operations.assertIntegration(context.actor, integrationId);
      return deliveriesTo(integrationId, args, context);
    },
  }),
);

builder.objectField(Integration, 'deliveries', (t) =>
  t.field({
    type: Connection,
    description: 'Deliveries to this integration, newest first.',
    complexity: listCost,
    args: {
      ...pageArgs(t, MAX_INTEGRATION_EVENTS_LIMIT),
      filter: t.arg(filterArg),
      orderBy: t.arg(orderArg),
    },
    resolve: ({ id }, args, context) => deliveriesTo(id, args, context),
  }),
);
