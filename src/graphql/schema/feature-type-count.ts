import { PROJECT_FEATURES_COST } from '../../domain/cost.js';
import type { FeatureTypeCount as TypeCount } from '../../domain/projects/health.js';
import { builder } from '../builder.js';
import { ProjectHealth } from './project.js';

const FeatureTypeCount = builder.objectRef<TypeCount>('FeatureTypeCount').implement({
  description: 'Number of unarchived features of one type in a project.',
  fields: (t) => ({
    type: t.exposeString('type', {
      nullable: true,
      description: 'Feature type, such as `release`. Null for features without a type.',
    }),
    count: t.exposeInt('count', { description: 'Number of features of this type.' }),
    staleCount: t.exposeInt('staleCount', { description: 'Number of them marked stale.' }),
    potentiallyStaleCount: t.exposeInt('potentiallyStaleCount', {
      description:
        'Number of them that have exceeded the lifetime of the type without being marked stale.',
    }),
  }),
});

builder.objectField(ProjectHealth, 'countsByType', (t) =>
  t.field({
    type: [FeatureTypeCount],
    complexity: { field: PROJECT_FEATURES_COST },
    description: 'Number of unarchived features per feature type, most frequent type first.',
    resolve: async ({ id }, _args, { pages }) => [...(await pages.featureCountsOf.load(id))],
  }),
);
