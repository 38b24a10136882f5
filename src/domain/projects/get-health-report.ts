import { type Feature, Prisma } from '../../data/db.js';
import type { Loaders } from '../../data/loaders.js';
import { NotFoundError } from '../errors.js';
import type { FeatureRecord } from '../features/feature-record.js';
import { assertText } from '../text.js';
import { countHealth, type HealthCounts, healthScore } from './health.js';
import { type FeatureNaming, type Stats, settingsOf, statsOf } from './project-settings.js';

export type ProjectEnvironmentRecord = {
  environment: string;
  /** Left out when the project has none for this environment. */
  defaultStrategy?: unknown;
  changeRequestsEnabled: boolean;
};

/** The API document's 2.4, in the original's order of keys. */
export type HealthReport = {
  stats: Stats;
  name: string;
  description: string | null;
  mode: string;
  featureLimit: number | null;
  featureNaming: FeatureNaming;
  defaultStickiness: string;
  health: number;
  favorite: boolean;
  updatedAt: Date;
  createdAt: Date | null;
  environments: ProjectEnvironmentRecord[];
  features: FeatureRecord[];
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

/** Counts over the unarchived features of a project, each judged by the lifetime of its type. */
export const getHealthCounts = async (loaders: Loaders, projectId: string, now: Date) => {
  const features = await loaders.activeFeaturesOfProject.load(projectId);
  const types = [...new Set(features.flatMap(({ type }) => type ?? []))];
  const rows = await Promise.all(types.map((type) => loaders.featureType.load(type)));
  const lifetimes = new Map(rows.flatMap((row) => (row ? [[row.id, row.lifetimeDays]] : [])));
  return countHealth(features, lifetimes, now);
};

export type ListRecords = (
  where: Prisma.Sql,
) => Promise<{ features: readonly Feature[]; records: FeatureRecord[] }>;

/** The unarchived features of a project, which the loaders then know as well. */
const listActiveRecords = async (loaders: Loaders, listRecords: ListRecords, projectId: string) => {
  const { features, records } = await listRecords(
    Prisma.sql`t.project = ${projectId} and t.archived_at is null`,
  );
  loaders.activeFeaturesOfProject.prime(projectId, features);
  return records;
};

/** How a project stands: its settings, its environments, its unarchived features and their state. */
export const getHealthReport = async (
  loaders: Loaders,
  listRecords: ListRecords,
  projectId: string,
): Promise<HealthReport> => {
  assertText('The project id', projectId);
  const now = new Date();
  const [project, stats, settings, favorite, environments, members, features] = await Promise.all([
    loaders.project.load(projectId),
    loaders.statsOfProject.load(projectId),
    loaders.settingsOfProject.load(projectId),
    loaders.favoriteProject.load(projectId),
    environmentsOf(loaders, projectId),
    loaders.membersOfProject.load(projectId),
    listActiveRecords(loaders, listRecords, projectId),
  ]);
  if (!project) throw NotFoundError.of('Project', projectId);

  return {
    stats: statsOf(stats),
    name: project.name,
    description: project.description,
    ...settingsOf(settings),
    health: healthScore(project),
    favorite: favorite !== null,
    updatedAt: project.updatedAt ?? now,
    createdAt: project.createdAt,
    environments,
    features,
    members: Number(members?.members ?? 0),
    version: 1,
    ...(await getHealthCounts(loaders, projectId, now)),
  };
};
