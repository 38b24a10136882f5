import type { StrategyToWrite } from '../../data/features/clone-rows.sql.js';
import { asArray, asObjects, isObject, type JsonObject } from '../json.js';
import type { UnleashMajor } from './clone-limits.js';
import { normaliseConstraints } from './constraint-rules.js';
import type { SourceStrategy } from './strategy-rules.js';
import { rebalanceVariants } from './variant-rules.js';

export type CopyOptions = {
  /** Name of the clone. */
  readonly newName: string;
  /** Whether the name of the clone replaces an existing group ID. */
  readonly replaceGroupId: boolean;
  /** Of the target project. */
  readonly defaultStickiness: string;
  /** The Unleash version whose rules apply. */
  readonly major: UnleashMajor;
};

/** A strategy as written for the clone; its ID is assigned on write. */
export type StrategyCopy = Omit<StrategyToWrite, 'id'>;

// Spread and `fromEntries` define keys, so that a stored '__proto__' stays an ordinary key.
const withGroupId = (parameters: unknown, { replaceGroupId, newName }: CopyOptions): JsonObject => {
  const source = isObject(parameters) ? parameters : {};
  const isReplaced = replaceGroupId && Object.hasOwn(source, 'groupId');
  return isReplaced ? { ...source, groupId: newName } : source;
};

/** Unleash 6 fills in absent parameters, and an empty stickiness of any strategy. */
const fillAbsent = (name: string, parameters: JsonObject, options: CopyOptions): JsonObject => {
  const copied = {
    ...parameters,
    ...(parameters['stickiness'] === '' && { stickiness: 'default' }),
  };
  if (name !== 'flexibleRollout') return copied;
  return {
    rollout: '100',
    stickiness: options.defaultStickiness || 'default',
    groupId: options.newName,
    ...copied,
  };
};

/** Newer versions also fill in null and empty texts: of the stickiness and, since Unleash 8, of the group ID. */
const fillEmpty = (name: string, parameters: JsonObject, options: CopyOptions): JsonObject => {
  if (name !== 'flexibleRollout') return parameters;
  const { rollout, stickiness, groupId } = parameters;
  const { newName, major } = options;
  return {
    ...parameters,
    rollout: rollout ?? '100',
    stickiness: stickiness || options.defaultStickiness || 'default',
    groupId: major >= 8 ? groupId || newName : (groupId ?? newName),
  };
};

const copyParameters = ({ name, parameters }: SourceStrategy, options: CopyOptions): JsonObject => {
  const fill = options.major >= 7 ? fillEmpty : fillAbsent;
  return fill(name, withGroupId(parameters, options), options);
};

/** The strategy must have passed `strategyGuards`. */
export const copyStrategy = (source: SourceStrategy, options: CopyOptions): StrategyCopy => ({
  name: source.name,
  title: source.title,
  disabled: source.disabled ?? false,
  environmentName: source.environmentName,
  parameters: copyParameters(source, options),
  constraints: normaliseConstraints(source.constraints),
  variants: rebalanceVariants(asObjects(source.variants)),
  sortOrder: source.sortOrder,
  segments: source.segments.map(({ id }) => id),
});

/** A strategy of the clone, read back after the write. */
export type StrategyRow = {
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly disabled: boolean | null;
  readonly constraints: unknown;
  readonly parameters: unknown;
  readonly variants: unknown;
  readonly sortOrder: number;
  readonly segments: readonly number[];
};

const asText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const asTexts = (parameters: unknown) =>
  Object.fromEntries(
    Object.entries(isObject(parameters) ? parameters : {}).map(([key, value]) => [
      key,
      asText(value),
    ]),
  );

/** Payload of the feature-strategy-add event, in its key order. */
export const strategyEventData = (row: StrategyRow) => ({
  id: row.id,
  name: row.name,
  title: row.title,
  disabled: row.disabled ?? false,
  constraints: asArray(row.constraints),
  parameters: asTexts(row.parameters),
  variants: asArray(row.variants),
  sortOrder: row.sortOrder,
  segments: row.segments,
});
