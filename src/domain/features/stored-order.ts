import { isObject } from '../json.js';

const compareKeys = (one: string, other: string): number => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length - b.length || Buffer.compare(a, b);
};

/** A JSON value as jsonb returns it: keys sorted by length, then by bytes. */
export const inStoredOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inStoredOrder);
  if (!isObject(value)) return value;
  // `fromEntries` defines keys, so that '__proto__' stays an ordinary key.
  return Object.fromEntries(
    Object.keys(value)
      .toSorted(compareKeys)
      .map((key) => [key, inStoredOrder(value[key])]),
  );
};
