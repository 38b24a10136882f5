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
  type Strategy,
} from './db.js';
import { milliseconds, readRows } from './read-rows.js';

type TimesOf<Row> = {
  [Field in keyof Row]-?: Date extends Row[Field] ? Field : never;
}[keyof Row];

/** A table that is read in large numbers, by the names its model gives to the columns. */
export type Table<Row> = {
  name: string;
  columns: { [Field in keyof Row]-?: string };
  /** The fields that hold moments. */
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

/** The columns of a table aliased `t`. */
export const columnsOf = <Row>({ columns, times }: Table<Row>): Prisma.Sql => {
  const isTime = new Set<PropertyKey>(times);
  const selected = Object.entries<string>(columns).map(([field, column]) => {
    const value = Prisma.raw(`t.${column}`);
    return Prisma.sql`${isTime.has(field) ? milliseconds(value) : value} as ${Prisma.raw(`"${field}"`)}`;
  });
  return Prisma.join(selected);
};

/** Rows of a select of `columnsOf`, and of whatever is selected beside them. */
export const readTableRows = async <Row extends object, More = unknown>(
  db: Db,
  { times }: Table<Row>,
  select: Prisma.Sql,
): Promise<(Row & More)[]> => {
  const rows = await readRows<Row & More>(db, select);
  for (const row of rows) {
    for (const field of times) {
      if (row[field] !== null) Object.assign(row, { [field]: new Date(row[field] as number) });
    }
  }
  return rows;
};

/** The rows of a table aliased `t` that meet a condition. */
export const readTable = <Row extends object>(
  db: Db,
  table: Table<Row>,
  where: Prisma.Sql,
  order?: Prisma.Sql,
): Promise<Row[]> =>
  readTableRows<Row>(
    db,
    table,
    Prisma.sql`select ${columnsOf(table)} from ${Prisma.raw(table.name)} t where ${where}
      ${order ? Prisma.sql`order by ${order}` : Prisma.empty}`,
  );
