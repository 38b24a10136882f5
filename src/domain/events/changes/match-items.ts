import { ITEM_KEYS, type ItemField } from '../../../data/events/change-path.js';
import { isObject, type JsonObject } from '../../json.js';

export type Item = { readonly fields: readonly ItemField[]; readonly value: JsonObject };

/** Items by identity, in list order. */
export type Items = ReadonlyMap<string, Item>;

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Null if an item lacks one of the fields or shares them with another. */
const itemsBy = (keys: readonly string[], list: readonly unknown[]): Items | null => {
  const items = new Map<string, Item>();
  for (const value of list) {
    if (!isObject(value)) return null;
    const fields: ItemField[] = [];
    for (const key of keys) {
      const field = Object.hasOwn(value, key) ? value[key] : undefined;
      if (!isScalar(field)) return null;
      fields.push([key, field]);
    }
    const identity = JSON.stringify(fields);
    if (items.has(identity)) return null;
    items.set(identity, { fields, value });
  }
  return items;
};

/** Null unless the same fields identify all items of both lists. */
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
