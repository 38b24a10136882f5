import type { UnleashMajor } from './clone-limits.js';

export type Operand = 'list' | 'number' | 'date' | 'version' | 'pattern';

/** Operand of each operator, and the first Unleash version that has it. */
const OPERATORS: ReadonlyMap<unknown, { operand: Operand; since: UnleashMajor }> = new Map([
  ['NOT_IN', { operand: 'list', since: 6 }],
  ['IN', { operand: 'list', since: 6 }],
  ['STR_ENDS_WITH', { operand: 'list', since: 6 }],
  ['STR_STARTS_WITH', { operand: 'list', since: 6 }],
  ['STR_CONTAINS', { operand: 'list', since: 6 }],
  ['NUM_EQ', { operand: 'number', since: 6 }],
  ['NUM_GT', { operand: 'number', since: 6 }],
  ['NUM_GTE', { operand: 'number', since: 6 }],
  ['NUM_LT', { operand: 'number', since: 6 }],
  ['NUM_LTE', { operand: 'number', since: 6 }],
  ['DATE_AFTER', { operand: 'date', since: 6 }],
  ['DATE_BEFORE', { operand: 'date', since: 6 }],
  ['SEMVER_EQ', { operand: 'version', since: 6 }],
  ['SEMVER_GT', { operand: 'version', since: 6 }],
  ['SEMVER_LT', { operand: 'version', since: 6 }],
  ['SEMVER_GTE', { operand: 'version', since: 8 }],
  ['SEMVER_LTE', { operand: 'version', since: 8 }],
  ['REGEX', { operand: 'pattern', since: 7 }],
]);

const MAX_VERSION_LENGTH = 256;
const MILLISECONDS_TEXT = /^[+-]?\d+(?:\.\d+)?$/;
const VERSION_TEXT =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*))*)?(\+[\da-z-]+(?:\.[\da-z-]+)*)?$/i;

/** Undefined if the Unleash version does not have the operator. */
export const operandOf = (operator: unknown, major: UnleashMajor): Operand | undefined => {
  const known = OPERATORS.get(operator);
  return known && known.since <= major ? known.operand : undefined;
};

export const operatorsOf = (major: UnleashMajor): unknown[] =>
  [...OPERATORS].flatMap(([name, { since }]) => (since <= major ? [name] : []));

export const isDate = (value: unknown): boolean => {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const isMilliseconds = typeof value === 'string' && MILLISECONDS_TEXT.test(value);
  return !Number.isNaN(new Date(isMilliseconds ? Number(value) : value).getTime());
};

/** A semantic version; with build metadata since Unleash 8. */
export const isVersion = (value: unknown, major: UnleashMajor): boolean => {
  if (typeof value !== 'string' || value.length > MAX_VERSION_LENGTH) return false;
  const found = VERSION_TEXT.exec(value);
  if (!found || (found[4] !== undefined && major < 8)) return false;
  return found.slice(1, 4).every((part) => Number(part) <= Number.MAX_SAFE_INTEGER);
};
