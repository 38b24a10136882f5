import {
  type CleanUpOrder as Order,
  USUAL_CLEAN_UP_ORDER,
} from '../../domain/projects/clean-up/list-clean-up.js';
import { builder } from '../builder.js';
import { directionOptions, orderMark, readOrder } from './order.js';

const CleanUpOrderField = builder.enumType('CleanUpOrderField', {
  description: 'Value to sort features to clean up by.',
  values: {
    WEIGHT: { description: 'Weight, then age, then name.' },
    AGE: { description: 'Age, then name. Features of unknown age are the oldest.' },
    NAME: { description: 'Feature name.' },
  } as const,
});

const CleanUpOrder = builder.inputType('CleanUpOrder', {
  description: 'Order of features to clean up.',
  fields: (t) => ({
    field: t.field({ type: CleanUpOrderField, required: true, description: 'Value to sort by.' }),
    direction: t.field(directionOptions),
  }),
});

export type CleanUpOrderInput = typeof CleanUpOrder.$inferInput | null | undefined;

export const orderArg = {
  type: CleanUpOrder,
  description: 'Order of the features. Default: highest weight first, then the oldest.',
};

export const readCleanUpOrder = (input: CleanUpOrderInput): { order: Order; mark: string[] } => {
  const order = readOrder(input, USUAL_CLEAN_UP_ORDER);
  return { order, mark: orderMark(order, USUAL_CLEAN_UP_ORDER) };
};
