import { plain } from './event-markdown.js';

const MAX_ITEMS = 20;
const MAX_LIST = 300;
const MAX_SOURCE = 4_000;

/** An own field of a payload of whatever shape; undefined when there is none. */
export const field = (payload: unknown, key: string): unknown =>
  typeof payload === 'object' && payload !== null && Object.hasOwn(payload, key)
    ? (payload as Record<string, unknown>)[key]
    : undefined;

/** The first field, key by key and payload by payload, that has a text; whole, so fit for an address. */
export const firstValue = (payloads: readonly unknown[], keys: readonly string[]): string => {
  for (const key of keys) {
    for (const payload of payloads) {
      const value = field(payload, key);
      if (plain(value) !== '') return String(value);
    }
  }
  return '';
};

/** The same as one short line. */
export const firstText = (payloads: readonly unknown[], keys: readonly string[]): string =>
  plain(firstValue(payloads, keys));

type ListOptions = { separator?: string; max?: number; isOpenEnded?: boolean };

/** The head of a list in words, with the number of items left out. */
export const listWords = <Item>(
  list: readonly Item[],
  words: (item: Item) => string,
  { separator = ', ', max = MAX_LIST, isOpenEnded = false }: ListOptions = {},
): string => {
  let text = '';
  let seen = 0;
  for (const item of list.slice(0, MAX_ITEMS)) {
    const next = words(item);
    if (text !== '' && text.length + next.length > max) break;

    text = text === '' || next === '' ? text + next : text + separator + next;
    seen += 1;
  }
  if (text === '') return '';

  const rest = list.length - seen;
  if (rest === 0) return text;
  return `${text} … and ${isOpenEnded ? 'at least ' : ''}${rest} more`;
};

const nameOrId = (item: unknown): string => plain(item) || firstText([item], ['name', 'id']);

/** A list as strategies keep it: an array, or one text with commas. */
export const idsWords = (value: unknown): string => {
  if (Array.isArray(value)) return listWords(value, nameOrId);
  if (typeof value !== 'string') return plain(value);

  const ids = value.slice(0, MAX_SOURCE).split(',');
  return listWords(
    ids.filter((id) => id.trim() !== ''),
    (id) => plain(id),
    { isOpenEnded: value.length > MAX_SOURCE },
  );
};
