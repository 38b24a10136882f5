import { BadDataError } from '../domain/errors.js';
import { isObject } from '../domain/json.js';

const MAX_LEVELS = 5;
const MAX_CONDITIONS = 50;
const MAX_VALUES = 1_000;
const MAX_TOTAL_VALUES = 5_000;
/** No accepted filter has more parts than this. */
const MAX_PARTS = MAX_CONDITIONS * (MAX_LEVELS + 1);

type Part = {
  /** Position in the arguments, such as `filter.or[3]`. */
  at: string;
  level: number;
  isEmpty: boolean;
  conditions: [name: string, condition: unknown][];
};

const INNER = ['and', 'or', 'not'];

const isDefined = (value: unknown) => value !== null && value !== undefined;

/** A single filter instead of a list is a list of one, as in GraphQL's input coercion. */
const listOf = (list: unknown): readonly unknown[] => {
  if (Array.isArray(list)) return list;
  return isDefined(list) ? [list] : [];
};

/**
 * A filter and its nested filters, outer ones first. Lazy, so that callers can stop early, and no deeper than the
 * first level that is too deep.
 */
function* partsOf(filter: unknown, at = 'filter', level = 0): Generator<Part> {
  if (!isObject(filter)) return;
  const lists = Object.entries({ and: listOf(filter['and']), or: listOf(filter['or']) });
  const conditions = Object.entries(filter).filter(
    ([name, condition]) => !INNER.includes(name) && isDefined(condition),
  );
  const hasNested = lists.some(([, list]) => list.length > 0) || isDefined(filter['not']);
  yield { at, level, conditions, isEmpty: conditions.length === 0 && !hasNested };

  if (level > MAX_LEVELS) return;
  for (const [name, list] of lists) {
    for (const [index, inner] of list.entries()) {
      yield* partsOf(inner, `${at}.${name}[${index}]`, level + 1);
    }
  }
  yield* partsOf(filter['not'], `${at}.not`, level + 1);
}

/** Lists of values in a condition, such as those of `anyOf` and `not`. */
const listsOf = (condition: unknown): [name: string, length: number][] =>
  isObject(condition)
    ? Object.entries(condition).flatMap(([name, list]): [string, number][] =>
        Array.isArray(list) ? [[name, list.length]] : [],
      )
    : [];

const reject = (message: string): never => {
  throw BadDataError.of({ message });
};

export const assertFewValues = (field: string, length: number): void => {
  if (length > MAX_VALUES) {
    reject(`'${field}' can have at most ${MAX_VALUES} values (got ${length}).`);
  }
};

/** Rejects a filter that is too large, before it is processed. */
export const assertFilterSize = (filter: unknown): void => {
  let conditionCount = 0;
  let valueCount = 0;
  for (const { at, level, isEmpty, conditions } of partsOf(filter)) {
    if (level > MAX_LEVELS) {
      reject(`'${at}' is nested too deeply: filters can be nested ${MAX_LEVELS} levels deep.`);
    }
    conditionCount += isEmpty ? 1 : conditions.length;
    if (conditionCount > MAX_CONDITIONS) {
      reject(
        `A filter can have at most ${MAX_CONDITIONS} conditions in total; '${at}' exceeds the limit.`,
      );
    }
    for (const [name, condition] of conditions) {
      for (const [list, length] of listsOf(condition)) {
        const field = `${at}.${name}.${list}`;
        assertFewValues(field, length);
        valueCount += length;
        if (valueCount > MAX_TOTAL_VALUES) {
          reject(
            `A filter can have at most ${MAX_TOTAL_VALUES} values in total; '${field}' exceeds the limit.`,
          );
        }
      }
    }
  }
};

const charactersIn = (condition: unknown): number => {
  if (typeof condition === 'string') return condition.length;
  if (typeof condition !== 'object' || condition === null) return 0;
  return Object.values(condition).reduce<number>((sum, value) => sum + charactersIn(value), 0);
};

type FilterWeight = {
  texts: number;
  /** Tags, and texts that start with or contain a part. */
  patterns: number;
  values: number;
  characters: number;
};

const PATTERNS = ['startsWith', 'contains'];

const countPatterns = (condition: unknown): number =>
  isObject(condition) ? PATTERNS.filter((name) => condition[name]).length : 0;

const weights = new WeakMap<object, FilterWeight>();

/** What makes a filter expensive. It may be unvalidated input. One variable can be the filter of many fields. */
export const filterWeight = (filter: unknown): FilterWeight => {
  if (typeof filter !== 'object' || filter === null) return weigh(filter);
  const weight = weights.get(filter) ?? weigh(filter);
  weights.set(filter, weight);
  return weight;
};

const weigh = (filter: unknown): FilterWeight => {
  let [parts, texts, patterns, values, characters] = [0, 0, 0, 0, 0];
  for (const { conditions } of partsOf(filter)) {
    parts += 1;
    if (parts > MAX_PARTS) break;
    for (const [name, condition] of conditions) {
      if ((name === 'text' && condition !== '') || name === 'touches') texts += 1;
      patterns += name === 'tag' ? 1 : countPatterns(condition);
      for (const [, length] of listsOf(condition)) values += length;
      characters += charactersIn(condition);
    }
  }
  return { texts, patterns, values, characters };
};
