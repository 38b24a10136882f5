import type { EnvironmentAsOf } from '../../domain/features/history/feature-as-of.js';
import { asIntegers, asObjects, asText, type JsonObject } from '../../domain/json.js';
import { builder } from '../builder.js';
import { EnabledState } from './feature-timeline.js';
import { Constraint, Variant } from './strategy.js';

const StrategyAsOf = builder.objectRef<JsonObject>('StrategyAsOf').implement({
  description: 'A strategy as an event recorded it.',
  fields: (t) => ({
    id: t.string({
      description: 'Identifier of the strategy.',
      resolve: (strategy) => asText(strategy['id']) ?? '',
    }),
    name: t.string({
      nullable: true,
      description: 'Kind of strategy, such as `flexibleRollout`; null if it was not recorded.',
      resolve: (strategy) => asText(strategy['name']),
    }),
    title: t.string({
      nullable: true,
      description: 'Title people gave it.',
      resolve: (strategy) => asText(strategy['title']),
    }),
    disabled: t.boolean({
      description: 'Whether it was skipped.',
      resolve: (strategy) => strategy['disabled'] === true,
    }),
    parameters: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Settings of the strategy, usually an object of texts such as `{ "rollout": "50" }`.',
      resolve: (strategy) => strategy['parameters'],
    }),
    constraints: t.field({
      type: [Constraint],
      description: 'Conditions that had to hold.',
      resolve: (strategy) => [...asObjects(strategy['constraints'])],
    }),
    segments: t.intList({
      description: 'Numbers of the segments whose conditions had to hold as well.',
      resolve: ({ segments }) => asIntegers(segments),
    }),
    variants: t.field({
      type: [Variant],
      description: 'Variants given to those for whom the strategy was on.',
      resolve: (strategy) => [...asObjects(strategy['variants'])],
    }),
  }),
});

export const FeatureEnvironmentAsOf = builder
  .objectRef<EnvironmentAsOf>('FeatureEnvironmentAsOf')
  .implement({
    description: 'A feature in one environment, as the event log tells it stood at a moment.',
    fields: (t) => ({
      environment: t.exposeString('environment', {
        description: 'Name of the environment, such as `production`.',
      }),
      state: t.field({
        type: EnabledState,
        description: 'Whether the feature was on here.',
        resolve: ({ state }) => state,
      }),
      strategies: t.field({
        type: [StrategyAsOf],
        nullable: true,
        description:
          'For whom it was on, in order, those of release plans left out; null when the log does not tell.',
        resolve: ({ strategies }) => strategies && [...strategies.value],
      }),
      variants: t.field({
        type: [Variant],
        nullable: true,
        description: 'Answers the feature could give here; null when the log does not tell.',
        resolve: ({ variants }) => variants && [...variants.value],
      }),
    }),
  });
