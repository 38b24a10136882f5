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

const truth = (value: unknown): boolean => value === true || value === 'true';

export const Constraint = builder.objectRef<JsonObject>('Constraint').implement({
  description: 'A condition on the context of a request; all of a strategy must hold.',
  fields: (t) => ({
    contextName: t.string({
      description: 'Context field that is looked at, such as `userId`.',
      resolve: (constraint) => asText(constraint['contextName']) ?? '',
    }),
    operator: t.string({
      description: 'How it is compared, such as `IN` or `NUM_GTE`.',
      resolve: (constraint) => asText(constraint['operator']) ?? '',
    }),
    caseInsensitive: t.boolean({
      description: 'Whether letter case is ignored.',
      resolve: (constraint) => truth(constraint['caseInsensitive']),
    }),
    inverted: t.boolean({
      description: 'Whether the condition is turned into its opposite.',
      resolve: (constraint) => truth(constraint['inverted']),
    }),
    values: t.stringList({
      description:
        'Values to compare with; empty for operators that take one value, such as NUM_GTE: see `value`.',
      resolve: (constraint) => [...asStrings(constraint['values'])],
    }),
    value: t.string({
      nullable: true,
      description:
        'Value to compare with, for operators that take one; for those that take several, such as IN, see `values`.',
      resolve: (constraint) => asText(constraint['value']),
    }),
  }),
});

const VariantPayload = builder.objectRef<JsonObject>('VariantPayload').implement({
  description: 'What an application receives together with a variant.',
  fields: (t) => ({
    type: t.string({
      description: 'Kind of the value: string, json, csv or number.',
      resolve: (payload) => asText(payload['type']) ?? '',
    }),
    value: t.string({
      description: 'The value as text.',
      resolve: (payload) => asText(payload['value']) ?? '',
    }),
  }),
});

const VariantOverride = builder.objectRef<JsonObject>('VariantOverride').implement({
  description: 'Gives a variant to requests with certain values, whatever its weight.',
  fields: (t) => ({
    contextName: t.string({
      description: 'Context field that is looked at, such as `userId`.',
      resolve: (override) => asText(override['contextName']) ?? '',
    }),
    values: t.stringList({
      description: 'Values that get the variant.',
      resolve: (override) => [...asStrings(override['values'])],
    }),
  }),
});

export const Variant = builder.objectRef<JsonObject>('Variant').implement({
  description: 'One of several answers a feature can give.',
  fields: (t) => ({
    name: t.string({
      description: 'Name of the variant, unique in its list.',
      resolve: (variant) => asText(variant['name']) ?? '',
    }),
    weight: t.float({
      description: 'Share of requests that get it, in thousandths.',
      resolve: ({ weight }) => (Number.isFinite(Number(weight)) ? Number(weight) : 0),
    }),
    weightType: t.string({
      nullable: true,
      description: '`fix` for a fixed share, `variable` for a part of what is left.',
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
      description: 'What an application receives with it.',
      resolve: ({ payload }) => (isObject(payload) ? payload : null),
    }),
    overrides: t.field({
      type: [VariantOverride],
      description: 'Values that always get this variant.',
      resolve: ({ overrides }) => [...asObjects(overrides)],
    }),
  }),
});

export const DefaultStrategy = builder.objectRef<JsonObject>('DefaultStrategy').implement({
  description:
    'A strategy in waiting: what a project gives to features that have none of their own.',
  fields: (t) => ({
    name: t.string({
      description: 'Kind of strategy, such as `flexibleRollout`.',
      resolve: (strategy) => asText(strategy['name']) ?? '',
    }),
    title: t.string({
      nullable: true,
      description: 'Title people gave it.',
      resolve: (strategy) => asText(strategy['title']),
    }),
    disabled: t.boolean({
      description: 'Whether it is skipped.',
      resolve: (strategy) => truth(strategy['disabled']),
    }),
    sortOrder: t.float({
      nullable: true,
      description: 'Place among its siblings, ascending.',
      resolve: ({ sortOrder }) => (typeof sortOrder === 'number' ? sortOrder : null),
    }),
    parameters: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Settings of the strategy, usually an object of texts such as `{ "rollout": "50" }`.',
      resolve: (strategy) => strategy['parameters'],
    }),
    constraints: t.field({
      type: [Constraint],
      description: 'Conditions that must all hold.',
      resolve: (strategy) => [...asObjects(strategy['constraints'])],
    }),
    variants: t.field({
      type: [Variant],
      description: 'Variants given to those for whom the strategy is on.',
      resolve: (strategy) => [...asObjects(strategy['variants'])],
    }),
    segments: t.intList({
      description: 'Numbers of the segments whose conditions must hold as well.',
      resolve: ({ segments }) => asIntegers(segments),
    }),
  }),
});

export const Segment = builder.prismaObject('Segment', {
  description: 'A named set of constraints, shared by strategies.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Number of the segment.' }),
    name: t.exposeString('name', { description: 'Name of the segment.' }),
    description: t.exposeString('description', { nullable: true, description: 'Free text.' }),
    constraints: t.field({
      type: [Constraint],
      description: 'Conditions that must all hold.',
      resolve: (segment) => [...asObjects(segment.constraints)],
    }),
    projectId: t.exposeString('projectId', {
      nullable: true,
      description: 'Project it is confined to; null when any project may use it.',
    }),
  }),
});

/** The segments with these numbers, as far as they are still there. */
export const loadSegments = async (ids: readonly number[], { segment }: Loaders) => {
  const segments = await Promise.all(ids.map((id) => segment.load(id)));
  return segments.filter((found) => found !== null);
};

export type StrategyRow = Awaited<ReturnType<Loaders['strategiesOfFeature']['load']>>[number];

export const Strategy = builder.objectRef<StrategyRow>('Strategy').implement({
  description: 'A rule that decides for whom a feature is on in an environment.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier of the strategy.' }),
    name: t.exposeString('name', { description: 'Kind of strategy, such as `flexibleRollout`.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title people gave it.' }),
    disabled: t.boolean({
      description: 'Whether it is skipped.',
      resolve: (strategy) => strategy.disabled ?? false,
    }),
    featureName: t.exposeString('featureName', { description: 'Feature it belongs to.' }),
    sortOrder: t.exposeInt('sortOrder', { description: 'Place among its siblings, ascending.' }),
    parameters: t.field({
      type: 'JSON',
      description:
        'Settings of the strategy, usually an object of texts such as `{ "rollout": "50" }`.',
      resolve: (strategy) => strategy.parameters,
    }),
    constraints: t.field({
      type: [Constraint],
      description: 'Conditions that must all hold.',
      resolve: (strategy) => [...asObjects(strategy.constraints)],
    }),
    segments: t.field({
      type: [Segment],
      description: 'Segments whose conditions must hold as well.',
      resolve: ({ segmentIds }, _args, { loaders }) => loadSegments(segmentIds, loaders),
    }),
    variants: t.field({
      type: [Variant],
      description: 'Variants given to those for whom the strategy is on.',
      resolve: (strategy) => [...asObjects(strategy.variants)],
    }),
  }),
});
