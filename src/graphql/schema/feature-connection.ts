import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import { assertText } from '../../domain/text.js';
import { builder } from '../builder.js';
import { connectionTypes, listCost, type PageArgs, pageArgs, parsePage } from '../connection.js';
import { Feature } from './feature.js';
import { FeatureFilter, type FeatureFilterInput, readFeatureFilter } from './feature-filter.js';
import { FeatureOrder, featureKey, readFeatureOrder } from './feature-order.js';
import { Project } from './project.js';

const { Connection } = connectionTypes(Feature, {
  name: 'Feature',
  description: 'A page of features.',
  edgeDescription: 'A feature and its cursor.',
});

export { Connection as FeatureConnection };

export const filterArg = {
  type: FeatureFilter,
  description: 'Features to return; all unarchived features if omitted.',
};

export const orderArg = {
  type: FeatureOrder,
  description: 'Order of the features. Default: by name.',
};

type ListArgs = PageArgs & {
  filter?: FeatureFilterInput | null | undefined;
  orderBy?: typeof FeatureOrder.$inferInput | null | undefined;
};

/** The owner is a project or an environment; null for the features of all projects. */
export const readFeaturePage = (
  { filter, orderBy, ...args }: ListArgs,
  owner: string | null,
  now: Date,
) => {
  const criteria = readFeatureFilter(filter, now);
  const { order, mark } = readFeatureOrder(orderBy);
  const { page, toConnection } = parsePage(args, {
    key: featureKey(order),
    filter: [owner, criteria, ...mark],
    max: MAX_LIST_LIMIT,
  });
  return { criteria, query: { criteria, order, page }, toConnection };
};

builder.queryFields((t) => ({
  feature: t.field({
    type: Feature,
    nullable: true,
    description: 'A feature by name, archived or not. Null if it does not exist.',
    args: {
      name: t.arg.string({
        required: true,
        description: 'Feature name, such as `checkout-one-page`.',
      }),
    },
    resolve: (_root, { name }, { loaders }) => {
      assertText('The feature name', name);
      return loaders.feature.load(name);
    },
  }),
  features: t.field({
    type: Connection,
    description: 'Features of all projects.',
    complexity: listCost,
    args: {
      ...pageArgs(t, MAX_LIST_LIMIT),
      filter: t.arg(filterArg),
      orderBy: t.arg(orderArg),
    },
    resolve: async (_root, args, { actor, now, operations }) => {
      const { criteria, query, toConnection } = readFeaturePage(args, null, now);
      return {
        ...toConnection(await operations.listFeatures(actor, query)),
        countTotal: (upTo?: number) => operations.countFeatures(actor, { criteria, upTo }),
      };
    },
  }),
}));

builder.prismaObjectField(Project, 'features', (t) =>
  t.field({
    type: Connection,
    description: 'Features of this project.',
    complexity: listCost,
    args: {
      ...pageArgs(t, MAX_LIST_LIMIT),
      filter: t.arg(filterArg),
      orderBy: t.arg(orderArg),
    },
    resolve: async ({ id }, args, { now, pages }) => {
      const { criteria, query, toConnection } = readFeaturePage(args, id, now);
      return {
        ...toConnection(await pages.featuresOf(query, id)),
        countTotal: (upTo?: number) => pages.countFeaturesOf({ criteria, upTo }, id),
      };
    },
  }),
);
