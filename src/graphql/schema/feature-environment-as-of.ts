import type { EnvironmentAsOf } from '../../domain/features/history/feature-as-of.js';
import { asIntegers, asObjects, asText, type JsonObject } from '../../domain/json.js';
import { builder } from '../builder.js';
import { EnabledState } from './feature-timeline.js';
import { Constraint, Variant } from './strategy.js';

const StrategyAsOf = builder.objectRef<JsonObject>('StrategyAsOf').implement({
  description: 'A strategy as recorded in an event.',
  fields: (t) => ({
    id: t.string({
      description: 'Strategy ID.',
      resolve: (strategy) => asText(strategy['id']) ?? '',
    }),
    name: t.string({
      nullable: true,
      description: 'Strategy type, such as `flexibleRollout`. Null if it was not recorded.',
      resolve: (strategy) => asText(strategy['name']),
    }),
    title: t.string({
      nullable: true,
      description: 'User-defined title.',
      resolve: (strategy) => asText(strategy['title']),
    }),
    disabled: t.boolean({
      description: 'Whether the strategy was disabled and therefore skipped.',
      resolve: (strategy) => strategy['disabled'] === true,
    }),
    parameters: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Strategy parameters, usually an object of strings, such as `{ "rollout": "50" }`.',
      resolve: (strategy) => strategy['parameters'],
    }),
    constraints: t.field({
      type: [Constraint],
      description: 'Constraints that had to match.',
      resolve: (strategy) => [...asObjects(strategy['constraints'])],
    }),
    segments: t.intList({
      description: 'IDs of the segments whose constraints also had to match.',
      resolve: ({ segments }) => asIntegers(segments),
    }),
    variants: t.field({
      type: [Variant],
      description: 'Variants for requests that matched the strategy.',
      resolve: (strategy) => [...asObjects(strategy['variants'])],
    }),
  }),
});

export const FeatureEnvironmentAsOf = builder
  .objectRef<EnvironmentAsOf>('FeatureEnvironmentAsOf')
  .implement({
    description:
      'State of a feature in one environment at a timestamp, replayed from the event log.',
    fields: (t) => ({
      environment: t.exposeString('environment', {
        description: 'Environment name, such as `production`.',
      }),
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
