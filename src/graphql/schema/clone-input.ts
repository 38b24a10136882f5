import type {
  CloneAspect,
  CloneFeatureInput as CloneInput,
} from '../../domain/features/clone-feature-input.js';
import { builder } from '../builder.js';

const CloneAspectEnum = builder.enumType('CloneAspect', {
  description: 'Optional part of a clone, copied only on request.',
  values: {
    TAGS: {
      description: 'Tags of the source. Requires UPDATE_FEATURE in the target project.',
    },
    FAVORITE: { description: 'Your favorite mark, if the source has one.' },
  } satisfies Record<CloneAspect, { description: string }>,
});

export const CloneFeatureInput = builder.inputType('CloneFeatureInput', {
  description: 'Feature to clone, and options.',
  fields: (t) => ({
    featureName: t.string({
      required: true,
      description: 'Name of the feature to clone, such as `checkout-one-page`.',
    }),
    newName: t.string({
      required: true,
      description:
        "Name of the copy, such as `checkout-v2`. At most 100 characters: letters A to Z, digits and `-_.!~*'()`.",
    }),
    targetProjectId: t.string({
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
        'Makes retries safe: for 24 hours, the same input with the same key returns the copy of the first call instead of an error. 1 to 255 printable ASCII characters, such as `5f0c7a52-92b0-4a9e-8f0a-1c7d4c9f3b11`. Use a new key for each clone: a key that was used with different input is rejected with `IdempotencyKeyError`.',
    }),
  }),
});

export const readCloneInput = (input: typeof CloneFeatureInput.$inferInput): CloneInput => {
  const { featureName, newName, targetProjectId, replaceGroupId, include, idempotencyKey } = input;
  return {
    source: featureName,
    name: newName,
    replaceGroupId,
    include: [...new Set(include)],
    ...(typeof targetProjectId === 'string' && { targetProject: targetProjectId }),
    ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
  };
};
