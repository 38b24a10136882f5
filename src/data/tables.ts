import {
  type Db,
  type Dependency,
  type Environment,
  type Feature,
  type FeatureEnvironment,
  type FeatureTag,
  type LastSeen,
  type LifecycleStage,
  Prisma,
  type ProjectSettings,
  type Strategy,
} from './db.js';
import { indexBy } from './grouping.js';
import { milliseconds, readRows } from './read-rows.js';

type TimesOf<Row> = {
  [Field in keyof Row]-?: Date extends Row[Field] ? Field : never;
}[keyof Row];

/** A table that is read in bulk: the model's field names mapped to columns. */
export type Table<Row> = {
  name: string;
  columns: { [Field in keyof Row]-?: string };
  /** The timestamp fields. */
  times: readonly TimesOf<Row>[];
};

export const FEATURES: Table<Feature> = {
  name: 'features',
  columns: {
    name: 'name',
    type: 'type',
    description: 'description',
    projectId: 'project',
    stale: 'stale',
    impressionData: 'impression_data',
    createdAt: 'created_at',
    createdByUserId: 'created_by_user_id',
    lastSeenAt: 'last_seen_at',
    archivedAt: 'archived_at',
  },
  times: ['createdAt', 'lastSeenAt', 'archivedAt'],
};

export const ENVIRONMENTS: Table<Environment> = {
  name: 'environments',
  columns: {
    name: 'name',
    type: 'type',
    sortOrder: 'sort_order',
    enabled: 'enabled',
    protected: 'protected',
  },
  times: [],
};

export const FEATURE_ENVIRONMENTS: Table<FeatureEnvironment> = {
  name: 'feature_environments',
  columns: {
    environmentName: 'environment',
    featureName: 'feature_name',
    enabled: 'enabled',
    variants: 'variants',
  },
  times: [],
};

export const STRATEGIES: Table<Strategy> = {
  name: 'feature_strategies',
  columns: {
    id: 'id',
    featureName: 'feature_name',
    projectId: 'project_name',
    environmentName: 'environment',
    name: 'strategy_name',
    title: 'title',
    disabled: 'disabled',
    parameters: 'parameters',
    constraints: 'constraints',
    variants: 'variants',
    sortOrder: 'sort_order',
    createdAt: 'created_at',
    milestoneId: 'milestone_id',
  },
  times: ['createdAt'],
};

export const FEATURE_TAGS: Table<FeatureTag> = {
  name: 'feature_tag',
  columns: {
    featureName: 'feature_name',
    type: 'tag_type',
    value: 'tag_value',
    createdAt: 'created_at',
    createdByUserId: 'created_by_user_id',
  },
  times: ['createdAt'],
};

export const LAST_SEEN: Table<LastSeen> = {
  name: 'last_seen_at_metrics',
  columns: {
    featureName: 'feature_name',
    environmentName: 'environment',
    lastSeenAt: 'last_seen_at',
  },
  times: ['lastSeenAt'],
};

export const DEPENDENCIES: Table<Dependency> = {
  name: 'dependent_features',
  columns: { parentName: 'parent', childName: 'child', enabled: 'enabled', variants: 'variants' },
  times: [],
};

export const LIFECYCLE_STAGES: Table<LifecycleStage> = {
  name: 'feature_lifecycles',
  columns: {
    featureName: 'feature',
    stage: 'stage',
    createdAt: 'created_at',
    status: 'status',
  },
  times: ['createdAt'],
};

/** The stages in the order in which a feature passes through them. */
export const STAGES: readonly string[] = ['initial', 'pre-live', 'live', 'completed', 'archived'];

export const PROJECT_SETTINGS: Table<ProjectSettings> = {
  name: 'project_settings',
  columns: {
    projectId: 'project',
    defaultStickiness: 'default_stickiness',
    mode: 'project_mode',
    featureLimit: 'feature_limit',
    featureNamingPattern: 'feature_naming_pattern',
    featureNamingExample: 'feature_naming_example',
    featureNamingDescription: 'feature_naming_description',
  },
  times: [],
};

/** The columns of a table aliased `t`. */
export const columnsOf = <Row>({ columns, times }: Table<Row>): Prisma.Sql => {
  const isTime = new Set<PropertyKey>(times);
  const selected = Object.entries<string>(columns).map(([field, column]) => {
    const value = Prisma.raw(`t.${column}`);
    return Prisma.sql`${isTime.has(field) ? milliseconds(value) : value} as ${Prisma.raw(`"${field}"`)}`;
  });
  return Prisma.join(selected);
};

/** Converts milliseconds in rows read as JSON back to dates. */
export const withTimes = <Row extends object>({ times }: Table<Row>, rows: Row[]): Row[] => {
  for (const row of rows) {
    for (const field of times) {
      if (row[field] !== null) Object.assign(row, { [field]: new Date(row[field] as number) });
    }
  }
  return rows;
};

/** Rows of a `columnsOf` select, plus anything else that it selects. */
export const readTableRows = async <Row extends object, More = unknown>(
  db: Db,
  table: Table<Row>,
  select: Prisma.Sql,
): Promise<(Row & More)[]> => {
  const rows = await readRows<Row & More>(db, select);
  withTimes<Row>(table, rows);
  return rows;
};

/** Selects the rows of a table, aliased `t`, that match a condition. */
export const selectRows = <Row extends object>(
  table: Table<Row>,
  where: Prisma.Sql,
  order?: Prisma.Sql,
): Prisma.Sql => Prisma.sql`select ${columnsOf(table)} from ${Prisma.raw(table.name)} t where ${where}
  ${order ? Prisma.sql`order by ${order}` : Prisma.empty}`;

export const readTable = <Row extends object>(
  db: Db,
  table: Table<Row>,
  where: Prisma.Sql,
  order?: Prisma.Sql,
): Promise<Row[]> => readTableRows<Row>(db, table, selectRows(table, where, order));

/** Selects strategies (aliased `t`) that match a condition, in sort order, with their segment IDs. */
export const selectStrategies = (columns: Prisma.Sql, where: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select ${columns}, array(
    select held.segment_id from feature_strategy_segment held
    where held.feature_strategy_id = t.id order by held.segment_id
  ) as "segmentIds"
  from feature_strategies t where ${where} order by t.sort_order, t.created_at, t.id`;

/** Joins rows to the environments they name. Drops rows whose environment is missing. */
export const withEnvironments = <Row extends { environmentName: string }>(
  rows: readonly Row[],
  environments: readonly Environment[],
): (Row & { environment: Environment })[] => {
  const named = indexBy(environments, ({ name }) => name);
  return rows.flatMap((row) => {
    const environment = named.get(row.environmentName);
    return environment ? [Object.assign(row, { environment })] : [];
  });
};
