import type { CloneAspect } from '../../domain/features/clone-feature-input.js';
import type { Feature as FeatureRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { CloneFeaturePlan } from './clone-plan.js';
import { REFUSAL_TYPES, refusalOf } from './clone-refusals.js';
import { Feature } from './feature.js';

const CloneFeaturePayload = builder
  .objectRef<{ feature: FeatureRow }>('CloneFeaturePayload')
  .implement({
    description: 'The copy was made.',
    fields: (t) => ({
      feature: t.field({
        type: Feature,
        description: 'The new feature, off in every environment.',
        resolve: ({ feature }) => feature,
      }),
    }),
  });

const CloneFeatureResult = builder.unionType('CloneFeatureResult', {
  description: 'The copy, the plan of one, or the reason why there is none.',
  types: [CloneFeaturePayload, CloneFeaturePlan, ...REFUSAL_TYPES],
  resolveType: (result) => {
    if ('refusedAs' in result) return result.refusedAs;
    return 'feature' in result ? CloneFeaturePayload : CloneFeaturePlan;
  },
});

const CloneAspectEnum = builder.enumType('CloneAspect', {
  description: 'What a clone leaves behind unless it is asked for.',
  values: {
    TAGS: {
      description:
        'The tags of the source. Needs UPDATE_FEATURE in the project that receives the copy.',
    },
    FAVORITE: { description: 'Your mark as a favorite, where the source has it.' },
  } satisfies Record<CloneAspect, { description: string }>,
});

const CloneFeatureInput = builder.inputType('CloneFeatureInput', {
  description: 'Which feature to copy, and how.',
  fields: (t) => ({
    feature: t.string({
      required: true,
      description: 'Name of the feature to copy, such as `checkout-one-page`.',
    }),
    name: t.string({
      required: true,
      description:
        "Name of the copy, such as `checkout-v2`: at most 100 of the letters A to Z, digits and `-_.!~*'()`.",
    }),
    targetProject: t.string({
      description:
        "Id of the project that receives the copy, such as `default`; the source's own when left out.",
    }),
    replaceGroupId: t.boolean({
      required: true,
      defaultValue: true,
      description:
        'Whether the new name becomes the group id of the copied strategies, which decides who falls into a gradual rollout. Default true.',
    }),
    include: t.field({
      type: [CloneAspectEnum],
      required: true,
      defaultValue: [],
      description: 'What is copied besides. Default nothing: `[]`.',
    }),
    dryRun: t.boolean({
      required: true,
      defaultValue: false,
      description:
        'Whether to write nothing and tell what would be written, and everything that stands in the way. Default false.',
    }),
  }),
});

builder.mutationField('cloneFeature', (t) =>
  t.field({
    type: CloneFeatureResult,
    description:
      'Copies a feature with its strategies into a project under a new name. Needs CREATE_FEATURE there. With `dryRun` it tells what that would do. A missing permission is no member of the result but an error with the code FORBIDDEN; with `dryRun` it is one of the `refusals`.',
    args: {
      input: t.arg({
        type: CloneFeatureInput,
        required: true,
        description: 'Which feature to copy, and how.',
      }),
    },
    resolve: async (_root, { input }, { actor, operations }) => {
      const { feature: source, name, targetProject, replaceGroupId, include, dryRun } = input;
      const order = {
        source,
        name,
        replaceGroupId,
        include: [...new Set(include)],
        ...(typeof targetProject === 'string' && { targetProject }),
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
