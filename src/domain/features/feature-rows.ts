import { databaseFailure } from '../../data/database-failure.js';
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
import { SERVER_EPOCH } from '../../data/server-epoch.js';
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
  type Table,
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

/** A list of rows and its fingerprint, which is stable unless a row was added, deleted or changed. */
type Part = { select: Prisma.Sql; fingerprint: Prisma.Sql };

/**
 * `ctid` and `xmin` identify the version of a row; the catalog identifies the version of a table, which changes with
 * its columns and with a rewrite.
 */
const fingerprintOf = (table: string, where: Prisma.Sql): Prisma.Sql => Prisma.sql`concat_ws(':',
  pg_relation_filenode(${table}::regclass),
  (select sum(hashtextextended(concat(a.attname, '/', a.xmin), 0)) from pg_attribute a
    where a.attrelid = ${table}::regclass),
  (select concat(count(*), ':', sum(hashtextextended(concat(t.ctid, '/', t.xmin), 0)))
    from ${Prisma.raw(table)} t where ${where}))`;

const partOf = <Row extends object>(
  table: Table<Row>,
  where: Prisma.Sql,
  order?: Prisma.Sql,
): Part => ({
  select: selectRows(table, where, order),
  fingerprint: fingerprintOf(table.name, where),
});

const strategiesOf = (where: Prisma.Sql): Part => ({
  select: selectStrategies(
    Prisma.sql`t.id, t.feature_name as "featureName", t.environment as "environmentName",
      t.strategy_name as name, t.title, t.disabled, t.parameters, t.constraints, t.variants,
      t.sort_order as "sortOrder", t.milestone_id as "milestoneId"`,
    where,
  ),
  fingerprint: Prisma.sql`concat_ws(';', ${fingerprintOf('feature_strategies', where)}, ${fingerprintOf(
    'feature_strategy_segment',
    Prisma.sql`t.feature_strategy_id in (select t.id from feature_strategies t where ${where})`,
  )})`,
});

const favoritesOf = (where: Prisma.Sql): Part => ({
  select: Prisma.sql`select t.feature as name from favorite_features t where ${where}`,
  fingerprint: fingerprintOf('favorite_features', where),
});

/** Everything that belongs to the features whose names are in `wanted`. */
const partsFor = (viewer: Viewer): Record<keyof FeatureRows, Part> => {
  const of = (column: string) =>
    Prisma.sql`${Prisma.raw(`t.${column}`)} = any((select names from wanted)::text[])`;
  const related = (column: string, other: Prisma.Sql) =>
    Prisma.sql`${of(column)} and ${isVisibleFeature(viewer, other)}`;
  return {
    features: partOf(FEATURES, of('name'), Prisma.sql`t.name`),
    environments: partOf(FEATURE_ENVIRONMENTS, of('feature_name')),
    knownEnvironments: partOf(ENVIRONMENTS, Prisma.sql`true`),
    strategies: strategiesOf(of('feature_name')),
    seen: partOf(LAST_SEEN, of('feature_name')),
    tags: partOf(FEATURE_TAGS, of('feature_name'), Prisma.sql`t.tag_type, t.tag_value`),
    favorites: favoritesOf(Prisma.sql`t.user_id = ${viewer.userId} and ${of('feature')}`),
    children: partOf(DEPENDENCIES, related('parent', Prisma.sql`t.child`), Prisma.sql`t.child`),
    parents: partOf(DEPENDENCIES, related('child', Prisma.sql`t.parent`), Prisma.sql`t.parent`),
    stages: partOf(LIFECYCLE_STAGES, of('feature')),
  };
};

type Lists = Record<keyof FeatureRows, string | null>;
type Read = {
  print: string | null;
  /** Null if the fingerprint is unchanged. */
  lists: Lists | null;
};

const read = async (
  db: Db,
  viewer: Viewer,
  where: Prisma.Sql,
  lastFingerprint: string | null,
  hasFingerprint: boolean,
): Promise<Read> => {
  const parts = Object.entries(partsFor(viewer));
  const lists = Object.fromEntries(parts.map(([name, { select }]) => [name, select]));
  const fingerprint = hasFingerprint
    ? Prisma.sql`concat_ws(',', ${SERVER_EPOCH}, ${Prisma.join(parts.map(([, part]) => part.fingerprint))})`
    : Prisma.sql`null::text`;
  const [{ print, isNew, ...texts }] = await db.$queryRaw<
    [{ print: string | null; isNew: true | null } & Lists]
  >(Prisma.sql`
    with wanted as materialized (
      select array(select t.name from features t where ${where})::text[] as names
    ), found as materialized (select ${fingerprint} as print)
    select found.print, changed.* from found
    left join lateral (
      select true as "isNew", ${listColumns(lists)}
      where found.print is null or found.print is distinct from ${lastFingerprint}
    ) changed on true`);
  return { print, lists: isNew ? texts : null };
};

/**
 * Features that match a condition (alias `t`) with everything that belongs to them, by name, from one snapshot, as
 * JSON, unless the fingerprint is unchanged.
 */
export const readFeatureRows = (
  db: Db,
  viewer: Viewer,
  where: Prisma.Sql,
  lastFingerprint: string | null,
): Promise<Read> =>
  read(db, viewer, where, lastFingerprint, true).catch((error: unknown) => {
    // Column privileges do not include row versions.
    if (databaseFailure(error) !== 'privilege') throw error;
    return read(db, viewer, where, null, false);
  });

/** The rows of all lists, and the size of their JSON in characters. */
export const parseFeatureRows = async (lists: Lists) => {
  const rows = await parseListColumns<FeatureRows>(lists, JSON.parse);
  withTimes(FEATURES, rows.features);
  withTimes(LAST_SEEN, rows.seen);
  withTimes(LIFECYCLE_STAGES, rows.stages);
  const size = Object.values(lists).reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return { rows, size };
};
