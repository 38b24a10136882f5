import type {
  EnvironmentAsOf,
  EnvironmentAspect,
} from '../../domain/features/history/feature-as-of.js';
import { asIntegers, asText, type JsonObject } from '../../domain/json.js';
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
    segmentIds: t.intList({
      nullable: true,
      description:
        'IDs of the segments whose constraints also had to match. Null if unknown: Unleash can change them without an event.',
      resolve: ({ segments }) => (segments === null ? null : asIntegers(segments)),
    }),
  }),
});

const ASPECTS: Readonly<Record<EnvironmentAspect, string>> = {
  state: 'Whether the feature was enabled.',
  inProject: 'Whether the project had the environment.',
  strategies: 'The strategies.',
  strategyOrder: 'The order of the strategies.',
  segments: 'The segments of at least one strategy.',
  variants: 'The variants.',
};

const FeatureEnvironmentAspect = builder.enumType('FeatureEnvironmentAspect', {
  description: 'A property of a feature in one environment.',
  values: Object.fromEntries(
    Object.entries(ASPECTS).map(([value, description]) => [
      value.replace(/[A-Z]/g, '_$&').toUpperCase(),
      { value: value as EnvironmentAspect, description },
    ]),
  ),
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
      inProject: t.exposeBoolean('isInProject', {
        nullable: true,
        description:
          'Whether the project had this environment. Without it, the feature was disabled there, and Unleash kept its strategies for later. Null if unknown.',
      }),
      unknown: t.field({
        type: [FeatureEnvironmentAspect],
        description: 'Properties that cannot be determined from the event log.',
        resolve: ({ unknown }) => [...unknown],
      }),
      strategies: t.field({
        type: [StrategyAsOf],
        nullable: true,
        description:
          'Activation strategies in order, excluding those of release plans. Null if they cannot be determined. If `unknown` contains STRATEGY_ORDER, their order may have been different.',
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
