import type { EnvironmentAsOf } from '../../domain/features/history/feature-as-of.js';
import { asText, type JsonObject } from '../../domain/json.js';
import { builder } from '../builder.js';
import { EnvironmentOfFeature } from './environment-of-feature.js';
import { EnabledState } from './feature-timeline.js';
import { StrategyDefinition } from './strategy-definition.js';
import { Variant } from './strategy-parts.js';

const StrategyAsOf = builder.objectRef<JsonObject>('StrategyAsOf').implement({
  interfaces: [StrategyDefinition],
  description: 'A strategy as recorded in an event.',
  fields: (t) => ({
    strategyId: t.string({
      description: 'ID that the strategy had.',
      resolve: (strategy) => asText(strategy['id']) ?? '',
    }),
  }),
});

export const FeatureEnvironmentAsOf = builder
  .objectRef<EnvironmentAsOf & { environmentName: string }>('FeatureEnvironmentAsOf')
  .implement({
    interfaces: [EnvironmentOfFeature],
    description:
      'State of a feature in one environment at a timestamp, replayed from the event log.',
    fields: (t) => ({
      state: t.field({
        type: EnabledState,
        description: 'Whether the feature was enabled in this environment.',
        resolve: ({ state }) => state,
      }),
      strategies: t.field({
        type: [StrategyAsOf],
        nullable: true,
        description:
          'Activation strategies in order, excluding those of release plans. Null if they cannot be determined.',
        resolve: ({ strategies }) => strategies && [...strategies.value],
      }),
      variants: t.field({
        type: [Variant],
        nullable: true,
        description:
          'Variants of the feature in this environment. Null if they cannot be determined.',
        resolve: ({ variants }) => variants && [...variants.value],
      }),
    }),
  });
