import type {
  Failure,
  StateCount as StateCountRow,
  IntegrationStats as Stats,
} from '../../domain/integrations/list-integration-stats.js';
import { builder } from '../builder.js';
import { COUNT_COST } from '../connection.js';
import type { Context } from '../context.js';
import { Integration } from './integration.js';
import { IntegrationEvent } from './integration-event.js';

/** The record may have been deleted since it was counted. */
const deliveryOf = (id: bigint | null, { pages }: Context) =>
  id === null ? null : pages.integrationEvent.load(id);

const StateCount = builder.objectRef<StateCountRow>('DeliveryStateCount').implement({
  description: 'How many deliveries ended in a state.',
  fields: (t) => ({
    state: t.exposeString('state', {
      description:
        'How they ended: `success`, `successWithErrors` or `failed`, in exactly these letters.',
    }),
    count: t.exposeInt('count', { description: 'Number of deliveries.' }),
  }),
});

const CommonFailure = builder.objectRef<Failure>('CommonDeliveryFailure').implement({
  description: 'Failed deliveries that tell the same about it.',
  fields: (t) => ({
    stateDetails: t.exposeString('stateDetails', { description: 'What they tell.' }),
    count: t.exposeInt('count', { description: 'Number of deliveries.' }),
    last: t.field({
      type: IntegrationEvent,
      nullable: true,
      description: 'The last of them; null when its record was deleted meanwhile.',
      resolve: ({ last }, _args, context) => deliveryOf(last, context),
    }),
  }),
});

const IntegrationStats = builder.objectRef<Stats>('IntegrationStats').implement({
  description:
    'How deliveries went, as far as records of them are kept. A running service deletes most after two hours, or sooner when there are more than a hundred of all integrations, and keeps the last of each; where none runs, as on the demo data, nothing is deleted.',
  fields: (t) => ({
    since: t.expose('since', {
      type: 'DateTime',
      nullable: true,
      description:
        'How far back that reaches for this integration: when the oldest of its deliveries on record was over; null without any. Later ones may have been deleted too.',
    }),
    deliveries: t.exposeInt('deliveries', { description: 'Deliveries on record.' }),
    succeeded: t.exposeInt('succeeded', { description: 'Those in the state `success`.' }),
    failed: t.exposeInt('failed', {
      description:
        'Those that failed, wholly or in part: in any state but `success`, so `failed`, `successWithErrors` and whatever a newer service adds.',
    }),
    byState: t.expose('byState', {
      type: [StateCount],
      description: 'Deliveries by how they ended, most frequent first.',
    }),
    failureRate: t.float({
      nullable: true,
      description: 'Share of those that failed, from 0 to 1; null without deliveries.',
      resolve: ({ failed, deliveries }) => (deliveries === 0 ? null : failed / deliveries),
    }),
    lastFailure: t.field({
      type: IntegrationEvent,
      nullable: true,
      description: 'The last that failed; null when none on record did.',
      resolve: ({ lastFailure }, _args, context) => deliveryOf(lastFailure, context),
    }),
    lastSuccess: t.field({
      type: IntegrationEvent,
      nullable: true,
      description: 'The last that succeeded; null when none on record did.',
      resolve: ({ lastSuccess }, _args, context) => deliveryOf(lastSuccess, context),
    }),
    commonestFailure: t.expose('commonestFailure', {
      type: CommonFailure,
      nullable: true,
      description:
        'What most of those that failed tell, the later of two that are as common; null when none on record failed.',
    }),
  }),
});

builder.prismaObjectField(Integration, 'stats', (t) =>
  t.field({
    type: IntegrationStats,
    description: 'How deliveries to it went, as far as records of them are kept.',
    complexity: COUNT_COST,
    resolve: ({ id }, _args, { pages }) => pages.integrationStats.load(id),
  }),
);
