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
} from '../../data/db.js';
import { listColumns, parseListColumns } from '../../data/read-rows.js';
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
} from '../../data/tables.js';
import { isVisibleFeature, type Viewer } from '../../data/visible-projects.js';

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

type Lists = Record<keyof FeatureRows, string | null>;

/** A hash of all lists; each is hashed by itself because their sum may exceed the maximum size of a value. */
const digestOf = (names: readonly string[]): Prisma.Sql =>
  Prisma.raw(
    `encode(sha256(${names
      .map((name) => `sha256(convert_to(coalesce(lists."${name}", ''), 'UTF8'))`)
      .join(' || ')}), 'base64')`,
  );

/**
 * Features that match a condition (alias `t`) with everything that belongs to them, by name, from one snapshot, as
 * JSON. Without lists if their digest is the given one.
 */
export const readFeatureRows = async (
  db: Db,
  viewer: Viewer,
  where: Prisma.Sql,
  lastDigest: string | null,
): Promise<{ digest: string; lists: Lists | null }> => {
  const selects = selectsFor(viewer);
  const [{ digest, isNew, ...lists }] = await db.$queryRaw<
    [{ digest: string; isNew: true | null } & Lists]
  >(Prisma.sql`
    with wanted as materialized (
      select array(select t.name from features t where ${where})::text[] as names
    ), lists as materialized (select ${listColumns(selects)}),
    digested as materialized (select ${digestOf(Object.keys(selects))} as digest from lists)
    select digested.digest, changed.* from digested
    left join lateral (
      select true as "isNew", lists.* from lists where digested.digest is distinct from ${lastDigest}
    ) changed on true`);
  return { digest, lists: isNew ? lists : null };
};

/** The rows of all lists, and the size of their JSON in characters. */
export const parseFeatureRows = async (lists: Lists) => {
  const rows = await parseListColumns<FeatureRows>(lists, JSON.parse);
  withTimes(FEATURES, rows.features);
  withTimes(LAST_SEEN, rows.seen);
  withTimes(LIFECYCLE_STAGES, rows.stages);
  const size = Object.values(lists).reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return { rows, size };
};
