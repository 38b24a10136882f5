import { COUNT_COST } from '../../domain/cost.js';
import type {
  Failure,
  StateCount as StateCountRow,
  IntegrationStats as Stats,
} from '../../domain/integrations/list-integration-stats.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { DeliveryState, toDeliveryState } from './delivery-state.js';
import { Integration } from './integration.js';
import { IntegrationEvent } from './integration-event.js';

/** Returns null if the record was deleted after it was counted. */
const deliveryOf = (id: bigint | null, { pages }: Context) =>
  id === null ? null : pages.integrationEvent.load(id);

const StateCount = builder.objectRef<StateCountRow>('DeliveryStateCount').implement({
  description: 'Number of deliveries with a given outcome.',
  fields: (t) => ({
    state: t.field({
      type: DeliveryState,
      description: 'Outcome. OTHER for outcomes newer than this gateway.',
      resolve: ({ state }) => toDeliveryState(state),
    }),
    stateName: t.exposeString('state', { description: 'Outcome as recorded, such as `failed`.' }),
    count: t.exposeInt('count', { description: 'Number of deliveries.' }),
  }),
});

const CommonFailure = builder.objectRef<Failure>('CommonDeliveryFailure').implement({
  description: 'Failed deliveries with the same `stateDetails`.',
  fields: (t) => ({
    stateDetails: t.exposeString('stateDetails', {
      description: 'Human-readable details that these deliveries share.',
    }),
    count: t.exposeInt('count', { description: 'Number of deliveries.' }),
    lastDelivery: t.field({
      type: IntegrationEvent,
      nullable: true,
      description: 'Latest of these deliveries; null if its record has been deleted since.',
      resolve: ({ last }, _args, context) => deliveryOf(last, context),
    }),
  }),
});

const IntegrationStats = builder.objectRef<Stats>('IntegrationStats').implement({
  description:
    'Statistics over the delivery records that still exist. Unleash deletes records after two hours, or sooner if there are more than 100 across all integrations, but keeps the latest record of each integration. If Unleash is not running, as with the demo data, no records are deleted.',
  fields: (t) => ({
    since: t.expose('since', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the oldest recorded delivery to this integration finished; null if there are none. Later records may have been deleted too.',
    }),
    deliveryCount: t.exposeInt('deliveries', { description: 'Number of recorded deliveries.' }),
    succeededCount: t.exposeInt('succeeded', {
      description: 'Number of deliveries in the state `success`.',
    }),
    failedCount: t.exposeInt('failed', {
      description:
        'Number of deliveries that failed at least in part: any state except `success`, so `failed`, `successWithErrors` and states that newer Unleash versions add.',
    }),
    byState: t.expose('byState', {
      type: [StateCount],
      description: 'Number of deliveries by outcome, most frequent first.',
    }),
    failureRate: t.float({
      nullable: true,
      description: 'Share of deliveries that failed, from 0 to 1. Null if there are no deliveries.',
      resolve: ({ failed, deliveries }) => (deliveries === 0 ? null : failed / deliveries),
    }),
    lastFailure: t.field({
      type: IntegrationEvent,
      nullable: true,
      description: 'Latest failed delivery; null if no recorded delivery failed.',
      resolve: ({ lastFailure }, _args, context) => deliveryOf(lastFailure, context),
    }),
    lastSuccess: t.field({
      type: IntegrationEvent,
      nullable: true,
      description: 'Latest successful delivery; null if no recorded delivery succeeded.',
      resolve: ({ lastSuccess }, _args, context) => deliveryOf(lastSuccess, context),
    }),
    commonestFailure: t.expose('commonestFailure', {
      type: CommonFailure,
      nullable: true,
      description:
        'Most common failure; on a tie, the one that occurred last. Null if no recorded delivery failed.',
    }),
  }),
});

builder.objectField(Integration, 'stats', (t) =>
  t.field({
    type: IntegrationStats,
    description: 'Statistics over the delivery records of this integration that still exist.',
    complexity: COUNT_COST,
    resolve: ({ id }, _args, { pages }) => pages.integrationStats.load(id),
  }),
);
