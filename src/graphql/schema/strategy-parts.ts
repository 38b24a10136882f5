import { asObjects, asStrings, asText, isObject, type JsonObject } from '../../domain/json.js';
import { builder } from '../builder.js';

export const isTrue = (value: unknown): boolean => value === true || value === 'true';

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
