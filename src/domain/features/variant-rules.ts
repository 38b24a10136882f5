import { asObjects, isObject, type JsonObject } from '../json.js';
import {
  assertKnownKeys,
  isFilledText,
  readNumber,
  showValue,
  sourceFault,
} from './constraint-rules.js';
import { isUrlFriendly, MAX_NAME_LENGTH } from './feature-name.js';

const FULL_WEIGHT = 1000;
const KEYS = ['name', 'weight', 'weightType', 'payload', 'stickiness', 'overrides'];

const isJsonContainer = (text: string): boolean => {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null;
  } catch {
    return false;
  }
};

const assertName = (location: string, name: unknown) => {
  if (!isFilledText(name)) throw sourceFault(location, 'has no name');
  if (!isUrlFriendly(name)) {
    throw sourceFault(location, `has the name ${showValue(name)}, which is not URL-friendly`);
  }
  if (name.length > MAX_NAME_LENGTH) {
    throw sourceFault(location, `has a name longer than ${MAX_NAME_LENGTH} characters`);
  }
};

const assertWeight = (location: string, { weight, weightType }: JsonObject) => {
  const number = readNumber(weight);
  if (number === null || !Number.isInteger(number) || number < 0 || number > FULL_WEIGHT) {
    throw sourceFault(
      location,
      `has the weight ${showValue(weight)}; weights are whole numbers from 0 to ${FULL_WEIGHT}, in tenths of a percent`,
    );
  }
  if (weightType !== 'variable' && weightType !== 'fix') {
    throw sourceFault(
      location,
      `has the weight type ${showValue(weightType)}, which is neither "variable" nor "fix"`,
    );
  }
};

const assertPayload = (location: string, payload: unknown) => {
  if (payload === undefined) return;
  if (!isObject(payload))
    throw sourceFault(location, `has an invalid payload: ${showValue(payload)}`);
  const { type, value } = payload;
  if (!isFilledText(type)) throw sourceFault(location, 'has a payload without a type');
  if (!isFilledText(value)) {
    throw sourceFault(location, `has a payload whose value is not a string: ${showValue(value)}`);
  }
  if (type === 'json' && !isJsonContainer(value)) {
    throw sourceFault(
      location,
      `has a payload that is not a JSON object or array: ${showValue(value)}`,
    );
  }
  assertKnownKeys(`${location}, payload,`, payload, ['type', 'value']);
};

const assertOverrides = (location: string, overrides: unknown) => {
  if (overrides === undefined) return;
  if (!Array.isArray(overrides))
    throw sourceFault(location, `has invalid overrides: ${showValue(overrides)}`);
  for (const override of overrides) {
    if (!isObject(override) || !isFilledText(override['contextName'])) {
      throw sourceFault(
        location,
        `has an override without a context field: ${showValue(override)}`,
      );
    }
    const { values = [] } = override;
    if (!Array.isArray(values) || !values.every(isFilledText)) {
      throw sourceFault(
        location,
        `has an override whose values are not strings: ${showValue(values)}`,
      );
    }
    assertKnownKeys(`${location}, override,`, override, ['contextName', 'values']);
  }
};

const assertVariant = (location: string, variant: unknown) => {
  if (!isObject(variant)) throw sourceFault(location, `is not an object: ${showValue(variant)}`);
  assertName(location, variant['name']);
  assertWeight(location, variant);
  assertPayload(location, variant['payload']);
  const { stickiness } = variant;
  if (stickiness !== undefined && !isFilledText(stickiness)) {
    throw sourceFault(location, `has an invalid stickiness: ${showValue(stickiness)}`);
  }
  assertOverrides(location, variant['overrides']);
  assertKnownKeys(location, variant, KEYS);
};

const weightOf = (variant: JsonObject): number => readNumber(variant['weight']) ?? 0;
const isFixed = (variant: JsonObject): boolean => variant['weightType'] === 'fix';
const fixedWeight = (variants: readonly JsonObject[]): number =>
  variants.filter(isFixed).reduce((sum, variant) => sum + weightOf(variant), 0);

const isMissing = (variants: unknown): boolean => variants === null || variants === undefined;

const noList = (variants: unknown, where: string) =>
  sourceFault(`The variants of ${where}`, `are not a list: ${showValue(variants)}`);

const assertNamesDiffer = (variants: readonly JsonObject[], where: string) => {
  const names = new Set<unknown>();
  for (const { name } of variants) {
    if (names.has(name)) {
      throw sourceFault(`The variant name ${showValue(name)}`, `occurs twice in ${where}`);
    }
    names.add(name);
  }
};

const assertWeights = (variants: readonly JsonObject[], where: string) => {
  if (variants.length > 0 && variants.every(isFixed)) {
    throw sourceFault(`The variants of ${where}`, 'are all fixed; at least one must be variable');
  }
  const fixed = fixedWeight(variants);
  if (fixed > FULL_WEIGHT) {
    throw sourceFault(
      `The fixed variants of ${where}`,
      `have a total weight of ${fixed / 10} %, above 100 %`,
    );
  }
};

/** Checks whether a strategy with these variants can be created: each variant in order, then all together. */
export function* strategyVariantGuards(
  variants: unknown,
  where = 'the strategy',
): Generator<() => void> {
  if (isMissing(variants)) return;
  if (!Array.isArray(variants)) {
    yield () => {
      throw noList(variants, where);
    };
    return;
  }
  for (const [index, variant] of variants.entries()) {
    yield () => assertVariant(`Variant ${index + 1} of ${where}`, variant);
  }
  const valid = asObjects(variants);
  yield () => assertNamesDiffer(valid, where);
  yield () => assertWeights(valid, where);
}

const byName = (a: JsonObject, b: JsonObject) => String(a['name']).localeCompare(String(b['name']));

/** Divides the weight left by fixed variants among variable ones, and sorts by name. The variants must be valid. */
export const rebalanceVariants = (variants: readonly JsonObject[]): JsonObject[] => {
  const free = Math.max(0, FULL_WEIGHT - fixedWeight(variants));
  const sharers = variants.filter((variant) => !isFixed(variant));
  const share = Math.floor(free / sharers.length);
  const remainder = free % sharers.length;
  const shared = sharers.map((variant, index) => ({
    ...variant,
    weight: share + (index < remainder ? 1 : 0),
  }));
  return [...shared, ...variants.filter(isFixed)].sort(byName);
};

/** Throws unless the variants of an environment can be sorted by name. */
export const assertNamedVariants = (variants: unknown, where = 'the environment'): void => {
  if (isMissing(variants)) return;
  if (!Array.isArray(variants)) throw noList(variants, where);
  if (!variants.every((variant) => isObject(variant) && typeof variant['name'] === 'string')) {
    throw sourceFault(`The variants of ${where}`, 'contain an entry without a name');
  }
};

/** The variants must have passed `assertNamedVariants`. */
export const sortVariantsByName = (variants: unknown): JsonObject[] =>
  asObjects(variants).toSorted(byName);
