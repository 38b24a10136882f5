import { type Db, Prisma } from '../../src/data/db.js';

export type ProjectSpec = Omit<Prisma.ProjectCreateManyInput, 'id' | 'name'> & {
  /** Default: the ID. */
  name?: string;
  environments?: readonly string[];
  /** By environment. */
  defaultStrategies?: Readonly<Record<string, Prisma.InputJsonObject>>;
  settings?: Omit<Prisma.ProjectSettingsCreateManyInput, 'projectId'>;
  stats?: Omit<Prisma.ProjectStatsCreateManyInput, 'projectId'>;
  /** Environments whose changes require change requests. */
  changeRequests?: readonly string[];
  /** User IDs by role. */
  members?: Readonly<Record<string, readonly number[]>>;
  /** User IDs. */
  favoriteOf?: readonly number[];
};

export type StrategySpec = {
  /** Default: a random UUID. */
  id?: string;
  name: string;
  title?: string | null;
  disabled?: boolean | null;
  // Rows may contain JSON of any shape.
  parameters?: unknown;
  constraints?: unknown;
  variants?: unknown;
  sortOrder?: number;
  segments?: readonly number[];
  /** Set for a strategy of a release plan. */
  milestoneId?: string;
};

export type EnvironmentSpec = {
  /** Default: false. */
  enabled?: boolean;
  variants?: unknown;
  strategies?: readonly StrategySpec[];
};

type StageSpec = { createdAt?: Date | null; status?: string | null; statusValue?: string | null };

export type FeatureSpec = Omit<Prisma.FeatureCreateManyInput, 'projectId'> & {
  /** Default: `default`. Its strategies belong to the same project. */
  project?: string;
  environments?: Readonly<Record<string, EnvironmentSpec>>;
  parents?: readonly { feature: string; enabled?: boolean; variants?: unknown }[];
  /** Values by type. Missing tags and tag types are created. */
  tags?: Readonly<Record<string, readonly string[]>>;
  /** Lifecycle stages with the timestamp at which each was entered. */
  stages?: Readonly<Record<string, Date | null | StageSpec>>;
  /** By environment. */
  lastSeen?: Readonly<Record<string, Date>>;
  /** User IDs. */
  favoriteOf?: readonly number[];
};

export type UserSpec = Omit<Prisma.UserCreateManyInput, 'id'> & {
  id: number;
  /** Secret of the personal access token. Default: `tokenOf(id)`; null: no token. */
  token?: string | null;
  /** Role names by project ID. Root roles are held in `default`. */
  roles?: Readonly<Record<string, string | readonly string[]>>;
};

type GroupSpec = {
  id?: number;
  name: string;
  rootRole?: string;
  users?: readonly number[];
  /** Role name by project ID. */
  roles?: Readonly<Record<string, string>>;
};

type SegmentSpec = Omit<Prisma.SegmentCreateManyInput, 'projectId'> & { project?: string };

export type EventSpec = Omit<
  Prisma.EventCreateManyInput,
  'createdBy' | 'projectId' | 'featureName' | 'environment'
> & {
  /** Default: `ada`. */
  createdBy?: string;
  project?: string | null;
  environment?: string | null;
  feature?: string | null;
};

type DeliverySpec = Partial<Omit<Prisma.IntegrationEventCreateManyInput, 'integrationId'>>;

type IntegrationSpec = Omit<Prisma.IntegrationCreateManyInput, 'id' | 'provider'> & {
  id: number;
  /** Default: `webhook`. */
  provider?: string;
  /** By default successful and empty. */
  deliveries?: readonly DeliverySpec[];
};

/** Rows for a test database. Columns that are left out have the defaults of the database. */
export type Seed = {
  /** By name. */
  environments?: Readonly<Record<string, Omit<Prisma.EnvironmentCreateManyInput, 'name'>>>;
  /** By ID. */
  projects?: Readonly<Record<string, ProjectSpec>>;
  segments?: readonly SegmentSpec[];
  strategyTypes?: readonly Prisma.StrategyTypeCreateManyInput[];
  contextFields?: readonly Prisma.ContextFieldCreateManyInput[];
  apiTokens?: readonly Prisma.ApiTokenCreateManyInput[];
  /** Custom roles. */
  roles?: readonly Prisma.RoleCreateManyInput[];
  users?: readonly UserSpec[];
  groups?: readonly GroupSpec[];
  features?: readonly FeatureSpec[];
  /** In the order of their IDs. */
  events?: readonly EventSpec[];
  integrations?: readonly IntegrationSpec[];
};

/** The personal access token of a seeded user. */
export const tokenOf = (userId: number): string => `user:token-of-${userId}`;

type Table<Row> = {
  createMany: (args: { data: Row[]; skipDuplicates?: boolean }) => PromiseLike<unknown>;
};

const insert = async <Row>(
  table: Table<Row>,
  rows: readonly Row[],
  options: { skipDuplicates?: boolean } = {},
) => {
  if (rows.length > 0) await table.createMany({ data: [...rows], ...options });
};

const json = (value: unknown) =>
  value === null ? Prisma.JsonNull : (value as Prisma.InputJsonValue);
const nullableJson = (value: unknown) => (value === null ? Prisma.DbNull : json(value));

const addProjects = async (db: Db, specs: NonNullable<Seed['projects']>) => {
  const projects = Object.entries(specs);
  await insert(
    db.project,
    projects.map(([id, spec]) => {
      const {
        environments: _environments,
        defaultStrategies: _defaultStrategies,
        settings: _settings,
        stats: _stats,
        changeRequests: _changeRequests,
        members: _members,
        favoriteOf: _favoriteOf,
        ...columns
      } = spec;
      return { id, name: id, ...columns };
    }),
  );
  await insert(
    db.projectEnvironment,
    projects.flatMap(([projectId, { environments = [], defaultStrategies = {} }]) =>
      environments.map((environmentName) => {
        const defaultStrategy = defaultStrategies[environmentName];
        return { projectId, environmentName, ...(defaultStrategy && { defaultStrategy }) };
      }),
    ),
  );
  await insert(
    db.projectSettings,
    projects.flatMap(([projectId, { settings }]) => (settings ? [{ projectId, ...settings }] : [])),
  );
  await insert(
    db.projectStats,
    projects.flatMap(([projectId, { stats }]) => (stats ? [{ projectId, ...stats }] : [])),
  );
  await insert(
    db.changeRequestSetting,
    projects.flatMap(([projectId, { changeRequests = [] }]) =>
      changeRequests.map((environmentName) => ({ projectId, environmentName })),
    ),
  );
};

const addSegments = (db: Db, segments: readonly SegmentSpec[]) =>
  insert(
    db.segment,
    segments.map(({ project, ...columns }) => ({
      ...columns,
      ...(project !== undefined && { projectId: project }),
    })),
  );

const roleIds = async (db: Db) => {
  const roles = await db.role.findMany({ select: { id: true, name: true } });
  const ids = new Map(roles.map(({ id, name }) => [name, id]));
  return (name: string) => {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`Role '${name}' does not exist.`);
    return id;
  };
};

const addUsers = async (db: Db, users: readonly UserSpec[]) => {
  await insert(
    db.user,
    users.map(({ token: _token, roles: _roles, ...columns }) => columns),
  );
  const expiresAt = new Date('2099-01-01T00:00:00Z');
  await insert(
    db.personalAccessToken,
    users.flatMap(({ id, token = tokenOf(id) }) =>
      token === null ? [] : [{ secret: token, userId: id, expiresAt }],
    ),
  );
};

const addRoleUsers = async (db: Db, { projects = {}, users = [] }: Seed) => {
  const byUser = users.flatMap(({ id: userId, roles = {} }) =>
    Object.entries(roles).flatMap(([projectId, names]) =>
      [names].flat().map((name) => ({ name, userId, projectId })),
    ),
  );
  const byProject = Object.entries(projects).flatMap(([projectId, { members = {} }]) =>
    Object.entries(members).flatMap(([name, ids]) =>
      ids.map((userId) => ({ name, userId, projectId })),
    ),
  );
  const rows = [...byUser, ...byProject];
  if (rows.length === 0) return;
  const idOf = await roleIds(db);
  await insert(
    db.roleUser,
    rows.map(({ name, ...row }) => ({ roleId: idOf(name), ...row })),
  );
};

const addGroups = async (db: Db, groups: readonly GroupSpec[]) => {
  if (groups.length === 0) return;
  const idOf = await roleIds(db);
  for (const { users = [], roles = {}, rootRole, ...columns } of groups) {
    const { id: groupId } = await db.group.create({
      data: { ...columns, ...(rootRole !== undefined && { rootRoleId: idOf(rootRole) }) },
    });
    await insert(
      db.groupUser,
      users.map((userId) => ({ groupId, userId })),
    );
    await insert(
      db.groupRole,
      Object.entries(roles).map(([projectId, name]) => ({
        groupId,
        projectId,
        roleId: idOf(name),
      })),
    );
  }
};

const addStrategies = async (db: Db, features: readonly FeatureSpec[]) => {
  const lists = features.map(({ name: featureName, project = 'default', environments = {} }) =>
    Object.entries(environments).flatMap(([environmentName, { strategies = [] }]) =>
      strategies.map(({ segments = [], parameters, constraints, variants, ...columns }) => ({
        segments,
        row: {
          id: crypto.randomUUID() as string,
          featureName,
          projectId: project,
          environmentName,
          ...columns,
          ...(parameters !== undefined && { parameters: json(parameters) }),
          ...(constraints !== undefined && { constraints: nullableJson(constraints) }),
          ...(variants !== undefined && { variants: json(variants) }),
        },
      })),
    ),
  );
  // One by one for each feature: equal positions are ordered by creation timestamp.
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let index = 0; index < longest; index += 1) {
    await insert(
      db.strategy,
      lists.flatMap((list) => list.slice(index, index + 1).map(({ row }) => row)),
    );
  }
  await insert(
    db.strategySegment,
    lists
      .flat()
      .flatMap(({ row, segments }) =>
        segments.map((segmentId) => ({ strategyId: row.id, segmentId })),
      ),
  );
};

const addTags = async (db: Db, features: readonly FeatureSpec[]) => {
  const tags = features.flatMap(({ name: featureName, tags: byType = {} }) =>
    Object.entries(byType).flatMap(([type, values]) =>
      values.map((value) => ({ featureName, type, value })),
    ),
  );
  const types = new Set(tags.map(({ type }) => type));
  const skipDuplicates = true;
  await insert(
    db.tagType,
    [...types].map((name) => ({ name })),
    { skipDuplicates },
  );
  await insert(
    db.tag,
    tags.map(({ type, value }) => ({ type, value })),
    { skipDuplicates },
  );
  await insert(db.featureTag, tags);
};

const addFeatures = async (db: Db, features: readonly FeatureSpec[]) => {
  await insert(
    db.feature,
    features.map((spec) => {
      const {
        project,
        environments: _environments,
        parents: _parents,
        tags: _tags,
        stages: _stages,
        lastSeen: _lastSeen,
        favoriteOf: _favoriteOf,
        ...columns
      } = spec;
      return { ...columns, ...(project !== undefined && { projectId: project }) };
    }),
  );
  await insert(
    db.featureEnvironment,
    features.flatMap(({ name: featureName, environments = {} }) =>
      Object.entries(environments).map(([environmentName, { enabled = false, variants }]) => ({
        featureName,
        environmentName,
        enabled,
        ...(variants !== undefined && { variants: json(variants) }),
      })),
    ),
  );
  await addStrategies(db, features);
  await insert(
    db.dependency,
    features.flatMap(({ name: childName, parents = [] }) =>
      parents.map(({ feature, variants, ...columns }) => ({
        parentName: feature,
        childName,
        ...columns,
        ...(variants !== undefined && { variants: json(variants) }),
      })),
    ),
  );
  await addTags(db, features);
  await insert(
    db.lifecycleStage,
    features.flatMap(({ name: featureName, stages = {} }) =>
      Object.entries(stages).map(([stage, entered]) => ({
        featureName,
        stage,
        ...(entered === null || entered instanceof Date ? { createdAt: entered } : entered),
      })),
    ),
  );
  await insert(
    db.lastSeen,
    features.flatMap(({ name: featureName, lastSeen = {} }) =>
      Object.entries(lastSeen).map(([environmentName, lastSeenAt]) => ({
        featureName,
        environmentName,
        lastSeenAt,
      })),
    ),
  );
};

const addFavorites = async (db: Db, { projects = {}, features = [] }: Seed) => {
  await insert(
    db.favoriteProject,
    Object.entries(projects).flatMap(([projectId, { favoriteOf = [] }]) =>
      favoriteOf.map((userId) => ({ projectId, userId })),
    ),
  );
  await insert(
    db.favoriteFeature,
    features.flatMap(({ name: featureName, favoriteOf = [] }) =>
      favoriteOf.map((userId) => ({ featureName, userId })),
    ),
  );
};

const addEvents = (db: Db, events: readonly EventSpec[]) =>
  insert(
    db.event,
    events.map(({ project, feature, ...columns }) => ({
      createdBy: 'ada',
      ...columns,
      ...(project !== undefined && { projectId: project }),
      ...(feature !== undefined && { featureName: feature }),
    })),
  );

const addIntegrations = async (db: Db, integrations: readonly IntegrationSpec[]) => {
  await insert(
    db.integration,
    integrations.map(({ deliveries: _deliveries, ...columns }) => ({
      provider: 'webhook',
      ...columns,
    })),
  );
  await insert(
    db.integrationEvent,
    integrations.flatMap(({ id: integrationId, deliveries = [] }) =>
      deliveries.map((delivery) => ({
        integrationId,
        state: 'success',
        stateDetails: '',
        event: {},
        details: {},
        ...delivery,
      })),
    ),
  );
};

/** Fills a test database. It may be called repeatedly, so later rows can refer to earlier ones. */
export const seed = async (db: Db, rows: Seed): Promise<void> => {
  await insert(
    db.environment,
    Object.entries(rows.environments ?? {}).map(([name, columns]) => ({ name, ...columns })),
  );
  await addProjects(db, rows.projects ?? {});
  await addSegments(db, rows.segments ?? []);
  await insert(db.strategyType, rows.strategyTypes ?? []);
  await insert(db.contextField, rows.contextFields ?? []);
  await insert(db.apiToken, rows.apiTokens ?? []);
  await insert(db.role, rows.roles ?? []);
  await addUsers(db, rows.users ?? []);
  await addRoleUsers(db, rows);
  await addGroups(db, rows.groups ?? []);
  await addFeatures(db, rows.features ?? []);
  await addFavorites(db, rows);
  await addEvents(db, rows.events ?? []);
  await addIntegrations(db, rows.integrations ?? []);
};
