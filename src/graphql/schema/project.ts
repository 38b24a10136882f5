import { isObject } from '../../domain/json.js';
import { getHealthCounts } from '../../domain/projects/get-health-report.js';
import { healthScore } from '../../domain/projects/health.js';
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
import { Environment } from './environment.js';
import { Node } from './node.js';
import { DefaultStrategy } from './strategy.js';

export const ProjectMode = builder.enumType('ProjectMode', {
  description: 'Who may take part in a project.',
  values: {
    OPEN: { value: 'open', description: 'Everybody may submit change requests.' },
    PROTECTED: { value: 'protected', description: 'Only members may submit change requests.' },
    PRIVATE: { value: 'private', description: 'Only members see it, where the edition hides it.' },
  },
});

const FeatureNaming = builder.objectRef<Naming>('FeatureNaming').implement({
  description: 'How features of a project must be named.',
  fields: (t) => ({
    pattern: t.exposeString('pattern', {
      nullable: true,
      description: 'Regular expression a whole name must match, such as `[a-z]+-[a-z-]+`.',
    }),
    example: t.exposeString('example', { nullable: true, description: 'A name that matches.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Explanation, may span several lines.',
    }),
  }),
});

const STAT_DESCRIPTIONS: Record<keyof Stats, string> = {
  avgTimeToProdCurrentWindow: 'Mean days from creation to first use in production, last 30 days.',
  createdCurrentWindow: 'Features created in the last 30 days.',
  createdPastWindow: 'Features created 60 to 30 days ago.',
  archivedCurrentWindow: 'Features archived in the last 30 days.',
  archivedPastWindow: 'Features archived 60 to 30 days ago.',
  projectActivityCurrentWindow: 'Events in the last 30 days.',
  projectActivityPastWindow: 'Events 60 to 30 days ago.',
  projectMembersAddedCurrentWindow: 'Members added in the last 30 days.',
};

export const ProjectStats = builder.objectRef<Stats>('ProjectStats').implement({
  description: 'Figures the service computes once a day; zero until it has.',
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

/** Counts over the unarchived features of a project. */
export const healthCounts = ({ id }: ProjectRow, { loaders }: Context) =>
  getHealthCounts(loaders, id, new Date());

export const ProjectHealth = builder.objectRef<ProjectRow>('ProjectHealth').implement({
  description: 'How much of a project needs cleaning up.',
  fields: (t) => ({
    score: t.int({
      description: 'Rating from 0 to 100 as the service last stored it; 100 is healthy.',
      resolve: healthScore,
    }),
    activeCount: t.int({
      description: 'Features not marked stale.',
      resolve: async (project, _args, context) =>
        (await healthCounts(project, context)).activeCount,
    }),
    staleCount: t.int({
      description: 'Features marked stale.',
      resolve: async (project, _args, context) => (await healthCounts(project, context)).staleCount,
    }),
    potentiallyStaleCount: t.int({
      description: 'Features that have outlived the lifetime of their type.',
      resolve: async (project, _args, context) =>
        (await healthCounts(project, context)).potentiallyStaleCount,
    }),
  }),
});

type EnvironmentRow = Awaited<ReturnType<Loaders['environmentsOfProject']['load']>>[number];

export const ProjectEnvironment = builder
  .objectRef<EnvironmentRow>('ProjectEnvironment')
  .implement({
    description: 'An environment a project uses.',
    fields: (t) => ({
      environment: t.field({
        type: Environment,
        description: 'The environment.',
        resolve: (row) => row.environment,
      }),
      changeRequestsEnabled: t.boolean({
        description: 'Whether changes here go through change requests.',
        resolve: async ({ projectId, environmentName }, _args, { loaders }) =>
          (await loaders.changeRequestsOfProject.load(projectId)).some(
            (row) => row.environmentName === environmentName,
          ),
      }),
      defaultStrategy: t.field({
        type: DefaultStrategy,
        nullable: true,
        description:
          'Strategy a feature gets when it is switched on without any; null for the usual.',
        resolve: ({ defaultStrategy }) => (isObject(defaultStrategy) ? defaultStrategy : null),
      }),
    }),
  });

const settings = async ({ id }: { id: string }, { loaders }: Context) =>
  settingsOf(await loaders.settingsOfProject.load(id));

/** A type with the facts that the project itself and its deprecated health report both tell. */
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
      name: t.exposeString('name', { description: 'Name to show.' }),
      description: t.exposeString('description', { nullable: true, description: 'Free text.' }),
      mode: t.field({
        type: ProjectMode,
        description: 'Who may take part.',
        resolve: async (project, _args, context) =>
          (await settings(project, context)).mode as 'open' | 'protected' | 'private',
      }),
      defaultStickiness: t.string({
        description:
          'Context field that keeps a user on one side of a gradual rollout, such as `userId`.',
        resolve: async (project, _args, context) =>
          (await settings(project, context)).defaultStickiness,
      }),
      featureLimit: t.int({
        nullable: true,
        description: 'Most features it may have; null for no limit.',
        resolve: async (project, _args, context) => (await settings(project, context)).featureLimit,
      }),
      featureNaming: t.field({
        type: FeatureNaming,
        description: 'How its features must be named.',
        resolve: async (project, _args, context) =>
          (await settings(project, context)).featureNaming,
      }),
      favorite: t.boolean({
        description: 'Whether you marked it as a favorite.',
        resolve: async ({ id }, _args, { loaders }) =>
          (await loaders.favoriteProject.load(id)) !== null,
      }),
      members: t.int({
        description: 'Number of users in the project.',
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
        description: 'When the service last rated it.',
      }),
      environments: t.field({
        type: [ProjectEnvironment],
        description: 'Environments it uses, in their order.',
        resolve: async ({ id }, _args, { loaders }) => [
          ...(await loaders.environmentsOfProject.load(id)),
        ],
      }),
      stats: t.field({
        type: ProjectStats,
        description: 'Figures of the last 60 days.',
        resolve: async ({ id }, _args, { loaders }) =>
          statsOf(await loaders.statsOfProject.load(id)),
      }),
    }),
  });

export const Project = projectType('Project', 'A group of features that belong together.', [Node]);

builder.prismaObjectFields(Project, (t) => ({
  id: t.exposeString('id', {
    description: 'Id of the project, such as `default`; letter case counts.',
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
    description: 'How much of it needs cleaning up.',
    resolve: (project) => project,
  }),
}));
