import { possibleTypes } from '../generated/possible-types.js';

type Composite = Record<string, unknown> & { __typename: string };
type Ref = { __ref: string };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isComposite = (value: unknown): value is Composite =>
  isRecord(value) && typeof value['__typename'] === 'string';
export const isRef = (value: unknown): value is Ref =>
  isRecord(value) && typeof value['__ref'] === 'string';

/** Values of JSON scalars have no type name: they are equal or they differ, but they never merge. */
const isEqual = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => isEqual(a[key], b[key]));
};

/** The `id` of an error identifies one occurrence in the log of the gateway: each response has its own. */
const isOccurrence = ({ __typename }: Composite, key: string): boolean =>
  key === 'id' && (possibleTypes['Error'] as readonly string[]).includes(__typename);

const combineFields = (existing: Composite, incoming: Composite): Composite | undefined => {
  const combined: Composite = { ...existing, ...incoming };
  for (const key of Object.keys(incoming)) {
    if (!(key in existing) || isOccurrence(incoming, key)) continue;
    const value = combine(existing[key], incoming[key]);
    if (value === undefined) return undefined;
    combined[key] = value;
  }
  return combined;
};

const combineItems = (
  existing: readonly unknown[],
  incoming: readonly unknown[],
): unknown[] | undefined => {
  if (existing.length !== incoming.length) return undefined;
  const items: unknown[] = [];
  for (const [index, item] of incoming.entries()) {
    const combined = combine(existing[index], item);
    if (combined === undefined) return undefined;
    items.push(combined);
  }
  return items;
};

/**
 * One value with the fields of both selections, or undefined if both contain a field with different values: then they
 * are different objects, or two states of one, and must not be mixed.
 */
export const combine = (existing: unknown, incoming: unknown): unknown => {
  if (isComposite(existing) && isComposite(incoming)) return combineFields(existing, incoming);
  if (Array.isArray(existing) && Array.isArray(incoming)) return combineItems(existing, incoming);
  return isEqual(existing, incoming) ? incoming : undefined;
};

/** Keeps what another component selected from the same items; a list that changed replaces the old one. */
export const mergeObjectList = (existing: unknown, incoming: unknown): unknown =>
  combine(existing, incoming) ?? incoming;
