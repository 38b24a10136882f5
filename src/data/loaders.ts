import DataLoader from 'dataloader';
import { type Db, Prisma } from './db.js';
import { groupBy, indexBy } from './grouping.js';

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
type Collaborator = { featureName: string; userId: number };

/**
 * Batches for one request: whatever the number of rows, each of these costs one statement (two where a row is
 * joined to its parent). `userId` is the caller, whose favorites are meant.
 */
export const createLoaders = (db: Db, userId: number) => ({
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

  environmentsOfFeature: many(
    (names: string[]) =>
      db.featureEnvironment.findMany({
        where: { featureName: { in: names } },
        include: { environment: true },
      }),
    (environment) => environment.featureName,
  ),
  strategiesOfFeature: many(
    (names: string[]) =>
      db.strategy.findMany({
        where: { featureName: { in: names } },
        include: { segments: { orderBy: { segmentId: 'asc' } } },
        orderBy: [{ sortOrder: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
      }),
    (strategy) => strategy.featureName,
  ),
  segment: one(
    (ids: number[]) => db.segment.findMany({ where: { id: { in: ids } } }),
    (segment) => segment.id,
  ),
  tagsOfFeature: many(
    (names: string[]) =>
      db.featureTag.findMany({
        where: { featureName: { in: names } },
        orderBy: [{ type: 'asc' }, { value: 'asc' }],
      }),
    (tag) => tag.featureName,
  ),
  lastSeenOfFeature: many(
    (names: string[]) => db.lastSeen.findMany({ where: { featureName: { in: names } } }),
    (seen) => seen.featureName,
  ),
  dependenciesOfFeature: many(
    (names: string[]) =>
      db.dependency.findMany({
        where: { childName: { in: names } },
        orderBy: { parentName: 'asc' },
      }),
    (dependency) => dependency.childName,
  ),
  childrenOfFeature: many(
    (names: string[]) =>
      db.dependency.findMany({
        where: { parentName: { in: names } },
        orderBy: { childName: 'asc' },
      }),
    (dependency) => dependency.parentName,
  ),
  lifecycleOfFeature: many(
    (names: string[]) => db.lifecycleStage.findMany({ where: { featureName: { in: names } } }),
    (stage) => stage.featureName,
  ),
  collaboratorsOfFeature: many(
    (names: string[]) =>
      db.$queryRaw<Collaborator[]>(Prisma.sql`
        select e.feature_name as "featureName", e.created_by_user_id as "userId" from events e
        where e.feature_name = any(${names}::text[]) and e.created_by_user_id is not null
        group by 1, 2 order by max(e.id) desc`),
    (collaborator) => collaborator.featureName,
  ),
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
      db.feature.findMany({
        where: { projectId: { in: ids }, archivedAt: null },
        orderBy: { name: 'asc' },
      }),
    (feature) => feature.projectId ?? '',
  ),
});

export type Loaders = ReturnType<typeof createLoaders>;
