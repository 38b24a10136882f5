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
import { listsOf, parseLists } from '../../data/read-rows.js';
import { SERVER_MARK } from '../../data/server-mark.js';
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

export type StrategyRow = Omit<Strategy, 'projectId' | 'createdAt'> & { segmentIds: number[] };

/** Features and all that belongs to them. */
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

/** A list of rows, and its print: where no row has come, gone or changed, that is the same. */
type Part = { select: Prisma.Sql; print: Prisma.Sql };

/**
 * A row is told from its other versions by its place and the transaction that wrote it, and a table from what it was
 * with other columns, or before it was written anew, by the catalogue.
 */
const printOf = (table: string, where: Prisma.Sql): Prisma.Sql => Prisma.sql`concat_ws(':',
  pg_relation_filenode(${table}::regclass),
  (select sum(hashtextextended(concat(a.attname, '/', a.xmin), 0)) from pg_attribute a
    where a.attrelid = ${table}::regclass),
  (select concat(count(*), ':', sum(hashtextextended(concat(t.ctid, '/', t.xmin), 0)))
    from ${Prisma.raw(table)} t where ${where}))`;

const partOf = <Row extends object>(
  table: Table<Row>,
  where: Prisma.Sql,
  order?: Prisma.Sql,
): Part => ({ select: selectRows(table, where, order), print: printOf(table.name, where) });

const strategiesOf = (where: Prisma.Sql): Part => ({
  select: selectStrategies(
    Prisma.sql`t.id, t.feature_name as "featureName", t.environment as "environmentName",
      t.strategy_name as name, t.title, t.disabled, t.parameters, t.constraints, t.variants,
      t.sort_order as "sortOrder", t.milestone_id as "milestoneId"`,
    where,
  ),
  print: Prisma.sql`concat_ws(';', ${printOf('feature_strategies', where)}, ${printOf(
    'feature_strategy_segment',
    Prisma.sql`t.feature_strategy_id in (select t.id from feature_strategies t where ${where})`,
  )})`,
});

const favoritesOf = (where: Prisma.Sql): Part => ({
  select: Prisma.sql`select t.feature as name from favorite_features t where ${where}`,
  print: printOf('favorite_features', where),
});

/** What belongs to the features whose names are in `wanted`. */
const partsFor = (userId: number): Record<keyof FeatureRows, Part> => {
  const of = (column: string) =>
    Prisma.sql`${Prisma.raw(`t.${column}`)} = any((select names from wanted)::text[])`;
  return {
    features: partOf(FEATURES, of('name'), Prisma.sql`t.name`),
    environments: partOf(FEATURE_ENVIRONMENTS, of('feature_name')),
    knownEnvironments: partOf(ENVIRONMENTS, Prisma.sql`true`),
    strategies: strategiesOf(of('feature_name')),
    seen: partOf(LAST_SEEN, of('feature_name')),
    tags: partOf(FEATURE_TAGS, of('feature_name'), Prisma.sql`t.tag_type, t.tag_value`),
    favorites: favoritesOf(Prisma.sql`t.user_id = ${userId} and ${of('feature')}`),
    children: partOf(DEPENDENCIES, of('parent'), Prisma.sql`t.child`),
    parents: partOf(DEPENDENCIES, of('child'), Prisma.sql`t.parent`),
    stages: partOf(LIFECYCLE_STAGES, of('feature')),
  };
};

type Read = { print: string | null; text: string | null };

const read = async (
  db: Db,
  userId: number,
  where: Prisma.Sql,
  lastPrint: string | null,
  isPrinted: boolean,
): Promise<Read> => {
  const parts = Object.entries(partsFor(userId));
  const lists = listsOf(Object.fromEntries(parts.map(([name, { select }]) => [name, select])));
  const print = isPrinted
    ? Prisma.sql`concat_ws(',', ${SERVER_MARK}, ${Prisma.join(parts.map(([, part]) => part.print))})`
    : Prisma.sql`null::text`;
  const [found] = await db.$queryRaw<[Read]>(Prisma.sql`
    with wanted as materialized (
      select array(select t.name from features t where ${where})::text[] as names
    ), found as materialized (select ${print} as print)
    select found.print,
      case when found.print is null or found.print is distinct from ${lastPrint} then ${lists} end as text
    from found`);
  return found;
};

/**
 * Features that meet a condition (on `t`) and all that belongs to them, by name, as one moment shows them, in JSON; null
 * where their print is that of the last time.
 */
export const readFeatureRows = (
  db: Db,
  userId: number,
  where: Prisma.Sql,
  lastPrint: string | null,
): Promise<Read> =>
  read(db, userId, where, lastPrint, true).catch((error: unknown) => {
    // Who has rights on single columns only cannot see versions of rows.
    if (databaseFailure(error) !== 'privilege') throw error;
    return read(db, userId, where, null, false);
  });

export const parseFeatureRows = (text: string): FeatureRows => {
  const rows = parseLists<FeatureRows>(text);
  withTimes(FEATURES, rows.features);
  withTimes(LAST_SEEN, rows.seen);
  withTimes(LIFECYCLE_STAGES, rows.stages);
  return rows;
};
