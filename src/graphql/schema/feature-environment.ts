import { lastSeenIn, ownStrategies } from '../../domain/features/feature-parts.js';
import { asArray, asObjects } from '../../domain/json.js';
import type { Loaders } from '../../domain/rows.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { Environment } from './environment.js';
import { Strategy, Variant } from './strategy.js';

type Row = Awaited<ReturnType<Loaders['environmentsOfFeature']['load']>>[number];

const strategiesHere = async ({ featureName, environmentName }: Row, { loaders }: Context) => {
  const strategies = await loaders.strategiesOfFeature.load(featureName);
  return strategies.filter((strategy) => strategy.environmentName === environmentName);
};

export const FeatureEnvironment = builder.objectRef<Row>('FeatureEnvironment').implement({
  description: 'A feature in one environment.',
  fields: (t) => ({
    environment: t.field({
      type: Environment,
      description: 'The environment.',
      resolve: (row) => row.environment,
    }),
    featureName: t.exposeString('featureName', { description: 'Name of the feature.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether the feature is on here.' }),
    strategies: t.field({
      type: [Strategy],
      description: 'For whom it is on, in order. Those of a release plan are not among them.',
      resolve: async (row, _args, context) => ownStrategies(await strategiesHere(row, context)),
    }),
    hasStrategies: t.boolean({
      description: 'Whether there is any strategy, one of a release plan included.',
      resolve: async (row, _args, context) => (await strategiesHere(row, context)).length > 0,
    }),
    hasEnabledStrategies: t.boolean({
      description: 'Whether there is any strategy that is not disabled.',
      resolve: async (row, _args, context) =>
        (await strategiesHere(row, context)).some((strategy) => !strategy.disabled),
    }),
    variants: t.field({
      type: [Variant],
      description: 'Answers the feature can give here.',
      resolve: (row) => [...asObjects(row.variants)],
    }),
    variantCount: t.int({
      description: 'How many variants there are.',
      resolve: (row) => asArray(row.variants).length,
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When an application last reported using the feature here.',
      resolve: async (row, _args, { loaders }) =>
        lastSeenIn(await loaders.lastSeenOfFeature.load(row.featureName), row.environmentName),
    }),
  }),
});
