import { BadDataError, ExceedsLimitError, NotFoundError } from '../errors.js';
import { asArray, asObjects, isObject, type JsonObject } from '../json.js';
import type { CloneLimits, UnleashMajor } from './clone-limits.js';
import { isDate, isVersion, operandOf, operatorsOf } from './constraint-operators.js';

export type ContextFields = ReadonlyMap<string, { legalValues: readonly string[] | null }>;

export type ConstraintFacts = {
  /** Existing context fields, at least those that the constraints use. */
  readonly contextFields: ContextFields;
  readonly limits: Pick<CloneLimits, 'constraints' | 'constraintValues'>;
  /** The Unleash version whose rules apply. */
  readonly major: UnleashMajor;
};

const SWITCHES: readonly string[] = ['caseInsensitive', 'inverted'];
const KEYS: readonly string[] = ['contextName', 'operator', 'values', 'value', ...SWITCHES];
const MAX_VALUE_LENGTH = 100;
const MAX_NUMBER_LENGTH = 100;

const NUMBER_TEXT = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const SWITCH_TEXT = /^(?:true|false)$/i;

/** Formats a stored value for messages, as JSON of limited length. */
export const showValue = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.match(/^.{0,100}/su)?.[0]}…`;
};

/** The source contains something that new strategies must not contain. */
export const sourceFault = (location: string, problem: string): BadDataError =>
  new BadDataError(`${location} ${problem}. Correct the source, then clone again.`);

export const assertKnownKeys = (location: string, object: JsonObject, known: readonly string[]) => {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw sourceFault(location, `has the unknown key ${showValue(unknown)}`);
};

export const isFilledText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '';

/** Numbers and numeric texts within the safe range of JavaScript; null for all else. */
export const readNumber = (value: unknown): number | null => {
  const isText = typeof value === 'string' && value.length <= MAX_NUMBER_LENGTH;
  if (typeof value !== 'number' && !(isText && NUMBER_TEXT.test(value))) return null;
  const number = Number(value);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : null;
};

const assertListedValues = (location: string, values: unknown) => {
  if (!Array.isArray(values))
    throw sourceFault(location, `has values that are not a list: ${showValue(values)}`);
  for (const [index, value] of values.entries()) {
    const problem = !isFilledText(value)
      ? `must be a non-empty string (got ${showValue(value)})`
      : value.length > MAX_VALUE_LENGTH && `is longer than ${MAX_VALUE_LENGTH} characters`;
    if (problem) throw sourceFault(`${location}: value ${index + 1}`, problem);
  }
};

const assertShape = (location: string, constraint: JsonObject, major: UnleashMajor) => {
  const { contextName, operator, values } = constraint;
  if (!isFilledText(contextName)) throw sourceFault(location, 'has no context field');
  if (operandOf(operator, major) === undefined) {
    const known = operatorsOf(major).join(', ');
    throw sourceFault(
      location,
      `has the operator ${showValue(operator)}, which is not one of ${known}`,
    );
  }
  if (values !== undefined) assertListedValues(location, values);
  for (const key of SWITCHES) {
    const value = constraint[key];
    const isSwitch =
      typeof value === 'string' ? SWITCH_TEXT.test(value) : typeof value === 'boolean';
    if (value !== undefined && !isSwitch) {
      throw sourceFault(
        location,
        `has a '${key}' that is neither true nor false: ${showValue(value)}`,
      );
    }
  }
  assertKnownKeys(location, constraint, KEYS);
};

const isAbsent = (value: unknown) => value === undefined || value === null || value === '';

const assertOperand = (location: string, constraint: JsonObject, major: UnleashMajor) => {
  const { operator, value, values, inverted } = constraint;
  const kind = operandOf(operator, major);
  const needs = (what: string) =>
    sourceFault(
      location,
      `has the operator ${operator}, which requires ${what} (got ${showValue(value)})`,
    );

  if (kind === 'list' && asArray(values).length === 0) {
    throw sourceFault(location, `has the operator ${operator}, which requires at least one value`);
  }
  if (kind === 'version' && !isVersion(value, major))
    throw needs("a version such as '1.2.3' or '1.2.3-rc.1'");
  // Unleash compiled the pattern when it was stored; compiling it here could block the process.
  if (kind === 'pattern' && typeof value !== 'string') throw needs('a pattern');
  if (kind === 'pattern' && inverted === true) {
    throw sourceFault(location, `has the operator ${operator}, which cannot be inverted`);
  }
  // Before Unleash 8, a number or a date may be absent, but not null or empty.
  if (kind === 'number' && isAbsent(value) && major >= 8) throw needs('a number');
  if (kind === 'date' && isAbsent(value) && major >= 8) throw needs('a date');
  if (value === undefined) return;
  if (kind === 'number' && readNumber(value) === null) throw needs('a number');
  if (kind === 'date' && !isDate(value)) throw needs('a date');
};

const assertLegalValues = (
  location: string,
  { contextName, operator, value, values }: JsonObject,
  legalValues: readonly string[] | null,
  major: UnleashMajor,
) => {
  if (legalValues === null || legalValues.length === 0) return;
  const legal: ReadonlySet<unknown> = new Set(legalValues);
  const operands = operandOf(operator, major) === 'list' ? asArray(values) : [value];
  const illegal = operands.findIndex((item) => !legal.has(item));
  if (illegal < 0) return;
  throw sourceFault(
    location,
    `uses ${showValue(operands[illegal])}, which is not among the legal values of context field '${contextName}'`,
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

const assertConstraint = (
  location: string,
  constraint: unknown,
  { contextFields, major }: ConstraintFacts,
) => {
  if (!isObject(constraint))
    throw sourceFault(location, `is not an object: ${showValue(constraint)}`);
  assertShape(location, constraint, major);
  const field = contextFields.get(String(constraint['contextName']));
  // Since Unleash 7, the context field may have been deleted.
  if (!field && major < 7)
    throw NotFoundError.of('Context field', String(constraint['contextName']));
  assertOperand(location, constraint, major);
  assertLegalValues(location, constraint, field?.legalValues ?? null, major);
};

/** Checks whether a strategy with these constraints can be created: limits first, then each constraint in order. */
export function* constraintGuards(
  constraints: unknown,
  facts: ConstraintFacts,
  where = 'the strategy',
): Generator<() => void> {
  if (constraints === null || constraints === undefined) return;
  if (!Array.isArray(constraints)) {
    yield () => {
      throw sourceFault(`The constraints of ${where}`, `are not a list: ${showValue(constraints)}`);
    };
    return;
  }
  const { limits } = facts;
  yield () => assertCount(constraints, limits.constraints, where);
  for (const constraint of asObjects(constraints)) {
    yield () => assertValueCount(constraint, limits.constraintValues, where);
  }
  for (const [index, constraint] of constraints.entries()) {
    yield () => assertConstraint(`Constraint ${index + 1} of ${where}`, constraint, facts);
  }
}

/** The constraints as written: with a list of values, and with boolean switches. */
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
