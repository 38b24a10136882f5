import { cut } from '../cut.js';
import { ExactNumber } from '../exact-number.js';
import { plain } from './event-markdown.js';
import { field, listWords } from './event-payload.js';

const MAX_COMPARED = 2_000;

const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber);

/** Equality of the given keys at every depth; what lies beyond the budget counts as equal. */
const isSame = (
  one: unknown,
  other: unknown,
  keys: readonly string[],
  budget: { left: number },
): boolean => {
  budget.left -= 1;
  if (budget.left < 0 || (isBlank(one) && isBlank(other))) return true;

  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return false;

    for (let index = 0; index < one.length && budget.left > 0; index += 1) {
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

/** What became of one value, not yet escaped; empty when it stayed, or when the event does not tell. */
export const changeWords = (
  what: string,
  before: unknown,
  after: unknown,
  { words = plain, keys = [] }: Comparison = {},
): string => {
  if (after === undefined) return '';
  if (isSame(before, after, keys, { left: MAX_COMPARED })) return '';

  const from = words(before);
  const to = words(after);
  if (from === to) return `${what} changed`;
  if (from === '') return `${what} set to ${to}`;
  if (to === '') return `${what} ${from} removed`;
  return `${what} from ${from} to ${to}`;
};

/** Several changes in one line behind a colon; empty when there are none. */
export const changesWords = (changes: readonly string[]): string => {
  const made = changes.filter((change) => change !== '');
  const text = listWords(made, (change) => cut(change, 700), { separator: '; ', max: 800 });
  return text === '' ? '' : `: ${text}`;
};
