import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import { builder } from '../builder.js';
import { listCost, pageArgs } from '../connection.js';
import { Environment } from './environment.js';
import { FeatureConnection, filterArg, orderArg, readFeaturePage } from './feature-connection.js';

builder.prismaObjectField(Environment, 'features', (t) =>
  t.field({
    type: FeatureConnection,
    description: 'Features that can be enabled in this environment.',
    complexity: listCost,
    args: {
      ...pageArgs(t, MAX_LIST_LIMIT),
      filter: t.arg(filterArg),
      orderBy: t.arg(orderArg),
    },
    resolve: async ({ name }, args, { now, pages }) => {
      const { criteria, query, toConnection } = readFeaturePage(args, `environment:${name}`, now);
      return {
        ...toConnection(await pages.featuresOfEnvironment(query, name)),
        countTotal: (upTo?: number) => pages.countFeaturesOfEnvironment({ criteria, upTo }, name),
      };
    },
  }),
);

builder.queryField('environments', (t) =>
  t.field({
    type: [Environment],
    description: 'All environments of the Unleash instance, in their order.',
    resolve: async (_root, _args, { loaders }) => [...(await loaders.environments.load('all'))],
  }),
);
