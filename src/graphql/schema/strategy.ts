import {
  asIntegers,
  asObjects,
  asStrings,
  asText,
  isObject,
  type JsonObject,
} from '../../domain/json.js';
import type { Loaders } from '../../domain/rows.js';
import { builder } from '../builder.js';

const isTrue = (value: unknown): boolean => value === true || value === 'true';

export const Constraint = builder.objectRef<JsonObject>('Constraint').implement({
  description: 'A condition on the context of a request. All constraints of a strategy must match.',
  fields: (t) => ({
    contextName: t.string({
      description: 'Context field to compare, such as `userId`.',
      resolve: (constraint) => asText(constraint['contextName']) ?? '',
    }),
    operator: t.string({
      description: 'Comparison operator, such as `IN` or `NUM_GTE`.',
      resolve: (constraint) => asText(constraint['operator']) ?? '',
    }),
    caseInsensitive: t.boolean({
      description: 'Whether the comparison is case-insensitive.',
      resolve: (constraint) => isTrue(constraint['caseInsensitive']),
    }),
    inverted: t.boolean({
      description: 'Whether the condition is negated.',
      resolve: (constraint) => isTrue(constraint['inverted']),
    }),
    values: t.stringList({
      description:
        'Values to compare with. Empty for single-value operators such as `NUM_GTE`, which use `value`.',
      resolve: (constraint) => [...asStrings(constraint['values'])],
    }),
    value: t.string({
      nullable: true,
      description:
        'Value to compare with, for single-value operators. Multi-value operators such as `IN` use `values`.',
      resolve: (constraint) => asText(constraint['value']),
    }),
  }),
});

const VariantPayload = builder.objectRef<JsonObject>('VariantPayload').implement({
  description: 'Payload that an application receives with a variant.',
  fields: (t) => ({
    type: t.string({
      description: 'Payload type: `string`, `json`, `csv` or `number`.',
      resolve: (payload) => asText(payload['type']) ?? '',
    }),
    value: t.string({
      description: 'Payload value as a string.',
      resolve: (payload) => asText(payload['value']) ?? '',
    }),
  }),
});

const VariantOverride = builder.objectRef<JsonObject>('VariantOverride').implement({
  description:
    'Assigns a variant to requests with certain context values, regardless of its weight.',
  fields: (t) => ({
    contextName: t.string({
      description: 'Context field to compare, such as `userId`.',
      resolve: (override) => asText(override['contextName']) ?? '',
    }),
    values: t.stringList({
      description: 'Context values that get the variant.',
      resolve: (override) => [...asStrings(override['values'])],
    }),
  }),
});

export const Variant = builder.objectRef<JsonObject>('Variant').implement({
  description: 'One of several values that a feature can return.',
  fields: (t) => ({
    name: t.string({
      description: 'Variant name, unique in its list.',
      resolve: (variant) => asText(variant['name']) ?? '',
    }),
    weight: t.float({
      description: 'Share of requests that get it, in thousandths.',
      resolve: ({ weight }) => (Number.isFinite(Number(weight)) ? Number(weight) : 0),
    }),
    weightType: t.string({
      nullable: true,
      description: '`fix` for a fixed share, `variable` for a part of the remaining share.',
      resolve: (variant) => asText(variant['weightType']),
    }),
    stickiness: t.string({
      nullable: true,
      description: 'Context field that keeps a user on the same variant, such as `userId`.',
      resolve: (variant) => asText(variant['stickiness']),
    }),
    payload: t.field({
      type: VariantPayload,
      nullable: true,
      description: 'Payload that an application receives with the variant.',
      resolve: ({ payload }) => (isObject(payload) ? payload : null),
    }),
    overrides: t.field({
      type: [VariantOverride],
      description: 'Context values that always get this variant.',
      resolve: ({ overrides }) => [...asObjects(overrides)],
    }),
  }),
});

export const DefaultStrategy = builder.objectRef<JsonObject>('DefaultStrategy').implement({
  description: 'The strategy added automatically when a feature without strategies is enabled.',
  fields: (t) => ({
    name: t.string({
      description: 'Strategy type, such as `flexibleRollout`.',
      resolve: (strategy) => asText(strategy['name']) ?? '',
    }),
    title: t.string({
      nullable: true,
      description: 'User-defined title.',
      resolve: (strategy) => asText(strategy['title']),
    }),
    disabled: t.boolean({
      description: 'Whether the strategy is disabled and therefore skipped.',
      resolve: (strategy) => isTrue(strategy['disabled']),
    }),
    sortOrder: t.float({
      nullable: true,
      description: 'Position among its siblings, ascending.',
      resolve: ({ sortOrder }) => (typeof sortOrder === 'number' ? sortOrder : null),
    }),
    parameters: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Strategy parameters, usually an object of strings, such as `{ "rollout": "50" }`.',
      resolve: (strategy) => strategy['parameters'],
    }),
    constraints: t.field({
      type: [Constraint],
      description: 'Constraints that must all match.',
      resolve: (strategy) => [...asObjects(strategy['constraints'])],
    }),
    variants: t.field({
      type: [Variant],
      description: 'Variants for requests that match the strategy.',
      resolve: (strategy) => [...asObjects(strategy['variants'])],
    }),
    segments: t.intList({
      description: 'IDs of the segments whose constraints must also match.',
      resolve: ({ segments }) => asIntegers(segments),
    }),
  }),
});

export const Segment = builder.prismaObject('Segment', {
  description: 'A named set of constraints that strategies share.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Segment ID.' }),
    name: t.exposeString('name', { description: 'Segment name.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Free-text description.',
    }),
    constraints: t.field({
      type: [Constraint],
      description: 'Constraints that must all match.',
      resolve: (segment) => [...asObjects(segment.constraints)],
    }),
    projectId: t.exposeString('projectId', {
      nullable: true,
      description: 'ID of the only project that may use it; null if any project may.',
    }),
  }),
});

/** Skips segments that no longer exist or that the caller may not see. */
export const loadSegments = async (ids: readonly number[], { segment }: Loaders) => {
  const segments = await Promise.all(ids.map((id) => segment.load(id)));
  return segments.filter((found) => found !== null);
};

export type StrategyRow = Awaited<ReturnType<Loaders['strategiesOfFeature']['load']>>[number];

export const Strategy = builder.objectRef<StrategyRow>('Strategy').implement({
  description: 'A rule that decides for which requests a feature is enabled in an environment.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Strategy ID.' }),
    name: t.exposeString('name', { description: 'Strategy type, such as `flexibleRollout`.' }),
    title: t.exposeString('title', { nullable: true, description: 'User-defined title.' }),
    disabled: t.boolean({
      description: 'Whether the strategy is disabled and therefore skipped.',
      resolve: (strategy) => strategy.disabled ?? false,
    }),
    featureName: t.exposeString('featureName', {
      description: 'Name of the feature it belongs to.',
    }),
    sortOrder: t.exposeInt('sortOrder', { description: 'Position among its siblings, ascending.' }),
    parameters: t.field({
      type: 'JSON',
      description:
        'Strategy parameters, usually an object of strings, such as `{ "rollout": "50" }`.',
      resolve: (strategy) => strategy.parameters,
    }),
    constraints: t.field({
      type: [Constraint],
      description: 'Constraints that must all match.',
      resolve: (strategy) => [...asObjects(strategy.constraints)],
    }),
    segments: t.field({
      type: [Segment],
      description: 'Segments whose constraints must also match.',
      resolve: ({ segmentIds }, _args, { loaders }) => loadSegments(segmentIds, loaders),
    }),
    variants: t.field({
      type: [Variant],
      description: 'Variants for requests that match the strategy.',
      resolve: (strategy) => [...asObjects(strategy.variants)],
    }),
  }),
});
