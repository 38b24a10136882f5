import { isObject } from '../json.js';

const compareKeys = (one: string, other: string): number => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length - b.length || Buffer.compare(a, b);
};

/** A JSON value as a column of type jsonb gives it back: the keys of objects by length, then by their bytes. */
export const inStoredOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inStoredOrder);
  if (!isObject(value)) return value;
  // Defines keys, so that a '__proto__' stays an ordinary one.
  return Object.fromEntries(
    Object.keys(value)
      .toSorted(compareKeys)
      .map((key) => [key, inStoredOrder(value[key])]),
  );
};
