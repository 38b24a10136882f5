import { didYouMean } from '../domain/did-you-mean.js';
import { EVENT_CATEGORIES } from '../domain/events/event-categories.js';
import { EVENT_TYPES } from '../domain/events/event-types.js';
import { OptionError } from './option-error.js';

const enumName = (input: string): string => input.trim().replaceAll('-', '_').toUpperCase();
const recordedName = (name: string): string => name.replaceAll('_', '-').toLowerCase();

const TYPES: ReadonlySet<string> = new Set([...EVENT_TYPES.map(enumName), 'OTHER']);
const CATEGORIES: ReadonlySet<string> = new Set(Object.keys(EVENT_CATEGORIES));

const wordsOf = (lists: readonly string[]): string[] => lists.flatMap((list) => list.split(','));

const readType = (input: string): string => {
  const name = enumName(input);
  if (TYPES.has(name)) return name;

  const hint =
    didYouMean(recordedName(name), EVENT_TYPES) ||
    ' Types are spelled as recorded, such as feature-created.';
  throw new OptionError(`There is no event type '${input.trim()}'.${hint}`);
};

const readCategory = (input: string): string => {
  const name = enumName(input);
  if (CATEGORIES.has(name)) return name;
  throw new OptionError(
    `There is no category '${input.trim()}' of event types. Categories: ${[...CATEGORIES].map(recordedName).join(', ')}.`,
  );
};

/** An EventTypeFilter from type names as recorded or as in the schema, also as comma-separated lists. */
export const readTypeFilter = (
  types: readonly string[] | undefined,
  categories: readonly string[] | undefined,
) => ({
  ...(types && { anyOf: wordsOf(types).map(readType) }),
  ...(categories && { category: wordsOf(categories).map(readCategory) }),
});
