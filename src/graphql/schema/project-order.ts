import type { ListedProject, ProjectOrder as Order } from '../../domain/projects/list-projects.js';
import { builder } from '../builder.js';
import type { CursorKey } from '../connection.js';
import { directionOptions, orderMark, readOrder, readPosition, writePosition } from './order.js';

const ProjectOrderField = builder.enumType('ProjectOrderField', {
  description: 'Value to sort projects by. Projects without a value sort as the lowest.',
  values: {
    ID: { description: 'Project ID.' },
    NAME: { description: 'Project name.' },
    CREATED_AT: { description: 'When the project was created.' },
    UPDATED_AT: { description: 'When the project was last updated.' },
    HEALTH: { description: 'Health score.' },
  } as const,
});

export const ProjectOrder = builder.inputType('ProjectOrder', {
  description: 'Order of projects. Projects with the same value are sorted by ID.',
  fields: (t) => ({
    field: t.field({ type: ProjectOrderField, required: true, description: 'Value to sort by.' }),
    direction: t.field(directionOptions),
  }),
});

const USUAL: Order = { field: 'ID', descending: false };

export const readProjectOrder = (
  input: typeof ProjectOrder.$inferInput | null | undefined,
): { order: Order; mark: string[] } => {
  const order = readOrder(input, USUAL);
  return { order, mark: orderMark(order, USUAL) };
};

/** The position is the ID, or the value that comes before it and the ID. */
export const projectKey = ({
  field,
}: Order): CursorKey<ListedProject, readonly (string | number)[]> => ({
  kind: 'projects',
  keyOf: ({ id, sortValue }) => (field === 'ID' ? [id] : [sortValue, id]),
  write: writePosition,
  parse: (text) =>
    readPosition(text, field === 'ID' ? ['text'] : [field === 'NAME' ? 'text' : 'integer', 'text']),
});
