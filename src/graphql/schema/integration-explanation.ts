import { OBSTACLES, type Obstacle } from '../../domain/integrations/delivery-obstacles.js';
import type { DeliveryExplanation } from '../../domain/integrations/explain-delivery.js';
import { builder } from '../builder.js';
import { COUNT_COST } from '../connection.js';
import { Integration } from './integration.js';
import { IntegrationEvent } from './integration-event.js';

const ObstacleCode = builder.enumType('DeliveryObstacleCode', {
  description: 'Why the service does not send an event to an integration.',
  values: Object.fromEntries(
    Object.entries(OBSTACLES).map(([code, description]) => [
      code,
      { value: code as Obstacle['code'], description },
    ]),
  ),
});

const DeliveryObstacle = builder.objectRef<Obstacle>('DeliveryObstacle').implement({
  description: 'Something that keeps the service from sending an event to an integration.',
  fields: (t) => ({
    code: t.expose('code', {
      type: ObstacleCode,
      description: 'Which of the known reasons it is.',
    }),
    message: t.exposeString('message', { description: 'The same in words, with the values.' }),
  }),
});

const IntegrationExplanation = builder
  .objectRef<DeliveryExplanation>('IntegrationExplanation')
  .implement({
    description:
      'Why an event was sent to an integration, or was not: judged by how both are stored now. The configuration may have changed since the event, and the service takes up to a minute to see a change.',
    fields: (t) => ({
      wouldBeSent: t.boolean({
        description: 'Whether nothing keeps the service from sending it.',
        resolve: ({ obstacles }) => obstacles.length === 0,
      }),
      reasons: t.expose('obstacles', {
        type: [DeliveryObstacle],
        description: 'All that keeps the service from sending it; none when it would be sent.',
      }),
      delivery: t.field({
        type: IntegrationEvent,
        nullable: true,
        description:
          'The last record of its delivery; null when there was none or its record is no longer kept.',
        resolve: ({ delivery }, _args, { pages }) =>
          delivery === null ? null : pages.integrationEvent.load(delivery),
      }),
    }),
  });

builder.prismaObjectField(Integration, 'explain', (t) =>
  t.field({
    type: IntegrationExplanation,
    nullable: true,
    description:
      'Why an event was sent to this integration, or was not; null when the log has no such event that you may see.',
    complexity: COUNT_COST,
    args: { eventId: t.arg.int({ required: true, description: 'Number of the event.' }) },
    resolve: ({ id }, { eventId }, { pages }) => pages.explainDelivery({ eventId }, id),
  }),
);
