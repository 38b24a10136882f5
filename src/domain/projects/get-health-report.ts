import type { Sql } from '../../data/db.js';
import { isActiveIn } from '../../data/features/feature-conditions.sql.js';
import type { Loaders } from '../../data/loaders.js';
import { NotFoundError } from '../errors.js';
import {
  buildFeatureRecords,
  type FeatureContent,
  type FeatureRecord,
} from '../features/feature-record.js';
import { contentKeyOf, OnDemand } from '../on-demand.js';
import { assertText } from '../text.js';
import { countByType, type HealthCounts, healthScore, sumCounts, technicalDebt } from './health.js';
import { type FeatureNaming, type Stats, settingsOf, statsOf } from './project-settings.js';

export type ProjectEnvironmentRecord = {
  environment: string;
  /** Omitted if the project has none for this environment. */
  defaultStrategy?: unknown;
  changeRequestsEnabled: boolean;
};

/** Section 2.4 of the API document, with keys in Unleash's order. */
export type HealthReport = {
  stats: Stats;
  name: string;
  description: string | null;
  mode: string;
  featureLimit: number | null;
  featureNaming: FeatureNaming;
  defaultStickiness: string;
  health: number;
  /** As in Unleash 7.x and newer. */
  technicalDebt: number;
  favorite: boolean;
  updatedAt: Date;
  createdAt: Date | null;
  environments: ProjectEnvironmentRecord[];
  features: readonly FeatureRecord[];
  members: number;
  version: 1;
} & HealthCounts;

const environmentsOf = async (
  loaders: Loaders,
  projectId: string,
): Promise<ProjectEnvironmentRecord[]> => {
  const [environments, changeRequests] = await Promise.all([
    loaders.environmentsOfProject.load(projectId),
    loaders.changeRequestsOfProject.load(projectId),
  ]);
  return environments.map(({ environmentName, defaultStrategy }) => ({
    environment: environmentName,
    ...(defaultStrategy !== null && { defaultStrategy }),
    changeRequestsEnabled: changeRequests.some((row) => row.environmentName === environmentName),
  }));
};

/** The unarchived features of a project, and the lifetimes of their types. */
const countable = async (loaders: Loaders, projectId: string) => {
  const features = await loaders.activeFeaturesOfProject.load(projectId);
  const types = [...new Set(features.flatMap(({ type }) => type ?? []))];
  const rows = await Promise.all(types.map((type) => loaders.featureType.load(type)));
  const lifetimes = new Map(rows.flatMap((row) => (row ? [[row.id, row.lifetimeDays]] : [])));
  return { features, lifetimes };
};

/** Counts over the unarchived features of a project, for each type. */
export const getCountsByType = async (loaders: Loaders, projectId: string, now: Date) => {
  const { features, lifetimes } = await countable(loaders, projectId);
  return countByType(features, lifetimes, now);
};

export type ReadContent = (where: Sql) => Promise<FeatureContent>;

/** The health report of a project: settings, environments, unarchived features and their state. */
export const getHealthReport = async (
  loaders: Loaders,
  readContent: ReadContent,
  projectId: string,
): Promise<OnDemand<HealthReport>> => {
  assertText('The project id', projectId);
  const now = new Date();
  const [project, stats, settings, favorite, environments, members, content] = await Promise.all([
    loaders.project.load(projectId),
    loaders.statsOfProject.load(projectId),
    loaders.settingsOfProject.load(projectId),
    loaders.favoriteProject.load(projectId),
    environmentsOf(loaders, projectId),
    loaders.membersOfProject.load(projectId),
    readContent(isActiveIn(projectId)),
  ]);
  if (!project) throw NotFoundError.of('Project', projectId);

  loaders.activeFeaturesOfProject.prime(projectId, content.features);
  const beforeFeatures = {
    stats: statsOf(stats),
    name: project.name,
    description: project.description,
    ...settingsOf(settings),
    health: healthScore(project),
    technicalDebt: technicalDebt(project),
    favorite: favorite !== null,
    updatedAt: project.updatedAt ?? now,
    createdAt: project.createdAt,
    environments,
  };
  const afterFeatures = {
    members: Number(members?.members ?? 0),
    version: 1 as const,
    ...sumCounts(await getCountsByType(loaders, projectId, now)),
  };
  const { lists, collaborators, users } = content;
  const facts = JSON.stringify([beforeFeatures, afterFeatures, collaborators, users]);
  return new OnDemand(contentKeyOf([...Object.values(lists), facts]), async () => ({
    ...beforeFeatures,
    features: await buildFeatureRecords(content),
    ...afterFeatures,
  }));
};
