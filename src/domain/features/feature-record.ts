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
  type User,
} from '../../data/db.js';
import { groupBy, indexBy } from '../../data/grouping.js';
import type { ListCollaborators } from '../../data/loaders.js';
import { listsOf } from '../../data/read-rows.js';
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
import { asArray, asObjects, asStrings } from '../json.js';
import {
  currentStage,
  inEnvironmentOrder,
  lastSeenAnywhere,
  lastSeenIn,
  ownStrategies,
  type Person,
  peopleAmong,
  personOf,
} from './feature-parts.js';

export type StrategyRecord = {
  id: string;
  name: string;
  title: string | null;
  disabled: boolean;
  featureName: string;
  sortOrder: number;
  segments: number[];
  constraints: readonly unknown[];
  variants: readonly unknown[];
  parameters: unknown;
};

export type FeatureEnvironmentRecord = {
  name: string;
  enabled: boolean;
  type: string;
  sortOrder: number | null;
  variantCount: number;
  lastSeenAt: Date | null;
  hasStrategies: boolean;
  hasEnabledStrategies: boolean;
  environment: string;
  featureName: string;
  strategies: StrategyRecord[];
  variants: readonly unknown[];
};

/** A feature with everything the API document's 2.6 tells of it, in the original's order of keys. */
export type FeatureRecord = {
  type: string | null;
  description: string | null;
  name: string;
  createdAt: Date | null;
  stale: boolean | null;
  impressionData: boolean | null;
  lastSeenAt: Date | null;
  environments: FeatureEnvironmentRecord[];
  /** Left out when there are none. */
  tags?: { value: string; type: string }[];
  archived: boolean;
  archivedAt: Date | null;
  project: string | null;
  enabled: boolean;
  favorite: boolean;
  createdBy: Person | null;
  variants: readonly unknown[];
  children: string[];
  dependencies: { feature: string; enabled: boolean; variants: readonly string[] }[];
  lifecycle: { stage: string; enteredStageAt: Date | null } | null;
  collaborators: { users: Person[] };
};

type Rows = {
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

type StrategyRow = Omit<StrategyRecord, 'segments'> & {
  environmentName: string;
  milestoneId: string | null;
  segmentIds: number[];
};

/** Which versions of rows of a table (aliased `t`) there are: where none has come, gone or changed, it is the same. */
const printOf = (table: string, where: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  select concat(count(*), ':', sum(hashtextextended(concat(t.ctid, '/', t.xmin), 0)))
  from ${Prisma.raw(table)} t where ${where})`;

type Read = { print: string | null; text: string | null };

/**
 * Features that meet a condition (on `t`) and all that belongs to them, by name, as one moment shows them, in JSON; null
 * where their print says that not one of the rows is another than the last time.
 */
const readFeatures = async (
  db: Db,
  userId: number,
  where: Prisma.Sql,
  lastPrint: string | null,
  isPrinted = true,
): Promise<Read> => {
  const of = (column: string) =>
    Prisma.sql`${Prisma.raw(`t.${column}`)} = any((select names from wanted)::text[])`;
  const favorites = Prisma.sql`t.user_id = ${userId} and ${of('feature')}`;
  const lists = listsOf({
    features: selectRows(FEATURES, of('name'), Prisma.sql`t.name`),
    environments: selectRows(FEATURE_ENVIRONMENTS, of('feature_name')),
    knownEnvironments: selectRows(ENVIRONMENTS, Prisma.sql`true`),
    strategies: selectStrategies(
      Prisma.sql`t.id, t.feature_name as "featureName", t.environment as "environmentName",
        t.strategy_name as name, t.title, t.disabled, t.parameters, t.constraints, t.variants,
        t.sort_order as "sortOrder", t.milestone_id as "milestoneId"`,
      of('feature_name'),
    ),
    seen: selectRows(LAST_SEEN, of('feature_name')),
    tags: selectRows(FEATURE_TAGS, of('feature_name'), Prisma.sql`t.tag_type, t.tag_value`),
    favorites: Prisma.sql`select t.feature as name from favorite_features t where ${favorites}`,
    children: selectRows(DEPENDENCIES, of('parent'), Prisma.sql`t.child`),
    parents: selectRows(DEPENDENCIES, of('child'), Prisma.sql`t.parent`),
    stages: selectRows(LIFECYCLE_STAGES, of('feature')),
  });
  const prints = Prisma.sql`concat_ws(',',
    ${printOf('features', of('name'))}, ${printOf('feature_environments', of('feature_name'))},
    ${printOf('environments', Prisma.sql`true`)}, ${printOf('feature_strategies', of('feature_name'))},
    ${printOf(
      'feature_strategy_segment',
      Prisma.sql`t.feature_strategy_id in (
      select s.id from feature_strategies s where s.feature_name = any((select names from wanted)::text[]))`,
    )},
    ${printOf('last_seen_at_metrics', of('feature_name'))}, ${printOf('feature_tag', of('feature_name'))},
    ${printOf('favorite_features', favorites)}, ${printOf('dependent_features', of('parent'))},
    ${printOf('dependent_features', of('child'))}, ${printOf('feature_lifecycles', of('feature'))})`;
  const [read] = await db.$queryRaw<[Read]>(Prisma.sql`
    with wanted as materialized (
      select array(select t.name from features t where ${where})::text[] as names
    ), found as materialized (select ${isPrinted ? prints : Prisma.sql`null::text`} as print)
    select found.print, case when found.print is null or found.print is distinct from ${lastPrint} then ${lists} end as text from found`);
  return read;
};

/** Who has rights on single columns only cannot see versions of rows. */
const readFeaturesAs: typeof readFeatures = (...args) =>
  readFeatures(...args).catch((error: unknown) => {
    if (databaseFailure(error) !== 'privilege') throw error;
    const [db, userId, where] = args;
    return readFeatures(db, userId, where, null, false);
  });

const parseFeatures = (text: string): Rows => {
  const rows: Rows = JSON.parse(text);
  withTimes(FEATURES, rows.features);
  withTimes(LAST_SEEN, rows.seen);
  withTimes(LIFECYCLE_STAGES, rows.stages);
  return rows;
};

const environmentRecord = (
  {
    environment,
    enabled,
    featureName,
    variants,
  }: FeatureEnvironment & { environment: Environment },
  strategies: readonly StrategyRow[],
  seen: readonly LastSeen[],
): FeatureEnvironmentRecord => {
  const here = strategies.filter((strategy) => strategy.environmentName === environment.name);
  return {
    name: environment.name,
    enabled,
    type: environment.type,
    sortOrder: environment.sortOrder,
    variantCount: asArray(variants).length,
    lastSeenAt: lastSeenIn(seen, environment.name),
    hasStrategies: here.length > 0,
    hasEnabledStrategies: here.some((strategy) => !strategy.disabled),
    environment: environment.name,
    featureName,
    strategies: ownStrategies(here).map((strategy) => ({
      id: strategy.id,
      name: strategy.name,
      title: strategy.title,
      disabled: strategy.disabled ?? false,
      featureName,
      sortOrder: strategy.sortOrder,
      segments: strategy.segmentIds,
      constraints: asObjects(strategy.constraints),
      variants: asObjects(strategy.variants),
      parameters: strategy.parameters,
    })),
    variants: asObjects(variants),
  };
};

/** The document's deprecated feature-level variants: those of the first environment that has any. */
export const featureVariants = <Variant>(
  environments: readonly { variants: readonly Variant[] }[],
): readonly Variant[] => environments.find(({ variants }) => variants.length > 0)?.variants ?? [];

export type FeatureRecords = { features: readonly Feature[]; records: readonly FeatureRecord[] };

type Collaborators = Awaited<ReturnType<ListCollaborators>>;

/** Records, and all they were built from: the same rows give the same records. */
export type BuiltRecords = {
  print: string | null;
  rows: Rows;
  others: string;
  found: FeatureRecords;
  /** How many characters the rows had. */
  size: number;
};

/** Features by name with what the database holds about them; how many does not change the number of statements. */
export const listFeatureRecords = async (
  db: Db,
  userId: number,
  listCollaborators: ListCollaborators,
  where: Prisma.Sql,
  last?: BuiltRecords,
): Promise<BuiltRecords> => {
  const { print, text } = await readFeaturesAs(db, userId, where, last?.print ?? null);
  const rows = last && text === null ? last.rows : parseFeatures(text ?? '');
  const { features } = rows;
  const collaborators = await listCollaborators(features.map(({ name }) => name));
  const userIds = new Set([
    ...features.flatMap(({ createdByUserId }) => createdByUserId ?? []),
    ...collaborators.map((collaborator) => collaborator.userId),
  ]);
  const users = await db.user.findMany({ where: { id: { in: [...userIds] } } });

  const others = JSON.stringify([users, collaborators]);
  if (last?.rows === rows && last.others === others) return last;
  const records = buildRecords(
    rows,
    collaborators,
    indexBy(users, ({ id }) => id),
  );
  return {
    print,
    rows,
    others,
    found: { features, records },
    size: text?.length ?? last?.size ?? 0,
  };
};

const buildRecords = (
  rows: Rows,
  collaborators: Collaborators,
  users: ReadonlyMap<number, User>,
): FeatureRecord[] => {
  const knownEnvironments = indexBy(rows.knownEnvironments, ({ name }) => name);
  const environmentsOf = groupBy(
    rows.environments.flatMap((row) => {
      const environment = knownEnvironments.get(row.environmentName);
      return environment ? [Object.assign(row, { environment })] : [];
    }),
    ({ featureName }) => featureName,
  );
  const strategiesOf = groupBy(rows.strategies, ({ featureName }) => featureName);
  const seenOf = groupBy(rows.seen, ({ featureName }) => featureName);
  const tagsOf = groupBy(rows.tags, ({ featureName }) => featureName);
  const favorites = new Set(rows.favorites.map(({ name }) => name));
  const childrenOf = groupBy(rows.children, ({ parentName }) => parentName);
  const parentsOf = groupBy(rows.parents, ({ childName }) => childName);
  const stagesOf = groupBy(rows.stages, ({ featureName }) => featureName);
  const authorsOf = groupBy(collaborators, ({ featureName }) => featureName);

  return rows.features.map((feature) => {
    const { name } = feature;
    const own = environmentsOf.get(name) ?? [];
    const seen = seenOf.get(name) ?? [];
    const tags = tagsOf.get(name) ?? [];
    const author =
      feature.createdByUserId === null ? undefined : users.get(feature.createdByUserId);
    const stage = currentStage(stagesOf.get(name) ?? []);
    const environments = inEnvironmentOrder(own).map((row) =>
      environmentRecord(row, strategiesOf.get(name) ?? [], seen),
    );
    return {
      type: feature.type,
      description: feature.description,
      name,
      createdAt: feature.createdAt,
      stale: feature.stale,
      impressionData: feature.impressionData,
      lastSeenAt: lastSeenAnywhere(feature, seen, own),
      environments,
      ...(tags.length > 0 && { tags: tags.map(({ value, type }) => ({ value, type })) }),
      archived: feature.archivedAt !== null,
      archivedAt: feature.archivedAt,
      project: feature.projectId,
      enabled: environments.some((environment) => environment.enabled),
      favorite: favorites.has(name),
      createdBy: author ? personOf(author) : null,
      variants: featureVariants(environments),
      children: (childrenOf.get(name) ?? []).map(({ childName }) => childName),
      dependencies: (parentsOf.get(name) ?? []).map((parent) => ({
        feature: parent.parentName,
        enabled: parent.enabled,
        variants: asStrings(parent.variants),
      })),
      lifecycle: stage && { stage: stage.stage, enteredStageAt: stage.createdAt },
      collaborators: {
        users: peopleAmong((authorsOf.get(name) ?? []).map(({ userId: id }) => users.get(id))),
      },
    };
  });
};
