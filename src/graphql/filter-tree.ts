import { BadDataError } from '../domain/errors.js';
import { isObject } from '../domain/json.js';

const MOST_LEVELS = 5;
const MOST_CONDITIONS = 50;
const MOST_VALUES = 1_000;
const MOST_VALUES_IN_ALL = 5_000;
/** No filter that is accepted has more parts than that. */
const MOST_PARTS = MOST_CONDITIONS * (MOST_LEVELS + 1);

type Part = {
  /** Where in the arguments, such as `filter.or[3]`. */
  at: string;
  level: number;
  isEmpty: boolean;
  conditions: [name: string, condition: unknown][];
};

const INNER = ['and', 'or', 'not'];

const isGiven = (value: unknown) => value !== null && value !== undefined;

/** A single filter where a list belongs is a list of one, as GraphQL has it. */
const listOf = (list: unknown): readonly unknown[] => {
  if (Array.isArray(list)) return list;
  return isGiven(list) ? [list] : [];
};

/**
 * A filter and those inside of it, the outer ones first. It goes no deeper than to the first level that is too deep, and
 * step by step, so that who has seen enough can stop.
 */
function* partsOf(filter: unknown, at = 'filter', level = 0): Generator<Part> {
  if (!isObject(filter)) return;
  const lists = Object.entries({ and: listOf(filter['and']), or: listOf(filter['or']) });
  const conditions = Object.entries(filter).filter(
    ([name, condition]) => !INNER.includes(name) && isGiven(condition),
  );
  const holdsOthers = lists.some(([, list]) => list.length > 0) || isGiven(filter['not']);
  yield { at, level, conditions, isEmpty: conditions.length === 0 && !holdsOthers };

  if (level > MOST_LEVELS) return;
  for (const [name, list] of lists) {
    for (const [index, inner] of list.entries()) {
      yield* partsOf(inner, `${at}.${name}[${index}]`, level + 1);
    }
  }
  yield* partsOf(filter['not'], `${at}.not`, level + 1);
}

/** The lists of values inside a condition, such as those of `anyOf` and `not`. */
const listsOf = (condition: unknown): [name: string, length: number][] =>
  isObject(condition)
    ? Object.entries(condition).flatMap(([name, list]): [string, number][] =>
        Array.isArray(list) ? [[name, list.length]] : [],
      )
    : [];

const refuse = (message: string): never => {
  throw BadDataError.of({ message });
};

/** Refuses a list of values that is longer than anybody needs. */
export const assertFewValues = (field: string, length: number): void => {
  if (length > MOST_VALUES) {
    refuse(`'${field}' takes at most ${MOST_VALUES} values; ${length} were given.`);
  }
};

/** Refuses a filter that is larger than anybody needs, before anything is made of it. */
export const assertFilterSize = (filter: unknown): void => {
  let conditionCount = 0;
  let valueCount = 0;
  for (const { at, level, isEmpty, conditions } of partsOf(filter)) {
    if (level > MOST_LEVELS) {
      refuse(`'${at}' lies too deep: a filter may hold others ${MOST_LEVELS} levels deep.`);
    }
    conditionCount += isEmpty ? 1 : conditions.length;
    if (conditionCount > MOST_CONDITIONS) {
      refuse(`A filter may hold ${MOST_CONDITIONS} conditions in all; '${at}' goes beyond.`);
    }
    for (const [name, condition] of conditions) {
      for (const [list, length] of listsOf(condition)) {
        const field = `${at}.${name}.${list}`;
        assertFewValues(field, length);
        valueCount += length;
        if (valueCount > MOST_VALUES_IN_ALL) {
          refuse(`A filter may hold ${MOST_VALUES_IN_ALL} values in all; '${field}' goes beyond.`);
        }
      }
    }
  }
};

/** What makes a filter expensive. It may come as the caller sent it, not yet checked against the schema. */
export const filterWeight = (filter: unknown): { texts: number; values: number } => {
  let [parts, texts, values] = [0, 0, 0];
  for (const { conditions } of partsOf(filter)) {
    parts += 1;
    if (parts > MOST_PARTS) break;
    for (const [name, condition] of conditions) {
      if ((name === 'text' && condition !== '') || name === 'touches') texts += 1;
      for (const [, length] of listsOf(condition)) values += length;
    }
  }
  return { texts, values };
};
