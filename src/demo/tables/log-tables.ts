import type { Clock } from '../clock.js';
import { deliveriesOf } from '../deliveries.js';
import type { HistoricEvent } from '../history/build-history.js';
import { INTEGRATIONS } from '../integrations.js';
import type { Table } from './table.js';

export const eventsTable = (history: readonly HistoricEvent[]): Table => ({
  name: 'events',
  rows: history.map((event) => ({
    id: event.id,
    created_at: event.createdAt,
    type: event.type,
    created_by: event.createdBy,
    created_by_user_id: event.createdByUserId,
    project: event.project,
    environment: event.environment,
    feature_name: event.featureName,
    data: event.data,
    pre_data: event.preData,
    tags: event.tags,
    ip: event.ip,
    group_type: event.groupType,
    group_id: event.groupId,
    // Marked as announced, so that Unleash does not publish the history.
    announced: true,
  })),
});

export const integrationTables = (clock: Clock, history: readonly HistoricEvent[]): Table[] => [
  {
    name: 'addons',
    rows: INTEGRATIONS.map((integration) => ({
      id: integration.id,
      provider: integration.provider,
      description: integration.description,
      enabled: integration.enabled,
      parameters: integration.parameters,
      events: [...integration.events],
      projects: [...integration.projects],
      environments: [...integration.environments],
      created_at: clock.at(integration.created, 950),
    })),
  },
  {
    name: 'integration_events',
    rows: deliveriesOf(history, clock.today).map((delivery, index) => ({
      id: index + 1,
      integration_id: delivery.integrationId,
      created_at: delivery.createdAt,
      state: delivery.state,
      state_details: delivery.stateDetails,
      event: delivery.event,
      details: delivery.details,
    })),
  },
];
