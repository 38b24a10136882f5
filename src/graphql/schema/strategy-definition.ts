import { asIntegers, asObjects, asText } from '../../domain/json.js';
import { builder } from '../builder.js';
import { Constraint, isTrue, Variant } from './strategy-parts.js';

/** Rows of the database, copies to be written and JSON of any Unleash version, so any property can be malformed. */
type StrategyLike = {
  name?: unknown;
  title?: unknown;
  disabled?: unknown;
  parameters?: unknown;
  constraints?: unknown;
  segments?: unknown;
  segmentIds?: unknown;
  variants?: unknown;
};

export const StrategyDefinition = builder
  .interfaceRef<StrategyLike>('StrategyDefinition')
  .implement({
    description:
      'What a strategy consists of, whether it is in use, recorded, planned or a default.',
    fields: (t) => ({
      name: t.string({
        nullable: true,
        description: 'Strategy type, such as `flexibleRollout`. Null if it was not recorded.',
        resolve: ({ name }) => asText(name),
      }),
      title: t.string({
        nullable: true,
        description: 'User-defined title.',
        resolve: ({ title }) => asText(title),
      }),
      disabled: t.boolean({
        description: 'Whether the strategy is disabled and therefore skipped.',
        resolve: ({ disabled }) => isTrue(disabled),
      }),
      parameters: t.field({
        type: 'JSON',
        nullable: true,
        description:
          'Strategy parameters, usually an object of strings, such as `{ "rollout": "50" }`.',
        resolve: ({ parameters }) => parameters,
      }),
      constraints: t.field({
        type: [Constraint],
        description: 'Constraints that must all match.',
        resolve: ({ constraints }) => [...asObjects(constraints)],
      }),
      segmentIds: t.intList({
        nullable: true,
        description: 'IDs of the segments whose constraints must also match. Null if unknown.',
        resolve: ({ segmentIds, segments }) => asIntegers(segmentIds ?? segments),
      }),
      variants: t.field({
        type: [Variant],
        description: 'Variants for requests that match the strategy.',
        resolve: ({ variants }) => [...asObjects(variants)],
      }),
    }),
  });

export const REQUIRED_NAME = 'Strategy type, such as `flexibleRollout`.';
export const REQUIRED_SEGMENTS = 'IDs of the segments whose constraints must also match.';
