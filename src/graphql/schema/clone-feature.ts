import { CLONE_COST } from '../../domain/cost.js';
import type { Feature as FeatureRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { CloneFeatureInput, readCloneInput } from './clone-input.js';
import { REFUSAL_TYPES, refusalOf } from './clone-refusals.js';
import { Feature } from './feature.js';

export const CloneFeaturePayload = builder
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
  description: 'The copy, or the reason why the clone was rejected.',
  types: [CloneFeaturePayload, ...REFUSAL_TYPES],
  resolveType: (result) => ('refusedAs' in result ? result.refusedAs : CloneFeaturePayload),
});

builder.mutationField('cloneFeature', (t) =>
  t.field({
    type: CloneFeatureResult,
    description:
      'Clones a feature with its strategies into a project under a new name. Requires CREATE_FEATURE in that project. To preview it, query `clonePlan`.',
    args: {
      input: t.arg({
        type: CloneFeatureInput,
        required: true,
        description: 'Feature to clone, and options.',
      }),
    },
    complexity: CLONE_COST,
    resolve: async (_root, { input }, { actor, operations }) => {
      try {
        return { feature: await operations.cloneFeature(actor, readCloneInput(input)) };
      } catch (error) {
        return refusalOf(error) as never;
      }
    },
  }),
);
