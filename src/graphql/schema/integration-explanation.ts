import { COUNT_COST } from '../../domain/cost.js';
import { OBSTACLES, type Obstacle } from '../../domain/integrations/delivery-obstacles.js';
import type { DeliveryExplanation } from '../../domain/integrations/explain-delivery.js';
import { builder } from '../builder.js';
import { Integration } from './integration.js';
import { IntegrationEvent } from './integration-event.js';

const ObstacleCode = builder.enumType('DeliveryObstacleCode', {
  description: 'Reason why Unleash does not send an event to an integration.',
  values: Object.fromEntries(
    Object.entries(OBSTACLES).map(([code, description]) => [
      code,
      { value: code as Obstacle['code'], description },
    ]),
  ),
});

const DeliveryObstacle = builder.objectRef<Obstacle>('DeliveryObstacle').implement({
  description: 'A reason why Unleash does not send an event to an integration, with details.',
  fields: (t) => ({
    code: t.expose('code', {
      type: ObstacleCode,
      description: 'Reason code.',
    }),
    message: t.exposeString('message', {
      description: 'Human-readable reason, including the values involved.',
    }),
  }),
});

const IntegrationExplanation = builder
  .objectRef<DeliveryExplanation>('IntegrationExplanation')
  .implement({
    description:
      'Why an event was or was not sent to an integration, based on how both are stored now. The configuration may have changed since the event, and Unleash takes up to a minute to notice a change.',
    fields: (t) => ({
      wouldBeSent: t.boolean({
        description: 'Whether Unleash would send the event. True if `reasons` is empty.',
        resolve: ({ obstacles }) => obstacles.length === 0,
      }),
      reasons: t.expose('obstacles', {
        type: [DeliveryObstacle],
        description: 'All reasons why Unleash would not send the event; empty if it would.',
      }),
      delivery: t.field({
        type: IntegrationEvent,
        nullable: true,
        description:
          'Latest delivery record of the event. Null if it was not delivered or the record has been deleted.',
        resolve: ({ delivery }, _args, { pages }) =>
          delivery === null ? null : pages.integrationEvent.load(delivery),
      }),
    }),
  });

builder.objectField(Integration, 'explain', (t) =>
  t.field({
    type: IntegrationExplanation,
    nullable: true,
    description:
      'Explains why an event was or was not sent to this integration. Null if the event does not exist or you may not see it.',
    complexity: COUNT_COST,
    args: { eventId: t.arg.int({ required: true, description: 'Event ID.' }) },
    resolve: ({ id }, { eventId }, { pages }) => pages.explainDelivery({ eventId }, id),
  }),
);
