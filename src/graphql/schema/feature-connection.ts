import type { FeatureCriteria } from '../../domain/features/list-features.js';
import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import type { Feature as FeatureRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { type CursorKey, connectionTypes, pageCost, readPage } from '../connection.js';
import { Feature } from './feature.js';
import { chosenValues, defined, nonNull, StringFilter } from './filters.js';
import { Project } from './project.js';

const TagInput = builder.inputType('TagInput', {
  description: 'A tag to look for.',
  fields: (t) => ({
    type: t.string({ required: true, description: 'Kind of tag, such as `simple`.' }),
    value: t.string({ required: true, description: 'Text of the tag, such as `mobile-team`.' }),
  }),
});

const FeatureFilter = builder.inputType('FeatureFilter', {
  description: 'Which features to show; all conditions that are given must hold.',
  fields: (t) => ({
    name: t.field({
      type: StringFilter,
      description: 'Name of the feature, such as `checkout-one-page`.',
    }),
    project: t.field({ type: StringFilter, description: 'Id of its project.' }),
    type: t.field({ type: StringFilter, description: 'Kind of feature.' }),
    text: t.string({
      description:
        'Found, in any letter case, in the name or the description. Every character means itself.',
    }),
    archived: t.boolean({
      defaultValue: false,
      description: 'true: only archived ones; false: none of them; null: both. Default false.',
    }),
    stale: t.boolean({ description: 'Whether it is marked stale.' }),
    favorite: t.boolean({ description: 'Whether you marked it as a favorite.' }),
    tag: t.field({ type: TagInput, description: 'A tag it has.' }),
  }),
});

const readFeatureFilter = (
  filter: typeof FeatureFilter.$inferInput | null | undefined,
): FeatureCriteria => ({
  ...chosenValues('names', 'filter.name', filter?.name),
  ...chosenValues('projects', 'filter.project', filter?.project),
  ...chosenValues('types', 'filter.type', filter?.type),
  ...defined({
    text: nonNull(filter?.text),
    archived: nonNull(filter ? filter.archived : false),
    stale: nonNull(filter?.stale),
    favorite: nonNull(filter?.favorite),
    tag: nonNull(filter?.tag),
  }),
});

const FEATURE_KEY: CursorKey<FeatureRow, string> = {
  kind: 'features',
  keyOf: (feature) => feature.name,
  parse: (text) => text,
};

const { Connection, Edge } = connectionTypes(Feature, {
  name: 'Feature',
  description: 'A page of features, by name.',
  edgeDescription: 'A feature and its place in the list.',
});

const filterArg = {
  type: FeatureFilter,
  description: 'Which features; all unarchived ones when left out.',
};

builder.queryFields((t) => ({
  feature: t.field({
    type: Feature,
    nullable: true,
    description: 'One feature by its name, archived or not; null when there is none.',
    args: {
      name: t.arg.string({
        required: true,
        description: 'Name of the feature, such as `checkout-one-page`.',
      }),
    },
    resolve: (_root, { name }, { actor, operations }) => operations.findFeature(actor, name),
  }),
  features: t.connection(
    {
      type: Feature,
      description: 'Features of all projects, by name.',
      complexity: pageCost,
      args: { filter: t.arg(filterArg) },
      resolve: async (_root, { filter, ...args }, { actor, operations }) => {
        const criteria = readFeatureFilter(filter);
        const { page, toConnection } = readPage(args, {
          key: FEATURE_KEY,
          filter: [null, criteria],
          most: MAX_LIST_LIMIT,
        });
        return {
          ...toConnection(await operations.listFeatures(actor, { criteria, page })),
          countTotal: (upTo?: number) => operations.countFeatures(actor, { criteria, upTo }),
        };
      },
    },
    Connection,
    Edge,
  ),
}));

builder.prismaObjectField(Project, 'features', (t) =>
  t.connection(
    {
      type: Feature,
      description: 'Features of this project, by name.',
      complexity: pageCost,
      args: { filter: t.arg(filterArg) },
      resolve: async ({ id }, { filter, ...args }, { pages }) => {
        const criteria = readFeatureFilter(filter);
        const { page, toConnection } = readPage(args, {
          key: FEATURE_KEY,
          filter: [id, criteria],
          most: MAX_LIST_LIMIT,
        });
        return {
          ...toConnection(await pages.featuresOf({ criteria, page }, id)),
          countTotal: (upTo?: number) => pages.countFeaturesOf({ criteria, upTo }, id),
        };
      },
    },
    Connection,
    Edge,
  ),
);
