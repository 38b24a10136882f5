import { asArray, asObjects, isObject, type JsonObject } from '../json.js';
import { normaliseConstraints } from './constraint-rules.js';
import type { SourceStrategy } from './strategy-rules.js';
import { rebalanceVariants } from './variant-rules.js';

export type CopyOptions = {
  /** Name of the copy. */
  readonly newName: string;
  /** Whether a group id that is there becomes the name of the copy. */
  readonly replaceGroupId: boolean;
  /** The target project's default stickiness. */
  readonly defaultStickiness: string;
};

/** A strategy as it is written for the copy; the id is given where it is written. */
export type StrategyCopy = {
  name: string;
  title: string | null;
  disabled: boolean;
  environmentName: string;
  parameters: JsonObject;
  constraints: JsonObject[];
  variants: JsonObject[];
  sortOrder: number;
  /** Ids of the segments to link. */
  segments: number[];
};

// Spreading and fromEntries define keys, so that a stored '__proto__' stays an ordinary key.
const copyParameters = ({ name, parameters }: SourceStrategy, options: CopyOptions): JsonObject => {
  const given = isObject(parameters) ? parameters : {};
  const copied = {
    ...given,
    ...(options.replaceGroupId && Object.hasOwn(given, 'groupId') && { groupId: options.newName }),
    ...(given['stickiness'] === '' && { stickiness: 'default' }),
  };
  if (name !== 'flexibleRollout') return copied;
  return {
    rollout: '100',
    stickiness: options.defaultStickiness || 'default',
    groupId: options.newName,
    ...copied,
  };
};

/** What is written for one strategy of the source; the strategy has passed `strategyGuards`. */
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

/** A strategy of the copy, read back after it was written. */
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

/** What the feature-strategy-add event tells of the strategy, in its order of keys. */
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
