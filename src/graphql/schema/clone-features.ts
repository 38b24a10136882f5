import { randomUUID } from 'node:crypto';
import { CLONE_COST } from '../../domain/cost.js';
import { MAX_CLONES } from '../../domain/features/clone-feature-input.js';
import type { CloneOutcome } from '../../domain/features/clone-outcome.js';
import type { Feature as FeatureRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { CloneFeaturePayload } from './clone-feature.js';
import { CloneFeatureInput, readCloneInput } from './clone-input.js';
import { ErrorInterface, REFUSAL_TYPES, type Refusal, refusalOf } from './clone-refusals.js';

const NotWritten = builder.objectRef<Refusal>('NotWrittenError').implement({
  description:
    'This clone is valid, but it was not written because another one in the list was rejected.',
  interfaces: [ErrorInterface],
});

const notWritten = (): Refusal => ({
  id: randomUUID(),
  name: 'NotWrittenError',
  message: 'Not written, because another clone in the list was rejected.',
  details: [],
  facts: {},
  refusedAs: 'NotWrittenError',
});

type ItemResult = { feature: FeatureRow } | Refusal;

const CloneFeaturesItem = builder.unionType('CloneFeaturesItem', {
  description: 'The copy, the reason why the clone was rejected, or `NotWrittenError`.',
  types: [CloneFeaturePayload, NotWritten, ...REFUSAL_TYPES],
  resolveType: (result) => ('refusedAs' in result ? result.refusedAs : CloneFeaturePayload),
});

const CloneFeaturesResult = builder
  .objectRef<{ results: ItemResult[] }>('CloneFeaturesResult')
  .implement({
    description: 'Result of cloning several features: all were written, or none.',
    fields: (t) => ({
      succeeded: t.boolean({
        description: 'Whether every copy exists now. If false, this call wrote nothing.',
        resolve: ({ results }) => results.every((result) => 'feature' in result),
      }),
      results: t.field({
        type: [CloneFeaturesItem],
        description: 'One result per input, in the same order.',
        complexity: { field: 1, multiplier: 1 },
        resolve: ({ results }) => results as never,
      }),
    }),
  });

const toResult = (outcome: CloneOutcome): ItemResult => {
  if (outcome.kind === 'copied') return { feature: outcome.copy };
  return outcome.kind === 'refused' ? refusalOf(outcome.error) : notWritten();
};

builder.mutationField('cloneFeatures', (t) =>
  t.field({
    type: CloneFeaturesResult,
    description:
      "Clones several features at once: all of them, or none if one is rejected. A copy can't be the source of another copy in the same list.",
    args: {
      inputs: t.arg({
        type: [CloneFeatureInput],
        required: true,
        description: `Features to clone, and options: 1 to ${MAX_CLONES} items, each with its own name and idempotency key.`,
      }),
    },
    complexity: ({ inputs }) => ({ field: CLONE_COST * inputs.length, multiplier: inputs.length }),
    resolve: async (_root, { inputs }, { actor, operations }) => {
      try {
        const outcomes = await operations.cloneFeatures(actor, inputs.map(readCloneInput));
        return { results: outcomes.map(toResult) };
      } catch (error) {
        // Concerns all of them, such as maintenance mode.
        const refusal = refusalOf(error);
        return { results: inputs.map(() => refusal) };
      }
    },
  }),
);
