import DataLoader from 'dataloader';
import { type Db, type Environment, Prisma, type Strategy } from './db.js';
import { groupBy, indexBy } from './grouping.js';
import {
  columnsOf,
  DEPENDENCIES,
  ENVIRONMENTS,
  FEATURE_ENVIRONMENTS,
  FEATURE_TAGS,
  FEATURES,
  LAST_SEEN,
  LIFECYCLE_STAGES,
  readTable,
  readTableRows,
  STRATEGIES,
  selectStrategies,
  withEnvironments,
} from './tables.js';

type Key = string | number;

const one = <K extends Key, Row>(
  load: (keys: K[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => K,
) =>
  new DataLoader<K, Row | null>(async (keys) => {
    const rows = indexBy(await load([...keys]), keyOf);
    return keys.map((key) => rows.get(key) ?? null);
  });

const many = <K extends Key, Row>(
  load: (keys: K[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => K,
) =>
  new DataLoader<K, readonly Row[]>(async (keys) => {
    const rows = groupBy(await load([...keys]), keyOf);
    return keys.map((key) => rows.get(key) ?? []);
  });

type Member = { projectId: string; members: bigint };

/** Finds who changed features, the latest first; part of the log, so told by whoever keeps that. */
export type ListCollaborators = (
  names: readonly string[],
) => Promise<readonly { featureName: string; userId: number }[]>;

/** There are few environments: all of them are read at once, for whoever needs some. */
const environmentLoaders = (db: Db) => {
  const environments = new DataLoader<'all', readonly Environment[]>((keys) =>
    Promise.all(
      keys.map(() =>
        readTable(db, ENVIRONMENTS, Prisma.sql`true`, Prisma.sql`t.sort_order, t.name`),
      ),
    ),
  );
  const environmentsOfFeature = many(
    async (names: string[]) => {
      const [rows, all] = await Promise.all([
        readTable(db, FEATURE_ENVIRONMENTS, Prisma.sql`t.feature_name = any(${names}::text[])`),
        environments.load('all'),
      ]);
      return withEnvironments(rows, all);
    },
    (environment) => environment.featureName,
  );
  return { environments, environmentsOfFeature };
};

/**
 * Batches for one request: whatever the number of rows, each of these costs one statement (two where a row is
 * joined to its parent). `userId` is the caller, whose favorites are meant.
 */
export const createLoaders = (db: Db, userId: number, listCollaborators: ListCollaborators) => ({
  feature: one(
    (names: string[]) => db.feature.findMany({ where: { name: { in: names } } }),
    (feature) => feature.name,
  ),
  project: one(
    (ids: string[]) => db.project.findMany({ where: { id: { in: ids } } }),
    (project) => project.id,
  ),
  user: one(
    (ids: number[]) => db.user.findMany({ where: { id: { in: ids } } }),
    (user) => user.id,
  ),
  featureType: one(
    (ids: string[]) => db.featureType.findMany({ where: { id: { in: ids } } }),
    (type) => type.id,
  ),

  ...environmentLoaders(db),
  strategiesOfFeature: many(
    (names: string[]) =>
      readTableRows<Strategy, { segmentIds: number[] }>(
        db,
        STRATEGIES,
        selectStrategies(columnsOf(STRATEGIES), Prisma.sql`t.feature_name = any(${names}::text[])`),
      ),
    (strategy) => strategy.featureName,
  ),
  segment: one(
    (ids: number[]) => db.segment.findMany({ where: { id: { in: ids } } }),
    (segment) => segment.id,
  ),
  tagsOfFeature: many(
    (names: string[]) =>
      readTable(
        db,
        FEATURE_TAGS,
        Prisma.sql`t.feature_name = any(${names}::text[])`,
        Prisma.sql`t.tag_type, t.tag_value`,
      ),
    (tag) => tag.featureName,
  ),
  lastSeenOfFeature: many(
    (names: string[]) =>
      readTable(db, LAST_SEEN, Prisma.sql`t.feature_name = any(${names}::text[])`),
    (seen) => seen.featureName,
  ),
  dependenciesOfFeature: many(
    (names: string[]) =>
      readTable(
        db,
        DEPENDENCIES,
        Prisma.sql`t.child = any(${names}::text[])`,
        Prisma.sql`t.parent`,
      ),
    (dependency) => dependency.childName,
  ),
  childrenOfFeature: many(
    (names: string[]) =>
      readTable(
        db,
        DEPENDENCIES,
        Prisma.sql`t.parent = any(${names}::text[])`,
        Prisma.sql`t.child`,
      ),
    (dependency) => dependency.parentName,
  ),
  lifecycleOfFeature: many(
    (names: string[]) =>
      readTable(db, LIFECYCLE_STAGES, Prisma.sql`t.feature = any(${names}::text[])`),
    (stage) => stage.featureName,
  ),
  collaboratorsOfFeature: many(listCollaborators, (collaborator) => collaborator.featureName),
  favoriteFeature: one(
    (names: string[]) =>
      db.favoriteFeature.findMany({ where: { userId, featureName: { in: names } } }),
    (favorite) => favorite.featureName,
  ),

  environmentsOfProject: many(
    (ids: string[]) =>
      db.projectEnvironment.findMany({
        where: { projectId: { in: ids } },
        include: { environment: true },
        orderBy: [{ environment: { sortOrder: 'asc' } }, { environmentName: 'asc' }],
      }),
    (environment) => environment.projectId,
  ),
  changeRequestsOfProject: many(
    (ids: string[]) => db.changeRequestSetting.findMany({ where: { projectId: { in: ids } } }),
    (setting) => setting.projectId,
  ),
  settingsOfProject: one(
    (ids: string[]) => db.projectSettings.findMany({ where: { projectId: { in: ids } } }),
    (settings) => settings.projectId,
  ),
  statsOfProject: one(
    (ids: string[]) => db.projectStats.findMany({ where: { projectId: { in: ids } } }),
    (stats) => stats.projectId,
  ),
  // A group without members counts once, as an unknown member, as it does in the original.
  membersOfProject: one(
    (ids: string[]) =>
      db.$queryRaw<Member[]>(Prisma.sql`
        select "projectId", count(*) as members from (
          select held.project as "projectId", held.user_id from role_user held
          join roles role on role.id = held.role_id
          where role.type <> 'root' and held.project = any(${ids}::text[])
          union
          select held.project, member.user_id from group_role held
          left join group_user member on member.group_id = held.group_id
          where held.project = any(${ids}::text[])
        ) member group by 1`),
    (member) => member.projectId,
  ),
  favoriteProject: one(
    (ids: string[]) => db.favoriteProject.findMany({ where: { userId, projectId: { in: ids } } }),
    (favorite) => favorite.projectId,
  ),
  activeFeaturesOfProject: many(
    (ids: string[]) =>
      readTable(
        db,
        FEATURES,
        Prisma.sql`t.project = any(${ids}::text[]) and t.archived_at is null`,
        Prisma.sql`t.name`,
      ),
    (feature) => feature.projectId ?? '',
  ),
});

export type Loaders = ReturnType<typeof createLoaders>;
