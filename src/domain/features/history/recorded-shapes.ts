import { isObject, type JsonObject } from '../../json.js';
import { type Recorded, recorded } from './feature-state.js';

/**
 * The shapes in which Unleash records the parts of a feature. Any other shape counts as unknown: it would be shown as
 * a value that was never recorded.
 */
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => Number.isFinite(value);
/** 32-bit, like segment IDs. */
const isInteger: Check = (value) => isNumber(value) && ((value as number) | 0) === value;
const isBoolean: Check = (value) => typeof value === 'boolean';
/** Constraints may store their switches as strings. */
const isSwitch: Check = (value) => isBoolean(value) || value === 'true' || value === 'false';

/** For values that are optional or were added by a later version. */
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);

const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const objectOf = (checks: Readonly<Record<string, Check>>): Check => {
  const parts = Object.entries(checks);
  return (value) => isObject(value) && parts.every(([key, check]) => check(value[key]));
};

const isConstraint = objectOf({
  contextName: isText,
  operator: isText,
  caseInsensitive: maybe(isSwitch),
  inverted: maybe(isSwitch),
  values: maybe(listOf(isText)),
  value: maybe(isText),
});

const isVariant = objectOf({
  name: isText,
  weight: isNumber,
  weightType: maybe(isText),
  stickiness: maybe(isText),
  payload: maybe(objectOf({ type: isText, value: isText })),
  overrides: maybe(listOf(objectOf({ contextName: isText, values: listOf(isText) }))),
});

const isStrategy = objectOf({
  id: isText,
  name: maybe(isText),
  title: maybe(isText),
  disabled: maybe(isBoolean),
  sortOrder: maybe(isNumber),
  parameters: maybe(isObject),
  // Every version records them, and a strategy without constraints applies to all users.
  constraints: listOf(isConstraint),
  segments: maybe(listOf(isInteger)),
  variants: maybe(listOf(isVariant)),
});

const isListOfVariants = listOf(isVariant);

export const strategyIn = (payload: unknown): (JsonObject & { readonly id: string }) | null =>
  isStrategy(payload) ? (payload as JsonObject & { id: string }) : null;

export const variantsIn = (payload: unknown): Recorded<readonly JsonObject[]> => {
  const list = isObject(payload) ? payload['variants'] : undefined;
  return isListOfVariants(list) ? recorded(list as readonly JsonObject[]) : null;
};

/** Whether a payload describes a new feature: each has at least a name. */
export const isCreation = (payload: unknown): payload is JsonObject =>
  isObject(payload) && isText(payload['name']);
