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
} from '../db.js';
import {
  DependencyTable,
  EnvironmentTable,
  FeatureEnvironmentTable,
  FeatureTable,
  FeatureTagTable,
  LastSeenTable,
  LifecycleStageTable,
} from '../generated/tables.js';
import { listColumns, parseListColumns, parseRows } from '../sql/read-rows.sql.js';
import { selectRows, withTimes } from '../sql/tables.sql.js';
import { isVisibleFeature } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';
import { selectStrategies } from './feature-lists.sql.js';

export type StrategyRow = Omit<Strategy, 'projectId' | 'createdAt'> & { segmentIds: number[] };

export type FeatureRows = {
  features: Feature[];
  environments: FeatureEnvironment[];
  knownEnvironments: Environment[];
  strategies: StrategyRow[];
  seen: LastSeen[];
  tags: FeatureTag[];
  favorites: { name: string }[];
  children: Dependency[];
  parents: Dependency[];
  stages: LifecycleStage[];
};

const STRATEGY_COLUMNS = Prisma.sql`t.id, t.feature_name as "featureName", t.environment as "environmentName",
  t.strategy_name as name, t.title, t.disabled, t.parameters, t.constraints, t.variants,
  t.sort_order as "sortOrder", t.milestone_id as "milestoneId"`;

/** Everything that belongs to the features whose names are in `wanted`. */
const selectsFor = (viewer: Viewer): Record<keyof FeatureRows, Prisma.Sql> => {
  const of = (column: string) =>
    Prisma.sql`${Prisma.raw(`t.${column}`)} = any((select names from wanted)::text[])`;
  const related = (column: string, other: Prisma.Sql) =>
    Prisma.sql`${of(column)} and ${isVisibleFeature(viewer, other)}`;
  return {
    features: selectRows(FeatureTable, of('name'), Prisma.sql`t.name`),
    environments: selectRows(FeatureEnvironmentTable, of('feature_name')),
    knownEnvironments: selectRows(EnvironmentTable, Prisma.sql`true`),
    strategies: selectStrategies(STRATEGY_COLUMNS, of('feature_name')),
    seen: selectRows(LastSeenTable, of('feature_name')),
    tags: selectRows(FeatureTagTable, of('feature_name'), Prisma.sql`t.tag_type, t.tag_value`),
    favorites: Prisma.sql`select t.feature as name from favorite_features t
      where t.user_id = ${viewer.userId} and ${of('feature')} order by t.feature`,
    children: selectRows(
      DependencyTable,
      related('parent', Prisma.sql`t.child`),
      Prisma.sql`t.child`,
    ),
    parents: selectRows(
      DependencyTable,
      related('child', Prisma.sql`t.parent`),
      Prisma.sql`t.parent`,
    ),
    stages: selectRows(LifecycleStageTable, of('feature')),
  };
};

/** Each list of rows as JSON; null if it is empty. */
export type FeatureLists = Readonly<Record<keyof FeatureRows, string | null>>;

/**
 * Features that match a condition (alias `t`) with everything that belongs to them, by name, from one snapshot.
 */
export const readFeatureLists = async (
  db: Db,
  viewer: Viewer,
  where: Prisma.Sql,
): Promise<FeatureLists> => {
  const [lists] = await db.$queryRaw<[FeatureLists]>(Prisma.sql`
    with wanted as materialized (
      select array(select t.name from features t where ${where})::text[] as names
    )
    select ${listColumns(selectsFor(viewer))}`);
  return lists;
};

export const parseFeatures = async ({ features }: FeatureLists): Promise<Feature[]> => {
  const rows = await parseRows<Feature>(features);
  await withTimes(FeatureTable, rows);
  return rows;
};

export const parseOtherLists = async ({
  features: _,
  ...others
}: FeatureLists): Promise<Omit<FeatureRows, 'features'>> => {
  const rows = await parseListColumns<Omit<FeatureRows, 'features'>>(others, JSON.parse);
  await withTimes(LastSeenTable, rows.seen);
  await withTimes(LifecycleStageTable, rows.stages);
  return rows;
};
