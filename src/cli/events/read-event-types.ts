import { EVENT_TYPE_GROUPS } from '../../domain/events/event-type-groups.js';
import { EVENT_TYPES } from '../../domain/events/event-types.js';
import { CommandRefusedError } from '../on-database.js';

const enumName = (word: string): string => word.trim().replaceAll('-', '_').toUpperCase();
const recordedName = (name: string): string => name.replaceAll('_', '-').toLowerCase();

const TYPES: ReadonlySet<string> = new Set([...EVENT_TYPES.map(enumName), 'OTHER']);
const GROUPS: ReadonlySet<string> = new Set(Object.keys(EVENT_TYPE_GROUPS));

const wordsOf = (lists: readonly string[]): string[] => lists.flatMap((list) => list.split(','));

const readType = (word: string): string => {
  const name = enumName(word);
  if (TYPES.has(name)) return name;

  const subject = recordedName(name).split('-')[0] ?? '';
  const near = EVENT_TYPES.filter((type) => type.startsWith(`${subject}-`));
  const help =
    near.length > 0
      ? `Of that kind are: ${near.join(', ')}.`
      : 'Types are written as recorded, such as feature-created.';
  throw new CommandRefusedError(`There is no event type '${word.trim()}'. ${help}`);
};

const readGroup = (word: string): string => {
  const name = enumName(word);
  if (GROUPS.has(name)) return name;
  throw new CommandRefusedError(
    `There is no group '${word.trim()}' of event types. There are: ${[...GROUPS].map(recordedName).join(', ')}.`,
  );
};

/** An EventTypeFilter of the graph from words as recorded or as the graph spells them, also in lists with commas. */
export const readTypeFilter = (
  types: readonly string[] | undefined,
  groups: readonly string[] | undefined,
) => ({
  ...(types && { anyOf: wordsOf(types).map(readType) }),
  ...(groups && { group: wordsOf(groups).map(readGroup) }),
});
