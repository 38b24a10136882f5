import { builder } from '../builder.js';
import { Environment, findEnvironment } from './environment.js';
import { StrategyDefinition } from './strategy-definition.js';
import { Variant } from './strategy-parts.js';

/** For fields that each type resolves itself, because only the type is common. */
const byType = (): never => {
  throw new Error('Resolved by the types that implement EnvironmentOfFeature.');
};

export const EnvironmentOfFeature = builder
  .interfaceRef<{ environmentName: string }>('EnvironmentOfFeature')
  .implement({
    description: 'A feature in one environment: as it is, as it was, or as a clone would be.',
    fields: (t) => ({
      environmentName: t.exposeString('environmentName', {
        description: 'Environment name, such as `production`.',
      }),
      environment: t.field({
        type: Environment,
        nullable: true,
        description: 'The environment, if it exists.',
        resolve: ({ environmentName }, _args, { loaders }) =>
          findEnvironment(environmentName, loaders),
      }),
      strategies: t.field({
        type: [StrategyDefinition],
        nullable: true,
        description: 'Strategies in order. Null if they cannot be determined.',
        resolve: byType,
      }),
      variants: t.field({
        type: [Variant],
        nullable: true,
        description: 'Variants of the feature in this environment. Null if unknown.',
        resolve: byType,
      }),
    }),
  });
