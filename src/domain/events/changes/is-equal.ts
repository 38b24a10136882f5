import { ExactNumber } from '../../../data/json/exact-number.js';

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber);

const isSameNumber = (one: unknown, other: unknown): boolean =>
  one instanceof ExactNumber && other instanceof ExactNumber && one.isEqual(other);

/** Ignores the order of keys. Iterative, so that deep values cannot overflow the stack. */
export const isEqual = (one: unknown, other: unknown): boolean => {
  const open: [unknown, unknown][] = [[one, other]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [a, b] = pair;
    if (a === b || isSameNumber(a, b)) continue;
    if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return false;

    const entries = Object.entries(a);
    if (entries.length !== Object.keys(b).length) return false;
    for (const [key, value] of entries) {
      if (!Object.hasOwn(b, key)) return false;
      open.push([value, (b as Record<string, unknown>)[key]]);
    }
  }
  return true;
};
