import { NotFoundError } from '../../domain/errors.js';
import { healthScore } from '../../domain/projects/health.js';
import { builder } from '../builder.js';
import { Feature } from './feature.js';
import { healthCounts, projectType } from './project.js';

const ProjectHealthReport = projectType(
  'ProjectHealthReport',
  'The health report of REST, for callers who move over.',
);

builder.prismaObjectFields(ProjectHealthReport, (t) => ({
  version: t.int({ description: 'Version of the report: 1.', resolve: () => 1 }),
  health: t.int({
    description: 'Rating from 0 to 100 as the service last stored it; 100 is healthy.',
    resolve: healthScore,
  }),
  features: t.field({
    type: [Feature],
    complexity: { field: 1, multiplier: 100 },
    description: 'All its unarchived features, by name.',
    resolve: async ({ id }, _args, { loaders }) => [
      ...(await loaders.activeFeaturesOfProject.load(id)),
    ],
  }),
  potentiallyStaleCount: t.int({
    description: 'Features that have outlived the lifetime of their type.',
    resolve: async (project, _args, context) =>
      (await healthCounts(project, context)).potentiallyStaleCount,
  }),
  activeCount: t.int({
    description: 'Features not marked stale.',
    resolve: async (project, _args, context) => (await healthCounts(project, context)).activeCount,
  }),
  staleCount: t.int({
    description: 'Features marked stale.',
    resolve: async (project, _args, context) => (await healthCounts(project, context)).staleCount,
  }),
}));

builder.queryField('projectHealthReport', (t) =>
  t.field({
    type: ProjectHealthReport,
    description: 'How a project stands, in one answer of any size.',
    deprecationReason: 'Use project(id:) with its fields health and features.',
    args: {
      projectId: t.arg.string({
        required: true,
        description: 'Id of the project, such as `default`.',
      }),
    },
    resolve: async (_root, { projectId }, { actor, operations }) => {
      const project = await operations.findProject(actor, projectId);
      if (!project) throw NotFoundError.of('Project', projectId);
      return project;
    },
  }),
);
