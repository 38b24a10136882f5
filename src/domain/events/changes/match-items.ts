import { isObject, type JsonObject } from '../../json.js';
import type { ItemField } from './change-path.js';

/** What tells the items of a list from one another, the surest first. */
const ITEM_KEYS: readonly (readonly string[])[] = [
  ['id'],
  ['name'],
  ['name', 'environment'],
  ['contextName', 'operator'],
  ['contextName', 'operator', 'inverted'],
  ['contextName'],
  ['type', 'value'],
  ['value'],
];

export type Item = { readonly fields: readonly ItemField[]; readonly value: JsonObject };

/** Items by what tells them apart, in the order of their list. */
export type Items = ReadonlyMap<string, Item>;

const isTelling = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Null where an item lacks one of the fields, or shares them with another. */
const itemsBy = (keys: readonly string[], list: readonly unknown[]): Items | null => {
  const items = new Map<string, Item>();
  for (const value of list) {
    if (!isObject(value)) return null;
    const fields: ItemField[] = [];
    for (const key of keys) {
      const field = Object.hasOwn(value, key) ? value[key] : undefined;
      if (!isTelling(field)) return null;
      fields.push([key, field]);
    }
    const identity = JSON.stringify(fields);
    if (items.has(identity)) return null;
    items.set(identity, { fields, value });
  }
  return items;
};

/** The items of two lists, where the same fields tell all of them apart. */
export const matchItems = (
  before: readonly unknown[],
  after: readonly unknown[],
): { before: Items; after: Items } | null => {
  for (const keys of ITEM_KEYS) {
    const older = itemsBy(keys, before);
    const newer = older && itemsBy(keys, after);
    if (newer) return { before: older, after: newer };
  }
  return null;
};
