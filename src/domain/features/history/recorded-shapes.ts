import { isObject, type JsonObject } from '../../json.js';
import { type Told, told } from './feature-state.js';

/**
 * The shapes in which the original records what a feature consists of. Whatever has another shape tells nothing: read
 * past, it would be shown as a value that nobody recorded.
 */
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => Number.isFinite(value);
/** As large as the numbers of segments can be. */
const isInteger: Check = (value) => isNumber(value) && ((value as number) | 0) === value;
const isTruth: Check = (value) => typeof value === 'boolean';
/** Constraints may hold their switches as texts. */
const isSwitch: Check = (value) => isTruth(value) || value === 'true' || value === 'false';

/** For what may be left out, or came with a later version. */
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
  disabled: maybe(isTruth),
  sortOrder: maybe(isNumber),
  parameters: maybe(isObject),
  // Every version recorded them, and without any a strategy is for everybody.
  constraints: listOf(isConstraint),
  segments: maybe(listOf(isInteger)),
  variants: maybe(listOf(isVariant)),
});

const isListOfVariants = listOf(isVariant);

export const strategyIn = (payload: unknown): (JsonObject & { readonly id: string }) | null =>
  isStrategy(payload) ? (payload as JsonObject & { id: string }) : null;

export const variantsIn = (payload: unknown): Told<readonly JsonObject[]> => {
  const list = isObject(payload) ? payload['variants'] : undefined;
  return isListOfVariants(list) ? told(list as readonly JsonObject[]) : null;
};

/** Whether a payload describes a feature that is new: each says at least what it is called. */
export const isCreation = (payload: unknown): payload is JsonObject =>
  isObject(payload) && isText(payload['name']);
