import { PROJECT_FEATURES_COST } from '../../domain/cost.js';
import { NotFoundError } from '../../domain/errors.js';
import { healthScore, technicalDebt } from '../../domain/projects/health.js';
import { assertText } from '../../domain/text.js';
import { builder } from '../builder.js';
import { Feature } from './feature.js';
import { healthCounts, projectType } from './project.js';

/** Of one project: the list has no page size. */
const ASSUMED_FEATURES = 500;

const ProjectHealthReport = projectType(
  'ProjectHealthReport',
  'The health report of the REST API, for clients that migrate to GraphQL.',
);

builder.prismaObjectFields(ProjectHealthReport, (t) => ({
  version: t.int({ description: 'Report version, always 1.', resolve: () => 1 }),
  health: t.int({
    description: 'Health score from 0 to 100, as last stored by Unleash. 100 is healthy.',
    resolve: healthScore,
  }),
  technicalDebt: t.int({
    description: 'Distance from a healthy score: 100 minus `health`.',
    resolve: technicalDebt,
  }),
  features: t.field({
    type: [Feature],
    complexity: { field: 1, multiplier: ASSUMED_FEATURES },
    description: 'All unarchived features of the project, ordered by name.',
    resolve: async ({ id }, _args, { loaders }) => [
      ...(await loaders.activeFeaturesOfProject.load(id)),
    ],
  }),
  potentiallyStaleCount: t.int({
    complexity: PROJECT_FEATURES_COST,
    description:
      'Number of features that have exceeded the lifetime of their type without being marked stale.',
    resolve: async (project, _args, context) =>
      (await healthCounts(project, context)).potentiallyStaleCount,
  }),
  activeCount: t.int({
    complexity: PROJECT_FEATURES_COST,
    description: 'Number of features not marked stale.',
    resolve: async (project, _args, context) => (await healthCounts(project, context)).activeCount,
  }),
  staleCount: t.int({
    complexity: PROJECT_FEATURES_COST,
    description: 'Number of features marked stale.',
    resolve: async (project, _args, context) => (await healthCounts(project, context)).staleCount,
  }),
}));

builder.queryField('projectHealthReport', (t) =>
  t.field({
    type: ProjectHealthReport,
    description: 'Health report of a project in a single response, without pagination.',
    deprecationReason: 'Use project(id:) with its fields health and features.',
    args: {
      projectId: t.arg.string({
        required: true,
        description: 'Project ID, such as `default`.',
      }),
    },
    resolve: async (_root, { projectId }, { loaders }) => {
      assertText('The project id', projectId);
      const project = await loaders.project.load(projectId);
      if (!project) throw NotFoundError.of('Project', projectId);
      return project;
    },
  }),
);
