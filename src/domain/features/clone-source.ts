import {
  type Db,
  type Feature,
  type FeatureEnvironment,
  Prisma,
  type ProjectSettings,
} from '../../data/db.js';
import { readLists } from '../../data/read-rows.js';
import {
  columnsOf,
  FEATURE_ENVIRONMENTS,
  FEATURES,
  PROJECT_SETTINGS,
  STRATEGIES,
  selectRows,
  withTimes,
} from '../../data/tables.js';
import { asObjects, asStrings } from '../json.js';
import { isStorable } from '../text.js';
import {
  type CloneSurroundings,
  type SurroundingRows,
  selectSurroundings,
  toSurroundings,
} from './clone-surroundings.js';
import type { ContextFields } from './constraint-rules.js';
import { ownStrategies } from './feature-parts.js';
import type { SourceStrategy } from './strategy-rules.js';

export type SourceDependency = {
  parentName: string;
  enabled: boolean;
  variants: readonly string[];
  parent: { projectId: string | null; archived: boolean } | null;
  parentHasParents: boolean;
};

export type CloneSource = {
  feature: Feature;
  environments: readonly FeatureEnvironment[];
  strategies: readonly SourceStrategy[];
  dependencies: readonly SourceDependency[];
};

export type CloneTarget = {
  id: string;
  archived: boolean;
  /** Names of the environments that are linked to it. */
  environments: readonly string[];
  /** Names of the environments that take changes through change requests only. */
  guarded: readonly string[];
};

type Named = { name: string };

type Rows = {
  targets: { id: string; archived: boolean }[];
  settings: ProjectSettings[];
  linked: Named[];
  guarded: Named[];
  holders: { archived: boolean }[];
  features: Feature[];
  environments: FeatureEnvironment[];
  strategies: (SourceStrategy & { milestoneId: string | null })[];
  dependencies: {
    parentName: string;
    enabled: boolean;
    variants: unknown;
    projectId: string | null;
    archived: boolean;
    parentHasParents: boolean;
  }[];
  strategyTypes: Named[];
  contextFields: (Named & { legalValues: unknown })[];
  active: { everywhere: number; inTarget: number }[];
};

/** Whatever a clone is judged by, as one moment of the database shows it. */
export type CloneFacts = {
  target: CloneTarget | null;
  settings: ProjectSettings | null;
  /** Who has the name already. */
  holder: { archived: boolean } | null;
  /** Also one that is archived and cannot be copied; null where there is none. */
  source: CloneSource | null;
  /** Read only for who asks: a plain clone has no use for it. */
  surroundings: CloneSurroundings | null;
  /** Those of the strategies that exist. */
  strategyTypes: ReadonlySet<string>;
  /** The context fields that the strategies mention, as far as they exist. */
  contextFields: ContextFields;
  /** Unarchived features: of the whole installation, and of the target project. */
  active: { everywhere: number; inTarget: number };
};

const toSource = (rows: Rows): CloneSource | null => {
  const [feature] = rows.features;
  if (!feature) return null;
  const present = new Set(rows.environments.map(({ environmentName }) => environmentName));
  return {
    feature,
    environments: rows.environments,
    // A strategy in an environment the feature has no row for is nowhere to be seen.
    strategies: ownStrategies(rows.strategies).filter(({ environmentName }) =>
      present.has(environmentName),
    ),
    dependencies: rows.dependencies.map(({ projectId, archived, variants, ...dependency }) => ({
      ...dependency,
      variants: asStrings(variants),
      parent: { projectId, archived },
    })),
  };
};

const toContextFields = (fields: Rows['contextFields']): ContextFields =>
  new Map(
    fields.map(({ name, legalValues }) => {
      const values = asObjects(legalValues).flatMap(({ value }) =>
        typeof value === 'string' ? [value] : [],
      );
      return [name, { legalValues: values.length > 0 ? values : null }];
    }),
  );

/** How many unarchived features there are. */
export const countActive = (targetProject: string): Prisma.Sql => Prisma.sql`
  select count(*) as everywhere, count(*) filter (where project = ${targetProject}) as "inTarget"
  from features where archived_at is null`;

type Question = {
  source: string;
  name: string;
  targetProject: string;
  /** Whose view of the source's surroundings is wanted, if anybody's. */
  surroundingsFor?: number | undefined;
};

/** Reads all of it in one statement: a clone waits for the database as seldom as possible. */
export const readCloneFacts = async (
  tx: Db,
  { source, name, targetProject, surroundingsFor }: Question,
): Promise<CloneFacts> => {
  const rows = await readLists<Rows & Partial<SurroundingRows>>(tx, {
    targets: Prisma.sql`select id, archived_at is not null as archived from projects where id = ${targetProject}`,
    settings: selectRows(PROJECT_SETTINGS, Prisma.sql`t.project = ${targetProject}`),
    linked: Prisma.sql`select environment_name as name from project_environments where project_id = ${targetProject}`,
    guarded: Prisma.sql`select environment as name from change_request_settings where project = ${targetProject}`,
    holders: isStorable(name)
      ? Prisma.sql`select archived_at is not null as archived from features where name = ${name}`
      : Prisma.sql`select where false`,
    features: selectRows(FEATURES, Prisma.sql`t.name = ${source}`),
    environments: selectRows(FEATURE_ENVIRONMENTS, Prisma.sql`t.feature_name = ${source}`),
    strategies: Prisma.sql`
      select ${columnsOf(STRATEGIES)}, (
        select coalesce(json_agg(json_build_object('id', segment.id, 'name', segment.name,
          'projectId', segment.segment_project_id) order by segment.id), '[]')
        from feature_strategy_segment held join segments segment on segment.id = held.segment_id
        where held.feature_strategy_id = t.id
      ) as segments
      from feature_strategies t join environments environment on environment.name = t.environment
      where t.feature_name = ${source}
      order by environment.sort_order, t.environment, t.sort_order, t.created_at`,
    dependencies: Prisma.sql`
      select t.parent as "parentName", t.enabled, t.variants, parent.project as "projectId",
        parent.archived_at is not null as archived,
        exists (select from dependent_features further where further.child = t.parent) as "parentHasParents"
      from dependent_features t join features parent on parent.name = t.parent
      where t.child = ${source} order by t.parent`,
    strategyTypes: Prisma.sql`select name from strategies where name in (
      select strategy_name from feature_strategies where feature_name = ${source})`,
    contextFields: Prisma.sql`select name, legal_values as "legalValues" from context_fields where name in (
      select given.value ->> 'contextName' from feature_strategies t cross join lateral jsonb_array_elements(
        case jsonb_typeof(t.constraints) when 'array' then t.constraints else '[]'::jsonb end) given
      where t.feature_name = ${source})`,
    active: countActive(targetProject),
    ...(surroundingsFor !== undefined && selectSurroundings(source, surroundingsFor)),
  });
  withTimes(FEATURES, rows.features);

  const [target] = rows.targets;
  const names = (list: readonly Named[]) => list.map((row) => row.name);
  return {
    target: target
      ? { ...target, environments: names(rows.linked), guarded: names(rows.guarded) }
      : null,
    settings: rows.settings[0] ?? null,
    holder: rows.holders[0] ?? null,
    source: toSource(rows),
    surroundings: toSurroundings(rows),
    strategyTypes: new Set(names(rows.strategyTypes)),
    contextFields: toContextFields(rows.contextFields),
    active: rows.active[0] ?? { everywhere: 0, inTarget: 0 },
  };
};
