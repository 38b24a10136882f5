import type { OrderDirection } from '../generated/documents.js';

/** An order of the graph. */
export type Sort<Field extends string> = { field: Field; direction: OrderDirection };

/** The orders of a list, each in the direction that is useful first. The first one is the default. */
export type Sorts<Field extends string> = readonly [Sort<Field>, ...Sort<Field>[]];

const nameOf = (field: string): string => field.toLowerCase().replaceAll('_', '-');

/** `-created-at` for the latest first, as written in the URL. */
export const writeSort = <Field extends string>({ field, direction }: Sort<Field>): string =>
  `${direction === 'DESC' ? '-' : ''}${nameOf(field)}`;

export const readSort = <Field extends string>(text: string, sorts: Sorts<Field>): Sort<Field> => {
  const known = sorts.find(({ field }) => nameOf(field) === text.replace(/^-/, ''));
  if (!known) return sorts[0];
  return { field: known.field, direction: text.startsWith('-') ? 'DESC' : 'ASC' };
};

/** The order after a click on the header of a column: a second click reverses it. */
export const nextSort = <Field extends string>(
  clicked: Field,
  current: Sort<Field>,
  sorts: Sorts<Field>,
): Sort<Field> => {
  if (clicked === current.field) {
    return { field: clicked, direction: current.direction === 'ASC' ? 'DESC' : 'ASC' };
  }
  return sorts.find(({ field }) => field === clicked) ?? sorts[0];
};
