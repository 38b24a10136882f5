import { listText } from '../../ui/list-text.js';

export type ShownConstraint = {
  contextName: string;
  operator: string;
  inverted: boolean;
  caseInsensitive: boolean;
  values: readonly string[];
  value?: string | null;
};

/** Each operator in words, and its negation. */
const OPERATORS: ReadonlyMap<string, readonly [words: string, negated: string]> = new Map([
  ['IN', ['is one of', 'is none of']],
  ['NOT_IN', ['is none of', 'is one of']],
  ['STR_CONTAINS', ['contains', 'does not contain']],
  ['STR_STARTS_WITH', ['starts with', 'does not start with']],
  ['STR_ENDS_WITH', ['ends with', 'does not end with']],
  ['NUM_EQ', ['is', 'is not']],
  ['NUM_GT', ['is above', 'is not above']],
  ['NUM_GTE', ['is at least', 'is not at least']],
  ['NUM_LT', ['is below', 'is not below']],
  ['NUM_LTE', ['is at most', 'is not at most']],
  ['DATE_AFTER', ['is after', 'is not after']],
  ['DATE_BEFORE', ['is before', 'is not before']],
  ['SEMVER_EQ', ['is version', 'is not version']],
  ['SEMVER_GT', ['is newer than version', 'is not newer than version']],
  ['SEMVER_GTE', ['is at least version', 'is not at least version']],
  ['SEMVER_LT', ['is older than version', 'is not older than version']],
  ['SEMVER_LTE', ['is at most version', 'is not at most version']],
  ['REGEX', ['matches', 'does not match']],
]);

const MEMBERSHIP = new Set(['IN', 'NOT_IN']);
const MAX_VALUES = 12;

const valuesText = ({ operator, values, value }: ShownConstraint): string => {
  if (values.length === 0) return value || 'nothing';
  if (values.length === 1) return values[0] || 'the empty text';
  const shown = values.slice(0, MAX_VALUES).join(', ');
  const rest = values.length - MAX_VALUES;
  const listed = rest > 0 ? `${shown} and ${rest.toLocaleString()} more` : shown;
  return MEMBERSHIP.has(operator) ? listed : `any of ${listed}`;
};

/** `country is one of NO, SE` */
export const constraintText = (constraint: ShownConstraint): string => {
  const { contextName, operator, inverted, caseInsensitive, values } = constraint;
  const [words, negated] = OPERATORS.get(operator) ?? [operator, `not ${operator}`];
  const comparison = inverted ? negated : words;
  const isSingle = values.length === 1 && MEMBERSHIP.has(operator);
  const short = comparison === 'is one of' ? 'is' : 'is not';
  const text = `${contextName} ${isSingle ? short : comparison} ${valuesText(constraint)}`;
  return caseInsensitive ? `${text} (in any letter case)` : text;
};

export const constraintsText = (constraints: readonly ShownConstraint[]): string =>
  listText(constraints.map(constraintText));
