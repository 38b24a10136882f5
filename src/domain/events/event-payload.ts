import { plain } from './event-markdown.js';

const MAX_ITEMS = 20;
const MAX_LIST = 300;
const MAX_SOURCE = 4_000;

/** Reads an own property of a payload of any shape. */
export const field = (payload: unknown, key: string): unknown =>
  typeof payload === 'object' && payload !== null && Object.hasOwn(payload, key)
    ? (payload as Record<string, unknown>)[key]
    : undefined;

/** The first field, key by key and payload by payload, that has a text; not truncated, so it can be used in URLs. */
export const firstValue = (payloads: readonly unknown[], keys: readonly string[]): string => {
  for (const key of keys) {
    for (const payload of payloads) {
      const value = field(payload, key);
      if (plain(value) !== '') return String(value);
    }
  }
  return '';
};

/** The same, as one short line. */
export const firstText = (payloads: readonly unknown[], keys: readonly string[]): string =>
  plain(firstValue(payloads, keys));

type ListOptions = { separator?: string; max?: number; isOpenEnded?: boolean };

/** The first items of a list as text, with the number of omitted items. */
export const listText = <Item>(
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

/** A list as strategies store it: an array or a comma-separated string. */
export const idsText = (value: unknown): string => {
  if (Array.isArray(value)) return listText(value, nameOrId);
  if (typeof value !== 'string') return plain(value);

  const ids = value.slice(0, MAX_SOURCE).split(',');
  return listText(
    ids.filter((id) => id.trim() !== ''),
    (id) => plain(id),
    { isOpenEnded: value.length > MAX_SOURCE },
  );
};
