import { PROJECT_FEATURES_COST } from '../../domain/cost.js';
import { isObject } from '../../domain/json.js';
import { healthScore, sumCounts, technicalDebt } from '../../domain/projects/health.js';
import {
  type FeatureNaming as Naming,
  STAT_NAMES,
  type Stats,
  settingsOf,
  statsOf,
} from '../../domain/projects/project-settings.js';
import type { Loaders, Project as ProjectRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { joinKey } from '../join-key.js';
import { Environment } from './environment.js';
import { Node } from './node.js';
import { DefaultStrategy } from './strategy.js';

export const ProjectMode = builder.enumType('ProjectMode', {
  description: 'Collaboration mode of a project.',
  values: {
    OPEN: { value: 'open', description: 'All users may submit change requests.' },
    PROTECTED: { value: 'protected', description: 'Only members may submit change requests.' },
    PRIVATE: {
      value: 'private',
      description:
        'Only members may submit change requests. Users with the root role Viewer see it only if they are members.',
    },
    OTHER: { value: 'other', description: 'A mode newer than this gateway.' },
  },
});

const MODES = ['open', 'protected', 'private'] as const;

const toProjectMode = (name: string) => MODES.find((mode) => mode === name) ?? 'other';

const FeatureNaming = builder.objectRef<Naming>('FeatureNaming').implement({
  description: 'Naming rules for the features of a project.',
  fields: (t) => ({
    pattern: t.exposeString('pattern', {
      nullable: true,
      description: 'Regular expression that the entire name must match, such as `[a-z]+-[a-z-]+`.',
    }),
    example: t.exposeString('example', {
      nullable: true,
      description: 'Example of a name that matches.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Explanation of the pattern. May span several lines.',
    }),
  }),
});

const STAT_DESCRIPTIONS: Record<keyof Stats, string> = {
  avgTimeToProdCurrentWindow:
    'Average days from creation to being enabled in production, in the last 30 days.',
  createdCurrentWindow: 'Number of features created in the last 30 days.',
  createdPastWindow: 'Number of features created 60 to 30 days ago.',
  archivedCurrentWindow: 'Number of features archived in the last 30 days.',
  archivedPastWindow: 'Number of features archived 60 to 30 days ago.',
  projectActivityCurrentWindow: 'Number of events in the last 30 days.',
  projectActivityPastWindow: 'Number of events 60 to 30 days ago.',
  projectMembersAddedCurrentWindow: 'Number of members added in the last 30 days.',
};

export const ProjectStats = builder.objectRef<Stats>('ProjectStats').implement({
  description: 'Statistics that Unleash computes once a day. Zero until the first computation.',
  fields: (t) =>
    Object.fromEntries(
      STAT_NAMES.map((name) => [
        name,
        name === 'avgTimeToProdCurrentWindow'
          ? t.float({ description: STAT_DESCRIPTIONS[name], resolve: (stats) => stats[name] })
          : t.int({ description: STAT_DESCRIPTIONS[name], resolve: (stats) => stats[name] }),
      ]),
    ),
});

/** Archived features are not counted. */
export const healthCounts = async ({ id }: ProjectRow, { pages }: Context) =>
  sumCounts(await pages.featureCountsOf.load(id));

export const ProjectHealth = builder.objectRef<ProjectRow>('ProjectHealth').implement({
  description: 'Health of a project: how much of it needs cleanup.',
  fields: (t) => ({
    score: t.int({
      description: 'Health score from 0 to 100, as last stored by Unleash. 100 is healthy.',
      resolve: healthScore,
    }),
    technicalDebt: t.int({
      description: 'Distance from a healthy score: 100 minus `score`.',
      resolve: technicalDebt,
    }),
    activeCount: t.int({
      complexity: PROJECT_FEATURES_COST,
      description: 'Number of features not marked stale.',
      resolve: async (project, _args, context) =>
        (await healthCounts(project, context)).activeCount,
    }),
    staleCount: t.int({
      complexity: PROJECT_FEATURES_COST,
      description: 'Number of features marked stale.',
      resolve: async (project, _args, context) => (await healthCounts(project, context)).staleCount,
    }),
    potentiallyStaleCount: t.int({
      complexity: PROJECT_FEATURES_COST,
      description:
        'Number of features that have exceeded the lifetime of their type without being marked stale.',
      resolve: async (project, _args, context) =>
        (await healthCounts(project, context)).potentiallyStaleCount,
    }),
  }),
});

type EnvironmentRow = Awaited<ReturnType<Loaders['environmentsOfProject']['load']>>[number];

export const ProjectEnvironment = builder
  .objectRef<EnvironmentRow>('ProjectEnvironment')
  .implement({
    interfaces: [Node],
    description: 'An environment that a project uses.',
    fields: (t) => ({
      id: t.id({
        description: 'ID that combines project and environment, such as `default:production`.',
        resolve: ({ projectId, environmentName }) => joinKey(projectId, environmentName),
      }),
      projectId: t.exposeString('projectId', { description: 'Project ID.' }),
      environmentName: t.exposeString('environmentName', {
        description: 'Environment name, such as `production`.',
      }),
      environment: t.field({
        type: Environment,
        description: 'The environment.',
        resolve: (row) => row.environment,
      }),
      changeRequestsEnabled: t.boolean({
        description: 'Whether changes in this environment require change requests.',
        resolve: async ({ projectId, environmentName }, _args, { loaders }) =>
          (await loaders.changeRequestsOfProject.load(projectId)).some(
            (row) => row.environmentName === environmentName,
          ),
      }),
      defaultStrategy: t.field({
        type: DefaultStrategy,
        nullable: true,
        description:
          'Strategy added automatically when a feature without strategies is enabled. Null means the Unleash default.',
        resolve: ({ defaultStrategy }) => (isObject(defaultStrategy) ? defaultStrategy : null),
      }),
    }),
  });

const settings = async ({ id }: { id: string }, { loaders }: Context) =>
  settingsOf(await loaders.settingsOfProject.load(id));

/** Defines the fields that `Project` and the deprecated `ProjectHealthReport` share. */
export const projectType = (
  variant: string,
  description: string,
  interfaces: (typeof Node)[] = [],
) =>
  builder.prismaObject('Project', {
    variant,
    description,
    interfaces,
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Display name.' }),
      description: t.exposeString('description', {
        nullable: true,
        description: 'Free-text description.',
      }),
      mode: t.field({
        type: ProjectMode,
        description: 'Collaboration mode.',
        resolve: async (project, _args, context) =>
          toProjectMode((await settings(project, context)).mode),
      }),
      modeName: t.string({
        description: 'Collaboration mode as Unleash stores it, such as `open`.',
        resolve: async (project, _args, context) => (await settings(project, context)).mode,
      }),
      defaultStickiness: t.string({
        description:
          'Context field that keeps the result of a gradual rollout consistent for a user, such as `userId`.',
        resolve: async (project, _args, context) =>
          (await settings(project, context)).defaultStickiness,
      }),
      featureLimit: t.int({
        nullable: true,
        description: 'Maximum number of features; null means no limit.',
        resolve: async (project, _args, context) => (await settings(project, context)).featureLimit,
      }),
      featureNaming: t.field({
        type: FeatureNaming,
        description: 'Naming rules for its features.',
        resolve: async (project, _args, context) =>
          (await settings(project, context)).featureNaming,
      }),
      favorite: t.boolean({
        description: 'Whether it is one of your favorites.',
        resolve: async ({ id }, _args, { loaders }) =>
          (await loaders.favoriteProject.load(id)) !== null,
      }),
      members: t.int({
        description: 'Number of project members.',
        resolve: async ({ id }, _args, { loaders }) =>
          Number((await loaders.membersOfProject.load(id))?.members ?? 0),
      }),
      createdAt: t.expose('createdAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it was created.',
      }),
      updatedAt: t.expose('updatedAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When Unleash last updated its health score.',
      }),
      environments: t.field({
        type: [ProjectEnvironment],
        description: 'Environments that it uses, in sort order.',
        resolve: async ({ id }, _args, { loaders }) => [
          ...(await loaders.environmentsOfProject.load(id)),
        ],
      }),
      stats: t.field({
        type: ProjectStats,
        description: 'Statistics of the last 60 days.',
        resolve: async ({ id }, _args, { loaders }) =>
          statsOf(await loaders.statsOfProject.load(id)),
      }),
    }),
  });

export const Project = projectType('Project', 'A group of related features.', [Node]);

builder.objectField(ProjectEnvironment, 'project', (t) =>
  t.field({
    type: Project,
    nullable: true,
    description: 'The project; null if it no longer exists.',
    resolve: ({ projectId }, _args, { loaders }) => loaders.project.load(projectId),
  }),
);

builder.prismaObjectFields(Project, (t) => ({
  id: t.exposeID('id', {
    description: 'Project ID, such as `default`. Case-sensitive.',
  }),
  archived: t.boolean({
    description: 'Whether it is archived.',
    resolve: (project) => project.archivedAt !== null,
  }),
  archivedAt: t.expose('archivedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it was archived.',
  }),
  health: t.field({
    type: ProjectHealth,
    description: 'Health of the project: how much of it needs cleanup.',
    resolve: (project) => project,
  }),
}));
