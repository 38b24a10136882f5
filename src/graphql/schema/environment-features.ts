import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import { builder } from '../builder.js';
import { listCost, pageArgs, readPage } from '../connection.js';
import { Environment } from './environment.js';
import {
  FEATURE_KEY,
  FeatureConnection,
  filterArg,
  readFeatureFilter,
} from './feature-connection.js';

builder.prismaObjectField(Environment, 'features', (t) =>
  t.field({
    type: FeatureConnection,
    description: 'Features that can be enabled in this environment, ordered by name.',
    complexity: listCost,
    args: { ...pageArgs(t, MAX_LIST_LIMIT), filter: t.arg(filterArg) },
    resolve: async ({ name }, { filter, ...args }, { pages }) => {
      const criteria = readFeatureFilter(filter);
      const { page, toConnection } = readPage(args, {
        key: FEATURE_KEY,
        filter: [`environment:${name}`, criteria],
        max: MAX_LIST_LIMIT,
      });
      return {
        ...toConnection(await pages.featuresOfEnvironment({ criteria, page }, name)),
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
