import type { DeliveryOrder } from '../../domain/integrations/list-integration-events.js';
import type { IntegrationEventRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import type { CursorKey } from '../connection.js';
import { directionOptions, orderMark, readOrder, readPosition, writePosition } from './order.js';

const IntegrationEventOrderField = builder.enumType('IntegrationEventOrderField', {
  description: 'Value to sort deliveries by.',
  values: { CREATED_AT: { description: 'When the delivery finished.' } } as const,
});

const IntegrationEventOrder = builder.inputType('IntegrationEventOrder', {
  description: 'Order of deliveries. Deliveries with the same value are sorted by ID.',
  fields: (t) => ({
    field: t.field({
      type: IntegrationEventOrderField,
      required: true,
      description: 'Value to sort by.',
    }),
    direction: t.field(directionOptions),
  }),
});

export type DeliveryOrderInput = typeof IntegrationEventOrder.$inferInput | null | undefined;

export const orderArg = {
  type: IntegrationEventOrder,
  description: 'Order of the deliveries. Default: as recorded, newest first.',
};

const USUAL: DeliveryOrder = { field: 'ID', descending: true };

export const readDeliveryOrder = (
  input: DeliveryOrderInput,
): { order: DeliveryOrder; mark: string[] } => {
  const order = readOrder<DeliveryOrder['field']>(input, USUAL);
  return { order, mark: orderMark(order, USUAL) };
};

/** The position is the ID, or the timestamp in milliseconds and the ID. */
export const orderedDeliveryKey = ({
  field,
}: DeliveryOrder): CursorKey<IntegrationEventRow, readonly (string | number)[]> => ({
  kind: 'integrationEvents',
  keyOf: ({ id, createdAt }) => (field === 'ID' ? [String(id)] : [createdAt.getTime(), Number(id)]),
  write: writePosition,
  parse: (text) => {
    if (field === 'ID') return /^\d{1,18}$/.test(text) ? [text] : null;
    return readPosition(text, ['integer', 'integer']);
  },
});
