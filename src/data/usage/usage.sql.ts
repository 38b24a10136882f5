import { type Db, Prisma } from '../db.js';
import {
  DailyUsageTable,
  DailyVariantUsageTable,
  HourlyUsageTable,
  HourlyVariantUsageTable,
} from '../generated/tables.js';
import { condition } from '../sql/conditions.sql.js';
import { listsOf, milliseconds, parseLists } from '../sql/read-rows.sql.js';
import { isVisibleFeature } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';

export type UsageUnit = 'HOUR' | 'DAY';

/** Usage of features, each in one environment, in whole buckets. */
export type UsageQuery = {
  places: readonly { featureName: string; environmentName: string }[];
  unit: UsageUnit;
  /** Start of the first bucket. */
  from: Date;
  /** End of the last bucket. */
  before: Date;
  /** Counts only this application. */
  applicationName?: string | undefined;
};

type InPlace = { featureName: string; environmentName: string };

export type BucketRow = InPlace & { start: number; yes: number; no: number };

export type ApplicationRow = InPlace & {
  applicationName: string;
  yes: number;
  no: number;
  /** Number of applications in this place, including those that are not read. */
  total: number;
};

export type VariantRow = InPlace & { variant: string; count: number };

/** Applications, and variants, that are read for one place: the most frequent ones. */
export const MAX_LISTED = 100;

/** Where counts are stored. */
type Source = { hourly: string; daily: string; keys: readonly string[]; counts: readonly string[] };

const EVALUATIONS: Source = {
  hourly: HourlyUsageTable.name,
  daily: DailyUsageTable.name,
  keys: ['feature_name', 'environment', 'app_name'],
  counts: ['yes', 'no'],
};

const VARIANTS: Source = {
  hourly: HourlyVariantUsageTable.name,
  daily: DailyVariantUsageTable.name,
  keys: ['feature_name', 'environment', 'app_name', 'variant'],
  counts: ['count'],
};

/** Condition on counts (alias `t`). The first part lets an index find those of the features. */
const inPlaces = (viewer: Viewer, { places, applicationName }: UsageQuery): Prisma.Sql => {
  const names = places.map(({ featureName }) => featureName);
  const environments = places.map(({ environmentName }) => environmentName);
  const conditions = [
    Prisma.sql`t.feature_name = any(${[...new Set(names)]}::text[])`,
    Prisma.sql`(t.feature_name, t.environment) in (
      select * from unnest(${names}::text[], ${environments}::text[]))`,
    isVisibleFeature(viewer, Prisma.sql`t.feature_name`),
    ...condition(applicationName, (name) => Prisma.sql`t.app_name = ${name}`),
  ];
  return Prisma.join(conditions, ' and ');
};

const list = (names: readonly string[], write: (name: string) => string = (name) => name) =>
  Prisma.raw(names.map(write).join(', '));

/**
 * Counts per bucket. Unleash sums up each day after its end, and later deletes its hours. So a day can be stored as
 * hours, as a day, or as both, and the larger number is the complete one.
 */
const bucketsOf = (viewer: Viewer, query: UsageQuery, source: Source): Prisma.Sql => {
  const { hourly, daily, keys, counts } = source;
  const where = inPlaces(viewer, query);
  const unit = query.unit === 'HOUR' ? 'hour' : 'day';
  const hours = Prisma.sql`
    select ${list(keys, (key) => `t.${key}`)},
      date_trunc(${unit}::text, t.timestamp at time zone 'UTC') as start,
      ${list(counts, (count) => `sum(coalesce(t.${count}, 0)) as ${count}`)}
    from ${Prisma.raw(hourly)} t
    where ${where} and t.timestamp >= ${query.from}::timestamptz
      and t.timestamp < ${query.before}::timestamptz
    group by ${list(keys, (key) => `t.${key}`)}, start`;
  if (query.unit === 'HOUR') return hours;
  return Prisma.sql`
    select ${list(keys)}, start, ${list(counts, (count) => `max(${count}) as ${count}`)} from (
      ${hours}
      union all
      select ${list(keys, (key) => `t.${key}`)}, t.date::timestamp,
        ${list(counts, (count) => `coalesce(t.${count}, 0)`)}
      from ${Prisma.raw(daily)} t
      where ${where} and t.date >= (${query.from}::timestamptz at time zone 'UTC')::date
        and t.date < (${query.before}::timestamptz at time zone 'UTC')::date
    ) stored group by ${list(keys)}, start`;
};

const PLACE = Prisma.sql`feature_name as "featureName", environment as "environmentName"`;

/** The largest counts of each place. */
const top = (key: string, counted: Prisma.Sql, order: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select * from (
    select ${PLACE}, ${counted},
      count(*) over (partition by feature_name, environment) as total,
      row_number() over (
        partition by feature_name, environment order by ${order} desc, ${Prisma.raw(key)}) as place
    from used group by feature_name, environment, ${Prisma.raw(key)}
  ) ranked where place <= ${MAX_LISTED}::int order by place`;

const readUsed = async <Lists extends Record<string, object[]>>(
  db: Db,
  used: Prisma.Sql,
  selects: { [Name in keyof Lists]: Prisma.Sql },
): Promise<Lists> => {
  const [result] = await db.$queryRaw<[{ lists: string }]>(
    Prisma.sql`with used as materialized (${used}) select ${listsOf(selects)} as lists`,
  );
  return parseLists<Lists>(result.lists);
};

type UsageRows = { buckets: BucketRow[]; applications: ApplicationRow[] };

/** Evaluations per bucket and per application. */
export const readUsage = (db: Db, viewer: Viewer, query: UsageQuery): Promise<UsageRows> =>
  readUsed<UsageRows>(db, bucketsOf(viewer, query, EVALUATIONS), {
    buckets: Prisma.sql`select ${PLACE}, ${milliseconds(Prisma.sql`start`)} as start,
      sum(yes) as yes, sum(no) as no from used group by feature_name, environment, used.start`,
    applications: top(
      'app_name',
      Prisma.sql`app_name as "applicationName", sum(yes) as yes, sum(no) as no`,
      Prisma.sql`sum(yes) + sum(no)`,
    ),
  });

/** How often each variant was returned. */
export const readVariantUsage = async (
  db: Db,
  viewer: Viewer,
  query: UsageQuery,
): Promise<VariantRow[]> => {
  const { variants } = await readUsed<{ variants: VariantRow[] }>(
    db,
    bucketsOf(viewer, query, VARIANTS),
    { variants: top('variant', Prisma.sql`variant, sum(count) as count`, Prisma.sql`sum(count)`) },
  );
  return variants;
};
