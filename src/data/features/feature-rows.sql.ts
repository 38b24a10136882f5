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
import { listColumns, parseListColumns, parseRows } from '../read-rows.js';
import {
  DEPENDENCIES,
  ENVIRONMENTS,
  FEATURE_ENVIRONMENTS,
  FEATURE_TAGS,
  FEATURES,
  LAST_SEEN,
  LIFECYCLE_STAGES,
  selectRows,
  selectStrategies,
  withTimes,
} from '../tables.js';
import { isVisibleFeature, type Viewer } from '../visible-projects.js';

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
    features: selectRows(FEATURES, of('name'), Prisma.sql`t.name`),
    environments: selectRows(FEATURE_ENVIRONMENTS, of('feature_name')),
    knownEnvironments: selectRows(ENVIRONMENTS, Prisma.sql`true`),
    strategies: selectStrategies(STRATEGY_COLUMNS, of('feature_name')),
    seen: selectRows(LAST_SEEN, of('feature_name')),
    tags: selectRows(FEATURE_TAGS, of('feature_name'), Prisma.sql`t.tag_type, t.tag_value`),
    favorites: Prisma.sql`select t.feature as name from favorite_features t
      where t.user_id = ${viewer.userId} and ${of('feature')} order by t.feature`,
    children: selectRows(DEPENDENCIES, related('parent', Prisma.sql`t.child`), Prisma.sql`t.child`),
    parents: selectRows(DEPENDENCIES, related('child', Prisma.sql`t.parent`), Prisma.sql`t.parent`),
    stages: selectRows(LIFECYCLE_STAGES, of('feature')),
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
  withTimes(FEATURES, rows);
  return rows;
};

export const parseOtherLists = async ({
  features: _,
  ...others
}: FeatureLists): Promise<Omit<FeatureRows, 'features'>> => {
  const rows = await parseListColumns<Omit<FeatureRows, 'features'>>(others, JSON.parse);
  withTimes(LAST_SEEN, rows.seen);
  withTimes(LIFECYCLE_STAGES, rows.stages);
  return rows;
};
