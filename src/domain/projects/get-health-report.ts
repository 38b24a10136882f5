import { Prisma } from '../../data/db.js';
import type { Loaders } from '../../data/loaders.js';
import type { Actor } from '../actor.js';
import { NotFoundError } from '../errors.js';
import type { BuiltRecords, FeatureRecord } from '../features/feature-record.js';
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

/** Counts over the unarchived features of a project, each judged by the lifetime of its type. */
export const getHealthCounts = async (loaders: Loaders, projectId: string, now: Date) => {
  const features = await loaders.activeFeaturesOfProject.load(projectId);
  const types = [...new Set(features.flatMap(({ type }) => type ?? []))];
  const rows = await Promise.all(types.map((type) => loaders.featureType.load(type)));
  const lifetimes = new Map(rows.flatMap((row) => (row ? [[row.id, row.lifetimeDays]] : [])));
  return countHealth(features, lifetimes, now);
};

export type ListRecords = (where: Prisma.Sql, last?: BuiltRecords) => Promise<BuiltRecords>;

type Last = { built: BuiltRecords; facts: string; report: HealthReport };

/** So many characters are kept of what reports were made of, each report counting for more than its text. */
const MAX_KEPT = 8_000_000;
const REPORT_WEIGHT = 5_000;

const weightOf = ({ built, facts }: Last): number =>
  REPORT_WEIGHT + built.size + built.others.length + facts.length;

/**
 * Reports on how projects stand: settings, environments, unarchived features and their state. Everything is read each
 * time; where it is what it was the last time, the same report is answered again, instead of an equal one.
 */
export const createHealthReports = () => {
  const lasts = new Map<string, Last>();

  const keep = (key: string, last: Last) => {
    lasts.delete(key);
    lasts.set(key, last);
    let kept = [...lasts.values()].reduce((sum, other) => sum + weightOf(other), 0);
    for (const [oldest, other] of lasts) {
      if (kept <= MAX_KEPT) break;
      lasts.delete(oldest);
      kept -= weightOf(other);
    }
  };

  return async (
    loaders: Loaders,
    listRecords: ListRecords,
    { userId }: Actor,
    projectId: string,
  ): Promise<HealthReport> => {
    assertText('The project id', projectId);
    const key = JSON.stringify([userId, projectId]);
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
      favorite: favorite !== null,
      updatedAt: project.updatedAt ?? now,
      createdAt: project.createdAt,
      environments,
      features: records,
      members: Number(members?.members ?? 0),
      version: 1,
      ...(await getHealthCounts(loaders, projectId, now)),
    };
    const facts = JSON.stringify({ ...report, features: null });
    if (last?.built === built && last.facts === facts) return last.report;
    keep(key, { built, facts, report });
    return report;
  };
};
