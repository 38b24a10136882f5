import { createLoader } from './create-loader.js';
import type { Db, Environment } from './db.js';
import {
  readActiveFeatures,
  readFeatureEnvironments,
  readStrategies,
} from './features/feature-lists.sql.js';
import { withEnvironments } from './features/with-environments.js';
import { groupInSlices, indexBy } from './grouping.js';
import { countMembers } from './projects/count-members.sql.js';
import { traceStep } from './tracing.js';
import { readUsers } from './users.js';
import { type Viewer, visibleIds } from './viewer.js';

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

/** Lists the users who changed features, most recent first, from the event log. */
export type ListCollaborators = (
  names: readonly string[],
) => Promise<readonly { featureName: string; userId: number }[]>;

/** There are few environments, so all are read at once. */
const environmentLoaders = (db: Db) => {
  const environments = createLoader<'all', readonly Environment[]>((keys) =>
    Promise.all(
      keys.map(() => db.environment.findMany({ orderBy: [{ sortOrder: 'asc' }, { name: 'asc' }] })),
    ),
  );
  const environmentsOfFeature = many(
    'environmentsOfFeature',
    async (names: string[]) => {
      const [rows, all] = await Promise.all([
        readFeatureEnvironments(db, names),
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
    (names: string[]) => readStrategies(db, names),
    (strategy) => strategy.featureName,
  ),
  placeOfStrategy: one(
    'placeOfStrategy',
    (ids: string[]) =>
      db.strategy.findMany({ where: { id: { in: ids } }, select: { id: true, featureName: true } }),
    ({ id }) => id,
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
      db.featureTag.findMany({
        where: { featureName: { in: names } },
        orderBy: [{ type: 'asc' }, { value: 'asc' }],
      }),
    (tag) => tag.featureName,
  ),
  lastSeenOfFeature: many(
    'lastSeenOfFeature',
    (names: string[]) => db.lastSeen.findMany({ where: { featureName: { in: names } } }),
    (seen) => seen.featureName,
  ),
  dependenciesOfFeature: many(
    'dependenciesOfFeature',
    (names: string[]) =>
      db.dependency.findMany({
        where: { childName: { in: names }, parent: { projectId: visibleIds(viewer) } },
        orderBy: { parentName: 'asc' },
      }),
    (dependency) => dependency.childName,
  ),
  childrenOfFeature: many(
    'childrenOfFeature',
    (names: string[]) =>
      db.dependency.findMany({
        where: { parentName: { in: names }, child: { projectId: visibleIds(viewer) } },
        orderBy: { childName: 'asc' },
      }),
    (dependency) => dependency.parentName,
  ),
  lifecycleOfFeature: many(
    'lifecycleOfFeature',
    (names: string[]) => db.lifecycleStage.findMany({ where: { featureName: { in: names } } }),
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
  membersOfProject: one(
    'membersOfProject',
    (ids: string[]) => countMembers(db, ids),
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
    (ids: string[]) => readActiveFeatures(db, viewer, ids),
    (feature) => feature.projectId ?? '',
  ),
});

export type Loaders = ReturnType<typeof createLoaders>;
