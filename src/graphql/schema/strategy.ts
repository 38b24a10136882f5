import { asIntegers, asText, type JsonObject } from '../../domain/json.js';
import type { Loaders } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { Environment, findEnvironment } from './environment.js';
import { Node } from './node.js';
import { loadSegments, Segment } from './segment.js';
import { REQUIRED_NAME, REQUIRED_SEGMENTS, StrategyDefinition } from './strategy-definition.js';

export const DefaultStrategy = builder.objectRef<JsonObject>('DefaultStrategy').implement({
  interfaces: [StrategyDefinition],
  description: 'The strategy added automatically when a feature without strategies is enabled.',
  fields: (t) => ({
    name: t.string({
      description: REQUIRED_NAME,
      resolve: (strategy) => asText(strategy['name']) ?? '',
    }),
    segmentIds: t.intList({
      description: REQUIRED_SEGMENTS,
      resolve: ({ segments }) => asIntegers(segments),
    }),
    sortOrder: t.float({
      nullable: true,
      description: 'Position among its siblings, ascending.',
      resolve: ({ sortOrder }) => (typeof sortOrder === 'number' ? sortOrder : null),
    }),
  }),
});

export type StrategyRow = Awaited<ReturnType<Loaders['strategiesOfFeature']['load']>>[number];

export const Strategy = builder.objectRef<StrategyRow>('Strategy').implement({
  interfaces: [Node, StrategyDefinition],
  description: 'A rule that decides for which requests a feature is enabled in an environment.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Strategy ID.' }),
    name: t.exposeString('name', { description: REQUIRED_NAME }),
    featureName: t.exposeString('featureName', {
      description: 'Name of the feature it belongs to.',
    }),
    environmentName: t.exposeString('environmentName', {
      description: 'Name of the environment it applies in.',
    }),
    environment: t.field({
      type: Environment,
      nullable: true,
      description: 'The environment it applies in.',
      resolve: ({ environmentName }, _args, { loaders }) =>
        findEnvironment(environmentName, loaders),
    }),
    sortOrder: t.exposeInt('sortOrder', { description: 'Position among its siblings, ascending.' }),
    parameters: t.field({
      type: 'JSON',
      description:
        'Strategy parameters, usually an object of strings, such as `{ "rollout": "50" }`.',
      resolve: (strategy) => strategy.parameters,
    }),
    segmentIds: t.intList({
      description: REQUIRED_SEGMENTS,
      resolve: ({ segmentIds }) => segmentIds,
    }),
    segments: t.field({
      type: [Segment],
      description: 'Segments whose constraints must also match, as far as you may see them.',
      resolve: ({ segmentIds }, _args, { loaders }) => loadSegments(segmentIds, loaders),
    }),
  }),
});
