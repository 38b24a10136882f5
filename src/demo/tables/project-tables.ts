import type { Clock } from '../clock.js';
import type { HistoricEvent } from '../history/build-history.js';
import { personOf } from '../people.js';
import { healthOf, statsOf } from '../project-stats.js';
import { FAVORITE_PROJECTS, NEW_ENVIRONMENTS, PROJECTS, type ProjectSpec } from '../projects.js';
import type { Table } from './table.js';

const isNew = ({ by }: ProjectSpec) => by !== 'system';

/** Values that Unleash's hourly job maintains, including those of project `default`. */
export const projectStats = (id: string, clock: Clock) => ({
  createdAt: clock.at(PROJECTS.find((project) => project.id === id)?.created ?? 0, 660),
  updatedAt: clock.at(-1, 1_380),
  health: healthOf(id, clock),
});

const projects = (clock: Clock): Table => ({
  name: 'projects',
  rows: PROJECTS.filter(isNew).map(({ id, name, description, archived }) => {
    const { createdAt, updatedAt, health } = projectStats(id, clock);
    return {
      id,
      name,
      description,
      created_at: createdAt,
      updated_at: updatedAt,
      archived_at: archived === undefined ? null : clock.at(archived, 720),
      health,
    };
  }),
});

const projectEnvironments = (): Table => ({
  name: 'project_environments',
  rows: PROJECTS.filter(isNew).flatMap(({ id, environments, defaultStrategies }) =>
    environments.map((environment) => {
      const { earlier: _, ...strategy } = defaultStrategies?.[environment] ?? {};
      return {
        project_id: id,
        environment_name: environment,
        default_strategy: defaultStrategies?.[environment] ? strategy : null,
      };
    }),
  ),
});

const settings = (): Table => ({
  name: 'project_settings',
  rows: PROJECTS.flatMap(({ id, settings: projectSettings }) =>
    projectSettings === undefined
      ? []
      : [
          {
            project: id,
            default_stickiness: projectSettings.stickiness,
            project_mode: projectSettings.mode,
            feature_limit: projectSettings.limit ?? null,
            feature_naming_pattern: projectSettings.naming?.pattern ?? null,
            feature_naming_example: projectSettings.naming?.example ?? null,
            feature_naming_description: projectSettings.naming?.description ?? null,
          },
        ],
  ),
});

const changeRequests = (): Table => ({
  name: 'change_request_settings',
  rows: PROJECTS.flatMap(({ id, changeRequests: approvalsByEnvironment }) =>
    Object.entries(approvalsByEnvironment ?? {}).map(([environment, approvals]) => ({
      project: id,
      environment,
      required_approvals: approvals,
    })),
  ),
});

export const projectTables = (clock: Clock, history: readonly HistoricEvent[]): Table[] => [
  {
    name: 'environments',
    rows: NEW_ENVIRONMENTS.map(({ name, type, sortOrder, created }) => ({
      name,
      type,
      sort_order: sortOrder,
      enabled: true,
      protected: false,
      created_at: clock.at(created, 475),
    })),
  },
  projects(clock),
  projectEnvironments(),
  settings(),
  {
    name: 'project_stats',
    rows: PROJECTS.filter(({ hasStats }) => hasStats).map(({ id }) => statsOf(id, history, clock)),
  },
  changeRequests(),
];

export const favoriteProjectsTable = (clock: Clock): Table => ({
  name: 'favorite_projects',
  rows: FAVORITE_PROJECTS.map(({ project, person, day }) => ({
    project,
    user_id: personOf(person).id,
    created_at: clock.at(day, 1_010),
  })),
});
