import type { Order } from '../../domain/paging.js';
import { builder } from '../builder.js';

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Sort direction. DESC is the exact reverse of ASC.',
  values: {
    ASC: { description: 'Ascending: lowest, earliest or A first.' },
    DESC: { description: 'Descending: highest, latest or Z first.' },
  } as const,
});

type OrderInput<Field extends string> = {
  field: Field;
  direction: typeof OrderDirection.$inferType;
};

export const directionOptions = {
  type: OrderDirection,
  required: true,
  defaultValue: 'ASC',
  description: 'Direction. Default ASC.',
} as const;

export const readOrder = <Field extends string>(
  input: OrderInput<Field> | null | undefined,
  usual: Order<Field>,
): Order<Field> => (input ? { field: input.field, descending: input.direction === 'DESC' } : usual);

/** Part of the fingerprint of cursors. The usual order has none, whether or not it is written. */
export const orderMark = <Field extends string>(
  order: Order<Field>,
  usual: Order<Field>,
): string[] =>
  order.field === usual.field && order.descending === usual.descending
    ? []
    : [`${order.field} ${order.descending ? 'DESC' : 'ASC'}`];

type Value = string | number;

/** The text of a position in a cursor: a single value as it is, several as JSON. */
export const writePosition = (values: readonly Value[]): string =>
  values.length === 1 ? String(values[0]) : JSON.stringify(values);

/** Null if the text is not a position with values of these types. */
export const readPosition = (
  text: string,
  types: readonly ('text' | 'integer')[],
): Value[] | null => {
  if (types.length === 1) return types[0] === 'text' ? [text] : null;
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return null;
  }
  const isPosition =
    Array.isArray(values) &&
    values.length === types.length &&
    values.every((value, index) =>
      types[index] === 'text' ? typeof value === 'string' : Number.isSafeInteger(value),
    );
  return isPosition ? (values as Value[]) : null;
};
