import type { FeatureCriteria } from '../../domain/features/list-features.js';
import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import type { Feature as FeatureRow } from '../../domain/rows.js';
import { assertText } from '../../domain/text.js';
import { builder } from '../builder.js';
import { type CursorKey, connectionTypes, listCost, pageArgs, readPage } from '../connection.js';
import { Feature } from './feature.js';
import { chosenValues, defined, nonNull, StringFilter } from './filters.js';
import { Project } from './project.js';

const TagInput = builder.inputType('TagInput', {
  description: 'A tag to filter by.',
  fields: (t) => ({
    type: t.string({ required: true, description: 'Tag type, such as `simple`.' }),
    value: t.string({ required: true, description: 'Tag value, such as `mobile-team`.' }),
  }),
});

const FeatureFilter = builder.inputType('FeatureFilter', {
  description: 'Filters features. All given conditions must match.',
  fields: (t) => ({
    name: t.field({
      type: StringFilter,
      description: 'Feature name, such as `checkout-one-page`.',
    }),
    projectId: t.field({ type: StringFilter, description: 'Project ID, such as `default`.' }),
    type: t.field({ type: StringFilter, description: 'Feature type.' }),
    text: t.string({
      description:
        'Case-insensitive text to find in the name or description. Matched literally, without wildcards. At most 500 characters.',
    }),
    archived: t.boolean({
      defaultValue: false,
      description:
        '`true`: only archived features; `false`: only unarchived ones; `null`: both. Default: `false`.',
    }),
    stale: t.boolean({ description: 'Whether the feature is marked stale.' }),
    favorite: t.boolean({ description: 'Whether the feature is one of your favorites.' }),
    tag: t.field({ type: TagInput, description: 'Tag that the feature must have.' }),
  }),
});

export const readFeatureFilter = (
  filter: typeof FeatureFilter.$inferInput | null | undefined,
): FeatureCriteria => ({
  ...chosenValues('names', 'filter.name', filter?.name),
  ...chosenValues('projects', 'filter.projectId', filter?.projectId),
  ...chosenValues('types', 'filter.type', filter?.type),
  ...defined({
    text: nonNull(filter?.text),
    archived: nonNull(filter ? filter.archived : false),
    stale: nonNull(filter?.stale),
    favorite: nonNull(filter?.favorite),
    tag: nonNull(filter?.tag),
  }),
});

export const FEATURE_KEY: CursorKey<FeatureRow, string> = {
  kind: 'features',
  keyOf: (feature) => feature.name,
  parse: (text) => text,
};

const { Connection } = connectionTypes(Feature, {
  name: 'Feature',
  description: 'A page of features, ordered by name.',
  edgeDescription: 'A feature and its cursor.',
});

export { Connection as FeatureConnection };

export const filterArg = {
  type: FeatureFilter,
  description: 'Features to return; all unarchived features if omitted.',
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
    description: 'Features of all projects, ordered by name.',
    complexity: listCost,
    args: { ...pageArgs(t, MAX_LIST_LIMIT), filter: t.arg(filterArg) },
    resolve: async (_root, { filter, ...args }, { actor, operations }) => {
      const criteria = readFeatureFilter(filter);
      const { page, toConnection } = readPage(args, {
        key: FEATURE_KEY,
        filter: [null, criteria],
        max: MAX_LIST_LIMIT,
      });
      return {
        ...toConnection(await operations.listFeatures(actor, { criteria, page })),
        countTotal: (upTo?: number) => operations.countFeatures(actor, { criteria, upTo }),
      };
    },
  }),
}));

builder.prismaObjectField(Project, 'features', (t) =>
  t.field({
    type: Connection,
    description: 'Features of this project, ordered by name.',
    complexity: listCost,
    args: { ...pageArgs(t, MAX_LIST_LIMIT), filter: t.arg(filterArg) },
    resolve: async ({ id }, { filter, ...args }, { pages }) => {
      const criteria = readFeatureFilter(filter);
      const { page, toConnection } = readPage(args, {
        key: FEATURE_KEY,
        filter: [id, criteria],
        max: MAX_LIST_LIMIT,
      });
      return {
        ...toConnection(await pages.featuresOf({ criteria, page }, id)),
        countTotal: (upTo?: number) => pages.countFeaturesOf({ criteria, upTo }, id),
      };
    },
  }),
);
