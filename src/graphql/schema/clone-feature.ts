import { CLONE_COST } from '../../domain/cost.js';
import type { CloneAspect } from '../../domain/features/clone-feature-input.js';
import type { Feature as FeatureRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { CloneFeaturePlan } from './clone-plan.js';
import { REFUSAL_TYPES, refusalOf } from './clone-refusals.js';
import { Feature } from './feature.js';

const CloneFeaturePayload = builder
  .objectRef<{ feature: FeatureRow }>('CloneFeaturePayload')
  .implement({
    description: 'Result of a successful clone.',
    fields: (t) => ({
      feature: t.field({
        type: Feature,
        description: 'The new feature, disabled in every environment.',
        resolve: ({ feature }) => feature,
      }),
    }),
  });

const CloneFeatureResult = builder.unionType('CloneFeatureResult', {
  description: 'The copy, the plan of a dry run, or the reason why the clone was rejected.',
  types: [CloneFeaturePayload, CloneFeaturePlan, ...REFUSAL_TYPES],
  resolveType: (result) => {
    if ('refusedAs' in result) return result.refusedAs;
    return 'feature' in result ? CloneFeaturePayload : CloneFeaturePlan;
  },
});

const CloneAspectEnum = builder.enumType('CloneAspect', {
  description: 'Optional part of a clone, copied only on request.',
  values: {
    TAGS: {
      description: 'Tags of the source. Requires UPDATE_FEATURE in the target project.',
    },
    FAVORITE: { description: 'Your favorite mark, if the source has one.' },
  } satisfies Record<CloneAspect, { description: string }>,
});

const CloneFeatureInput = builder.inputType('CloneFeatureInput', {
  description: 'Feature to clone, and options.',
  fields: (t) => ({
    feature: t.string({
      required: true,
      description: 'Name of the feature to clone, such as `checkout-one-page`.',
    }),
    name: t.string({
      required: true,
      description:
        "Name of the copy, such as `checkout-v2`. At most 100 characters: letters A to Z, digits and `-_.!~*'()`.",
    }),
    targetProject: t.string({
      description:
        'ID of the project to create the copy in, such as `default`. Defaults to the project of the source.',
    }),
    replaceGroupId: t.boolean({
      required: true,
      defaultValue: true,
      description:
        'Whether to set the group ID of the copied strategies to the new name. The group ID determines which users a gradual rollout includes. Default true.',
    }),
    include: t.field({
      type: [CloneAspectEnum],
      required: true,
      defaultValue: [],
      description: 'Optional parts to copy as well. Default none: `[]`.',
    }),
    idempotencyKey: t.string({
      description:
        'Makes retries safe: for 24 hours, the same input with the same key returns the copy of the first call instead of an error. 1 to 255 printable ASCII characters, such as `5f0c7a52-92b0-4a9e-8f0a-1c7d4c9f3b11`. Use a new key for each clone. Reusing a key with different input returns an error with the code IDEMPOTENCY_KEY_REUSED.',
    }),
    dryRun: t.boolean({
      required: true,
      defaultValue: false,
      description:
        'Whether to write nothing and only report what would be written and everything that prevents it. Default false.',
    }),
  }),
});

builder.mutationField('cloneFeature', (t) =>
  t.field({
    type: CloneFeatureResult,
    description:
      'Clones a feature with its strategies into a project under a new name. Requires CREATE_FEATURE in that project. With `dryRun`, only reports what the clone would do. A missing permission is not a member of the result union but an error with the code FORBIDDEN; with `dryRun`, it is listed in `refusals`.',
    args: {
      input: t.arg({
        type: CloneFeatureInput,
        required: true,
        description: 'Feature to clone, and options.',
      }),
    },
    complexity: CLONE_COST,
    resolve: async (_root, { input }, { actor, operations }) => {
      const { feature: source, targetProject, include, idempotencyKey, dryRun, ...rest } = input;
      const order = {
        ...rest,
        source,
        include: [...new Set(include)],
        ...(typeof targetProject === 'string' && { targetProject }),
        ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
      };
      if (dryRun) return operations.planClone(actor, order);
      try {
        return { feature: await operations.cloneFeature(actor, order) };
      } catch (error) {
        return refusalOf(error) as never;
      }
    },
  }),
);
