import { lastSeenIn } from '../../domain/features/feature-parts.js';
import { asArray, asObjects } from '../../domain/json.js';
import type { Loaders } from '../../domain/rows.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { joinKey } from '../join-key.js';
import { Environment } from './environment.js';
import { EnvironmentOfFeature } from './environment-of-feature.js';
import { Node } from './node.js';
import { Strategy } from './strategy.js';
import { Variant } from './strategy-parts.js';

type Row = Awaited<ReturnType<Loaders['environmentsOfFeature']['load']>>[number];

const strategiesHere = async (
  { featureName, environmentName }: Row,
  _args: object,
  { loaders }: Context,
) => {
  const strategies = await loaders.strategiesOfFeature.load(featureName);
  return strategies.filter((strategy) => strategy.environmentName === environmentName);
};

export const FeatureEnvironment = builder.objectRef<Row>('FeatureEnvironment').implement({
  interfaces: [EnvironmentOfFeature, Node],
  description: 'State of a feature in one environment.',
  fields: (t) => ({
    id: t.id({
      description: 'ID that combines feature and environment, such as `welcome-tour:production`.',
      resolve: ({ featureName, environmentName }) => joinKey(featureName, environmentName),
    }),
    environment: t.field({
      type: Environment,
      description: 'The environment.',
      resolve: (row) => row.environment,
    }),
    featureName: t.exposeString('featureName', { description: 'Feature name.' }),
    enabled: t.exposeBoolean('enabled', {
      description: 'Whether the feature is enabled in this environment.',
    }),
    strategies: t.field({
      type: [Strategy],
      description:
        'Activation strategies in order. Those that a release plan added have a `milestone`.',
      resolve: strategiesHere,
    }),
    hasStrategies: t.boolean({
      description: 'Whether there is any strategy, including those of release plans.',
      resolve: async (row, _args, context) => (await strategiesHere(row, {}, context)).length > 0,
    }),
    hasEnabledStrategies: t.boolean({
      description: 'Whether there is any strategy that is not disabled.',
      resolve: async (row, _args, context) =>
        (await strategiesHere(row, {}, context)).some((strategy) => !strategy.disabled),
    }),
    variants: t.field({
      type: [Variant],
      description: 'Variants of the feature in this environment.',
      resolve: (row) => [...asObjects(row.variants)],
    }),
    variantCount: t.int({
      description: 'Number of variants.',
      resolve: (row) => asArray(row.variants).length,
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When an application last reported using the feature in this environment.',
      resolve: async (row, _args, { loaders }) =>
        lastSeenIn(await loaders.lastSeenOfFeature.load(row.featureName), row.environmentName),
    }),
  }),
});
