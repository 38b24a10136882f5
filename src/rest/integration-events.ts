import { requireAdmin } from '../domain/integrations/integration-access.js';
import { MAX_INTEGRATION_EVENTS_LIMIT } from '../domain/paging.js';
import { readObject } from './body.js';
import { readInteger, readPage } from './query-params.js';
import type { IntegrationEventRecord } from './rest-operations.js';
import { defineRoute } from './route.js';

const DELIVERY_FIELDS = 10;

const toJson = (record: IntegrationEventRecord) => ({
  id: String(record.id),
  integrationId: record.integrationId,
  createdAt: record.createdAt,
  state: record.state,
  stateDetails: record.stateDetails,
  event: record.event,
  details: record.details,
});

export const integrationEventsRoute = defineRoute({
  method: 'GET',
  path: '/api/admin/addons/:id/events',
  guide: 'integration-events',
  authorize: requireAdmin,
  parse: ({ params, query, body }) => {
    const page = readPage(query, MAX_INTEGRATION_EVENTS_LIMIT);
    // The shape of the whole request is validated before any value.
    readObject(body);
    return { integrationId: readInteger('/params/id', params.id), page };
  },
  cost: ({ page }) => page.limit * DELIVERY_FIELDS,
  run: async (operations, actor, input) => {
    const records = await operations.listIntegrationEvents(actor, input);
    return { integrationEvents: records.map(toJson) };
  },
});
