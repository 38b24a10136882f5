import { ExactNumber } from '../../data/json/exact-number.js';
import { truncate } from '../truncate.js';
import { plain } from './event-markdown.js';
import { field, listText } from './event-payload.js';

const MAX_COMPARED = 2_000;

const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber);

/** Compares the given keys at every depth; values beyond the budget count as equal. */
const isSame = (
  one: unknown,
  other: unknown,
  keys: readonly string[],
  budget: { remaining: number },
): boolean => {
  budget.remaining -= 1;
  if (budget.remaining < 0 || (isBlank(one) && isBlank(other))) return true;

  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return false;

    for (let index = 0; index < one.length && budget.remaining > 0; index += 1) {
      if (!isSame(one[index], other[index], keys, budget)) return false;
    }
    return true;
  }
  if (isObject(one) && isObject(other)) {
    return keys.every((key) => isSame(field(one, key), field(other, key), keys, budget));
  }
  return !isObject(one) && !isObject(other) && String(one) === String(other);
};

type Comparison = { words?: (value: unknown) => string; keys?: readonly string[] };

/** Describes the change of one value, unescaped; empty if it is unchanged or not recorded. */
export const changeText = (
  what: string,
  before: unknown,
  after: unknown,
  { words = plain, keys = [] }: Comparison = {},
): string => {
  if (after === undefined) return '';
  if (isSame(before, after, keys, { remaining: MAX_COMPARED })) return '';

  const from = words(before);
  const to = words(after);
  if (from === to) return `${what} changed`;
  if (from === '') return `${what} set to ${to}`;
  if (to === '') return `${what} ${from} removed`;
  return `${what} from ${from} to ${to}`;
};

/** Joins changes into one line after a colon; empty if there are none. */
export const changesText = (changes: readonly string[]): string => {
  const nonEmpty = changes.filter((change) => change !== '');
  const text = listText(nonEmpty, (change) => truncate(change, 700), { separator: '; ', max: 800 });
  return text === '' ? '' : `: ${text}`;
};
