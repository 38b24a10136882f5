import type { ListedFeature, FeatureOrder as Order } from '../../domain/features/list-features.js';
import { builder } from '../builder.js';
import type { CursorKey } from '../connection.js';
import { directionOptions, orderMark, readOrder, readPosition, writePosition } from './order.js';

const FeatureOrderField = builder.enumType('FeatureOrderField', {
  description: 'Value to sort features by. Features without a value sort as the lowest.',
  values: {
    NAME: { description: 'Feature name.' },
    CREATED_AT: { description: 'When the feature was created.' },
    LAST_SEEN_AT: { description: 'When any application last reported using the feature.' },
    ARCHIVED_AT: { description: 'When the feature was archived.' },
    TYPE: { description: 'Feature type.' },
    PROJECT_ID: { description: 'ID of the project.' },
    STALE: { description: 'Whether the feature is marked stale; stale features are the highest.' },
  } as const,
});

export const FeatureOrder = builder.inputType('FeatureOrder', {
  description: 'Order of features. Features with the same value are sorted by name.',
  fields: (t) => ({
    field: t.field({ type: FeatureOrderField, required: true, description: 'Value to sort by.' }),
    direction: t.field(directionOptions),
  }),
});

const USUAL: Order = { field: 'NAME', descending: false };

export const readFeatureOrder = (
  input: typeof FeatureOrder.$inferInput | null | undefined,
): { order: Order; mark: string[] } => {
  const order = readOrder(input, USUAL);
  return { order, mark: orderMark(order, USUAL) };
};

const TEXTS: readonly Order['field'][] = ['NAME', 'TYPE', 'PROJECT_ID'];

/** The position is the name, or the value that comes before it and the name. */
export const featureKey = ({
  field,
}: Order): CursorKey<ListedFeature, readonly (string | number)[]> => ({
  kind: 'features',
  keyOf: ({ name, sortValue }) => (field === 'NAME' ? [name] : [sortValue, name]),
  write: writePosition,
  parse: (text) =>
    readPosition(
      text,
      field === 'NAME' ? ['text'] : [TEXTS.includes(field) ? 'text' : 'integer', 'text'],
    ),
});
