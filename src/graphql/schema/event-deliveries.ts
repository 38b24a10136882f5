import { seesIntegrations } from '../../domain/integrations/integration-access.js';
import { MAX_INTEGRATION_EVENTS_LIMIT } from '../../domain/paging.js';
import { builder } from '../builder.js';
import { listCost, pageArgs, parsePage } from '../connection.js';
import { Event } from './event.js';
import {
  DELIVERY_KEY,
  filterArg,
  IntegrationEventConnection,
  readDeliveryFilter,
} from './integration-event.js';

builder.objectField(Event, 'deliveries', (t) =>
  t.field({
    type: IntegrationEventConnection,
    nullable: true,
    description:
      'Deliveries of this event to integrations, newest first, as far as Unleash keeps their records. Requires ADMIN; null for other callers.',
    complexity: listCost,
    args: { ...pageArgs(t, MAX_INTEGRATION_EVENTS_LIMIT), filter: t.arg(filterArg) },
    resolve: async ({ id }, { filter, ...args }, { actor, now, pages }) => {
      if (!seesIntegrations(actor)) return null;
      const criteria = readDeliveryFilter(filter, now);
      const { page, toConnection } = parsePage(args, {
        key: DELIVERY_KEY,
        filter: [`event:${id}`, criteria],
        max: MAX_INTEGRATION_EVENTS_LIMIT,
      });
      return {
        ...toConnection(await pages.deliveriesOfEvent({ criteria, page }, id)),
        countTotal: (upTo?: number) => pages.countDeliveriesOfEvent({ criteria, upTo }, id),
      };
    },
  }),
);
