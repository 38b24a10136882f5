import { LRUCache } from 'lru-cache';
import { Prisma } from '../../data/db.js';
import type { Loaders } from '../../data/loaders.js';
import type { Actor } from '../actor.js';
import { NotFoundError } from '../errors.js';
import type { BuiltRecords, FeatureRecord } from '../features/feature-record.js';
import { assertText } from '../text.js';
import { countHealth, type HealthCounts, healthScore, technicalDebt } from './health.js';
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

/** Counts over the unarchived features of a project, by the lifetime of their types. */
export const getHealthCounts = async (loaders: Loaders, projectId: string, now: Date) => {
  const features = await loaders.activeFeaturesOfProject.load(projectId);
  const types = [...new Set(features.flatMap(({ type }) => type ?? []))];
  const rows = await Promise.all(types.map((type) => loaders.featureType.load(type)));
  const lifetimes = new Map(rows.flatMap((row) => (row ? [[row.id, row.lifetimeDays]] : [])));
  return countHealth(features, lifetimes, now);
};

export type ListRecords = (where: Prisma.Sql, last?: BuiltRecords) => Promise<BuiltRecords>;

type Last = { built: BuiltRecords; fingerprint: string; report: HealthReport };

/** Maximum number of characters kept of what reports are built from; each report weighs more than its text. */
const MAX_CACHE_SIZE = 8_000_000;
const REPORT_WEIGHT = 5_000;

const weightOf = ({ built, fingerprint }: Last, key: string): number =>
  REPORT_WEIGHT + key.length + built.size + built.others.length + fingerprint.length;

/**
 * Health reports of projects: settings, environments, unarchived features and their state. Everything is read each
 * time; if nothing has changed, the previous report is returned instead of an equal one.
 */
export const createHealthReports = ({ maxCacheSize = MAX_CACHE_SIZE } = {}) => {
  const lasts = new LRUCache<string, Last>({ maxSize: maxCacheSize, sizeCalculation: weightOf });

  return async (
    loaders: Loaders,
    listRecords: ListRecords,
    { userId, visibleProjects }: Actor,
    projectId: string,
  ): Promise<HealthReport> => {
    assertText('The project id', projectId);
    const key = JSON.stringify([userId, visibleProjects, projectId]);
    const last = lasts.get(key);
    const now = new Date();
    const active = Prisma.sql`t.project = ${projectId} and t.archived_at is null`;
    const [project, stats, settings, favorite, environments, members, built] = await Promise.all([
      loaders.project.load(projectId),
      loaders.statsOfProject.load(projectId),
      loaders.settingsOfProject.load(projectId),
      loaders.favoriteProject.load(projectId),
      environmentsOf(loaders, projectId),
      loaders.membersOfProject.load(projectId),
      listRecords(active, last?.built),
    ]);
    if (!project) throw NotFoundError.of('Project', projectId);

    const { features, records } = built.found;
    loaders.activeFeaturesOfProject.prime(projectId, features);
    const report: HealthReport = {
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
      features: records,
      members: Number(members?.members ?? 0),
      version: 1,
      ...(await getHealthCounts(loaders, projectId, now)),
    };
    const fingerprint = JSON.stringify({ ...report, features: null });
    if (last?.built === built && last.fingerprint === fingerprint) return last.report;
    lasts.set(key, { built, fingerprint, report });
    return report;
  };
};
