import { BadDataError, ExceedsLimitError, NotFoundError } from '../errors.js';
import { asArray, asObjects, isObject, type JsonObject } from '../json.js';
import type { CloneLimits } from './clone-limits.js';

export type ContextFields = ReadonlyMap<string, { legalValues: readonly string[] | null }>;

type ConstraintLimits = Pick<CloneLimits, 'constraints' | 'constraintValues'>;

const OPERATORS: ReadonlyMap<unknown, 'list' | 'number' | 'date' | 'version' | 'pattern'> = new Map(
  [
    ['NOT_IN', 'list'],
    ['IN', 'list'],
    ['STR_ENDS_WITH', 'list'],
    ['STR_STARTS_WITH', 'list'],
    ['STR_CONTAINS', 'list'],
    ['NUM_EQ', 'number'],
    ['NUM_GT', 'number'],
    ['NUM_GTE', 'number'],
    ['NUM_LT', 'number'],
    ['NUM_LTE', 'number'],
    ['DATE_AFTER', 'date'],
    ['DATE_BEFORE', 'date'],
    ['SEMVER_EQ', 'version'],
    ['SEMVER_GT', 'version'],
    ['SEMVER_LT', 'version'],
    ['REGEX', 'pattern'],
  ],
);
const SWITCHES: readonly string[] = ['caseInsensitive', 'inverted'];
const KEYS: readonly string[] = ['contextName', 'operator', 'values', 'value', ...SWITCHES];
const MAX_VALUE_LENGTH = 100;
const MAX_VERSION_LENGTH = 256;
const MAX_NUMBER_LENGTH = 100;

const NUMBER_TEXT = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const MILLISECONDS_TEXT = /^[+-]?\d+(?:\.\d+)?$/;
const SWITCH_TEXT = /^(?:true|false)$/i;
const VERSION_TEXT =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*))*)?$/i;

/** A value found in the database, as it may stand in a message: JSON of bounded length. */
export const showValue = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.match(/^.{0,100}/su)?.[0]}…`;
};

/** The source holds something that no new strategy may hold. */
export const sourceFault = (place: string, problem: string): BadDataError =>
  new BadDataError(`${place} ${problem}. Correct the source, then clone again.`);

export const assertKnownKeys = (place: string, object: JsonObject, known: readonly string[]) => {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown !== undefined) throw sourceFault(place, `has the unknown key ${showValue(unknown)}`);
};

export const isFilledText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '';

/** Numbers and texts of numbers that a JavaScript number can hold; null for all else. */
export const readNumber = (value: unknown): number | null => {
  const isText = typeof value === 'string' && value.length <= MAX_NUMBER_LENGTH;
  if (typeof value !== 'number' && !(isText && NUMBER_TEXT.test(value))) return null;
  const number = Number(value);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : null;
};

const isDate = (value: unknown): boolean => {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const isMilliseconds = typeof value === 'string' && MILLISECONDS_TEXT.test(value);
  return !Number.isNaN(new Date(isMilliseconds ? Number(value) : value).getTime());
};

const isVersion = (value: unknown): boolean => {
  if (typeof value !== 'string' || value.length > MAX_VERSION_LENGTH) return false;
  const parts = VERSION_TEXT.exec(value)?.slice(1, 4);
  return parts?.every((part) => Number(part) <= Number.MAX_SAFE_INTEGER) ?? false;
};

const assertListedValues = (place: string, values: unknown) => {
  if (!Array.isArray(values))
    throw sourceFault(place, `has ${showValue(values)} for a list of values`);
  for (const [index, value] of values.entries()) {
    const problem = !isFilledText(value)
      ? `must be a text that is not empty, and is ${showValue(value)}`
      : value.length > MAX_VALUE_LENGTH && `is longer than ${MAX_VALUE_LENGTH} characters`;
    if (problem) throw sourceFault(`${place}: value ${index + 1}`, problem);
  }
};

const assertShape = (place: string, constraint: JsonObject) => {
  const { contextName, operator, values } = constraint;
  if (!isFilledText(contextName)) throw sourceFault(place, 'names no context field');
  if (!OPERATORS.has(operator)) {
    const known = [...OPERATORS.keys()].join(', ');
    throw sourceFault(place, `has the operator ${showValue(operator)}, which is none of ${known}`);
  }
  if (values !== undefined) assertListedValues(place, values);
  for (const key of SWITCHES) {
    const value = constraint[key];
    const isSwitch =
      typeof value === 'string' ? SWITCH_TEXT.test(value) : typeof value === 'boolean';
    if (value !== undefined && !isSwitch) {
      throw sourceFault(
        place,
        `has ${showValue(value)} for '${key}', which is neither true nor false`,
      );
    }
  }
  assertKnownKeys(place, constraint, KEYS);
};

const assertOperand = (place: string, { operator, value, values, inverted }: JsonObject) => {
  const kind = OPERATORS.get(operator);
  const needs = (what: string) =>
    sourceFault(place, `compares by ${operator}, which needs ${what}, and has ${showValue(value)}`);

  if (kind === 'list' && asArray(values).length === 0) {
    throw sourceFault(
      place,
      `compares by ${operator}, which needs at least one value, and has none`,
    );
  }
  if (kind === 'version' && !isVersion(value))
    throw needs("a version such as '1.2.3' or '1.2.3-rc.1'");
  // What the pattern means is up to the SDKs, whose rules for one are not JavaScript's.
  if (kind === 'pattern' && !isFilledText(value)) throw needs('a pattern');
  if (kind === 'pattern' && inverted === true) {
    throw sourceFault(place, `compares by ${operator}, which cannot be inverted`);
  }
  // A number or date that was never given is let through, as it is where strategies are made.
  if (value === undefined) return;
  if (kind === 'number' && readNumber(value) === null) throw needs('a number');
  if (kind === 'date' && !isDate(value)) throw needs('a date');
};

const assertLegalValues = (
  place: string,
  { contextName, operator, value, values }: JsonObject,
  legalValues: readonly string[] | null,
) => {
  if (legalValues === null || legalValues.length === 0) return;
  const legal: ReadonlySet<unknown> = new Set(legalValues);
  const given = OPERATORS.get(operator) === 'list' ? asArray(values) : [value];
  const illegal = given.findIndex((item) => !legal.has(item));
  if (illegal < 0) return;
  throw sourceFault(
    place,
    `uses ${showValue(given[illegal])}, which is not among the legal values of context field '${contextName}'`,
  );
};

const assertCount = (constraints: readonly unknown[], limit: number, where: string) => {
  if (constraints.length <= limit) return;
  throw new ExceedsLimitError(
    `A strategy may have ${limit} constraints at most; ${where} has ${constraints.length}.`,
    limit,
  );
};

const assertValueCount = ({ contextName, values }: JsonObject, limit: number, where: string) => {
  const count = asArray(values).length;
  if (count <= limit) return;
  throw new ExceedsLimitError(
    `A constraint may have ${limit} values at most; the one on ${showValue(contextName)} of ${where} has ${count}.`,
    limit,
  );
};

const assertConstraint = (place: string, constraint: unknown, contextFields: ContextFields) => {
  if (!isObject(constraint)) throw sourceFault(place, `is no object, but ${showValue(constraint)}`);
  assertShape(place, constraint);
  const field = contextFields.get(String(constraint['contextName']));
  if (!field) throw NotFoundError.of('Context field', String(constraint['contextName']));
  assertOperand(place, constraint);
  assertLegalValues(place, constraint, field.legalValues);
};

/** What a strategy with these constraints must pass to be made anew: limits first, then each constraint in order. */
export function* constraintGuards(
  constraints: unknown,
  contextFields: ContextFields,
  limits: ConstraintLimits,
  where = 'the strategy',
): Generator<() => void> {
  if (constraints === null || constraints === undefined) return;
  if (!Array.isArray(constraints)) {
    yield () => {
      throw sourceFault(
        `The constraints of ${where}`,
        `are no list, but ${showValue(constraints)}`,
      );
    };
    return;
  }
  yield () => assertCount(constraints, limits.constraints, where);
  for (const constraint of asObjects(constraints)) {
    yield () => assertValueCount(constraint, limits.constraintValues, where);
  }
  for (const [index, constraint] of constraints.entries()) {
    yield () => assertConstraint(`Constraint ${index + 1} of ${where}`, constraint, contextFields);
  }
}

/** The constraints as they are written: with a list of values, and switches that are true or false. */
export const normaliseConstraints = (constraints: unknown): JsonObject[] =>
  asObjects(constraints).map((constraint) => ({
    values: [],
    ...Object.fromEntries(
      Object.entries(constraint).map(([key, value]) =>
        SWITCHES.includes(key) && typeof value === 'string' && SWITCH_TEXT.test(value)
          ? [key, value.toLowerCase() === 'true']
          : [key, value],
      ),
    ),
  }));
