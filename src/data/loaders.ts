import { createLoader } from './create-loader.js';
import { type Db, type Environment, Prisma, type Strategy } from './db.js';
import { groupInSlices, indexBy } from './grouping.js';
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
import { traceStep } from './tracing.js';
import { readUsers } from './users.js';
import { inVisibleProject, isVisibleFeature, type Viewer, visibleIds } from './visible-projects.js';

type Key = string | number;

type Load<K extends Key, Row> = (keys: K[]) => Promise<readonly Row[]>;

const loadBatch = <K extends Key, Row>(name: string, load: Load<K, Row>, keys: readonly K[]) =>
  traceStep(`load ${name}`, () => load([...keys]), {
    attributes: () => ({ 'flaggraph.batch.size': keys.length }),
  });

const one = <K extends Key, Row>(name: string, load: Load<K, Row>, keyOf: (row: Row) => K) =>
  createLoader<K, Row | null>(async (keys) => {
    const rows = indexBy(await loadBatch(name, load, keys), keyOf);
    return keys.map((key) => rows.get(key) ?? null);
  });

const many = <K extends Key, Row>(name: string, load: Load<K, Row>, keyOf: (row: Row) => K) =>
  createLoader<K, readonly Row[]>(async (keys) => {
    const rows = await groupInSlices(await loadBatch(name, load, keys), keyOf);
    return keys.map((key) => rows.get(key) ?? []);
  });

type Member = { projectId: string; members: bigint };

/** Lists the users who changed features, most recent first, from the event log. */
export type ListCollaborators = (
  names: readonly string[],
) => Promise<readonly { featureName: string; userId: number }[]>;

/** There are few environments, so all are read at once. */
const environmentLoaders = (db: Db) => {
  const environments = createLoader<'all', readonly Environment[]>((keys) =>
    Promise.all(
      keys.map(() =>
        readTable(db, ENVIRONMENTS, Prisma.sql`true`, Prisma.sql`t.sort_order, t.name`),
      ),
    ),
  );
  const environmentsOfFeature = many(
    'environmentsOfFeature',
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
 * Data loaders for one request: each costs one statement for any number of keys (two if rows are joined to a parent).
 * Features, projects and segments that the viewer may not see are absent; everything else is loaded by the key of a
 * visible object.
 */
export const createLoaders = (db: Db, viewer: Viewer, listCollaborators: ListCollaborators) => ({
  feature: one(
    'feature',
    (names: string[]) =>
      db.feature.findMany({ where: { name: { in: names }, projectId: visibleIds(viewer) } }),
    (feature) => feature.name,
  ),
  project: one(
    'project',
    (ids: string[]) =>
      db.project.findMany({ where: { AND: [{ id: { in: ids } }, { id: visibleIds(viewer) }] } }),
    (project) => project.id,
  ),
  user: one(
    'user',
    (ids: number[]) => readUsers(db, ids),
    (user) => user.id,
  ),
  featureType: one(
    'featureType',
    (ids: string[]) => db.featureType.findMany({ where: { id: { in: ids } } }),
    (type) => type.id,
  ),

  ...environmentLoaders(db),
  strategiesOfFeature: many(
    'strategiesOfFeature',
    (names: string[]) =>
      readTableRows<Strategy, { segmentIds: number[] }>(
        db,
        STRATEGIES,
        selectStrategies(columnsOf(STRATEGIES), Prisma.sql`t.feature_name = any(${names}::text[])`),
      ),
    (strategy) => strategy.featureName,
  ),
  segment: one(
    'segment',
    (ids: number[]) =>
      db.segment.findMany({
        where: {
          id: { in: ids },
          ...(viewer.visibleProjects !== null && {
            OR: [{ projectId: null }, { projectId: visibleIds(viewer) }],
          }),
        },
      }),
    (segment) => segment.id,
  ),
  tagsOfFeature: many(
    'tagsOfFeature',
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
    'lastSeenOfFeature',
    (names: string[]) =>
      readTable(db, LAST_SEEN, Prisma.sql`t.feature_name = any(${names}::text[])`),
    (seen) => seen.featureName,
  ),
  dependenciesOfFeature: many(
    'dependenciesOfFeature',
    (names: string[]) =>
      readTable(
        db,
        DEPENDENCIES,
        Prisma.sql`t.child = any(${names}::text[]) and ${isVisibleFeature(viewer, Prisma.sql`t.parent`)}`,
        Prisma.sql`t.parent`,
      ),
    (dependency) => dependency.childName,
  ),
  childrenOfFeature: many(
    'childrenOfFeature',
    (names: string[]) =>
      readTable(
        db,
        DEPENDENCIES,
        Prisma.sql`t.parent = any(${names}::text[]) and ${isVisibleFeature(viewer, Prisma.sql`t.child`)}`,
        Prisma.sql`t.child`,
      ),
    (dependency) => dependency.parentName,
  ),
  lifecycleOfFeature: many(
    'lifecycleOfFeature',
    (names: string[]) =>
      readTable(db, LIFECYCLE_STAGES, Prisma.sql`t.feature = any(${names}::text[])`),
    (stage) => stage.featureName,
  ),
  collaboratorsOfFeature: many(
    'collaboratorsOfFeature',
    async (names: string[]) => {
      const changes = await listCollaborators(names);
      const ids = new Set(changes.map(({ userId }) => userId));
      const users = indexBy(await readUsers(db, [...ids]), ({ id }) => id);
      return changes.map(({ featureName, userId }) => ({ featureName, user: users.get(userId) }));
    },
    (collaborator) => collaborator.featureName,
  ),
  favoriteFeature: one(
    'favoriteFeature',
    (names: string[]) =>
      db.favoriteFeature.findMany({
        where: { userId: viewer.userId, featureName: { in: names } },
      }),
    (favorite) => favorite.featureName,
  ),

  environmentsOfProject: many(
    'environmentsOfProject',
    (ids: string[]) =>
      db.projectEnvironment.findMany({
        where: { projectId: { in: ids } },
        include: { environment: true },
        orderBy: [{ environment: { sortOrder: 'asc' } }, { environmentName: 'asc' }],
      }),
    (environment) => environment.projectId,
  ),
  changeRequestsOfProject: many(
    'changeRequestsOfProject',
    (ids: string[]) => db.changeRequestSetting.findMany({ where: { projectId: { in: ids } } }),
    (setting) => setting.projectId,
  ),
  settingsOfProject: one(
    'settingsOfProject',
    (ids: string[]) => db.projectSettings.findMany({ where: { projectId: { in: ids } } }),
    (settings) => settings.projectId,
  ),
  statsOfProject: one(
    'statsOfProject',
    (ids: string[]) => db.projectStats.findMany({ where: { projectId: { in: ids } } }),
    (stats) => stats.projectId,
  ),
  // A group without members counts as one unknown member, as in Unleash.
  membersOfProject: one(
    'membersOfProject',
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
    'favoriteProject',
    (ids: string[]) =>
      db.favoriteProject.findMany({ where: { userId: viewer.userId, projectId: { in: ids } } }),
    (favorite) => favorite.projectId,
  ),
  activeFeaturesOfProject: many(
    'activeFeaturesOfProject',
    (ids: string[]) =>
      readTable(
        db,
        FEATURES,
        Prisma.sql`t.project = any(${ids}::text[]) and t.archived_at is null
          and ${inVisibleProject(viewer, Prisma.sql`t.project`)}`,
        Prisma.sql`t.name`,
      ),
    (feature) => feature.projectId ?? '',
  ),
});

export type Loaders = ReturnType<typeof createLoaders>;
