import { createHash } from 'node:crypto';
import {
  type Db,
  type Feature,
  type FeatureEnvironment,
  Prisma,
  type ProjectSettings,
  type Strategy,
} from '../db.js';
import {
  FeatureEnvironmentTable,
  FeatureTable,
  ProjectSettingsTable,
  StrategyTable,
} from '../generated/tables.js';
import { HAS_EVENT_GROUPS } from '../layout/unleash-layout.sql.js';
import { SELECT_MAINTENANCE } from '../maintenance.sql.js';
import { withOptionalColumns } from '../sql/optional-columns.sql.js';
import { listsOf, parseLists } from '../sql/read-rows.sql.js';
import { columnsOf, selectRows, withTimes } from '../sql/tables.sql.js';
import { inVisibleProject } from '../sql/visible-projects.sql.js';
import { selectUser, type UserRow } from '../user-rights.sql.js';
import type { Viewer } from '../viewer.js';
import { type RelatedRows, selectRelatedData } from './clone-related-data.sql.js';
import { isFeature } from './feature-conditions.sql.js';
import { type ActiveCounts, countActive } from './feature-quota.sql.js';

type Named = { name: string };

/** A clone that the caller created with the same idempotency key. */
export type EarlierClone = {
  name: string;
  mark: string;
  /** Whether the clone still exists; a feature created later under its name does not count. */
  isThere: boolean;
};

export type CloneFactRows = {
  maintenance: { content: unknown }[];
  targets: { id: string; archived: boolean }[];
  settings: ProjectSettings[];
  links: { templates: unknown }[];
  groups: { exist: boolean }[];
  linked: Named[];
  guarded: Named[];
  holders: { archived: boolean | null; isVisible: boolean }[];
  features: Feature[];
  environments: FeatureEnvironment[];
  strategies: (Omit<Strategy, 'createdAt'> & {
    segments: { id: number; name: string; projectId: string | null }[];
  })[];
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
} & Partial<RelatedRows> & { users?: UserRow[]; earlier?: EarlierClone[] };

export type CloneFactQuery = {
  source: string;
  /** Null if no feature can have the name. */
  name: string | null;
  targetProject: string;
  /** Whether the viewer may see the target project. */
  seesTarget: boolean;
  hasRelatedData: boolean;
  /** Whether to read the viewer's permissions, too. */
  hasRights: boolean;
  /** Start of the fingerprints with the viewer's idempotency key; null without a key. */
  fingerprintPrefix: string | null;
};

/** Key in the payload of `feature-created` events under which clones record their fingerprint. */
export const FINGERPRINT_KEY = 'idempotencyId';

const IDEMPOTENCY_KEY_TTL = '24 hours';

/** The viewer's latest clone with the same key. */
const selectEarlierClone = ({ userId }: Viewer, prefix: string): Prisma.Sql =>
  Prisma.sql`select feature_name as name, data ->> ${FINGERPRINT_KEY} as mark,
      exists (select from features where name = feature_name and features.created_at <= events.created_at) as "isThere"
    from events where events.created_at > now() - ${IDEMPOTENCY_KEY_TTL}::interval and type = 'feature-created'
      and created_by_user_id = ${userId} and data ->> ${FINGERPRINT_KEY} like ${`${prefix}-%`}
    order by id desc limit 1`;

/** Replaces names that the viewer may not see. */
const HIDDEN = '(hidden)';

/** A segment of a project that the viewer may not see keeps only its ID, and matches no project. */
const nameSegment = (viewer: Viewer): Prisma.Sql => {
  const isVisible = inVisibleProject(viewer, Prisma.sql`segment.segment_project_id`);
  return Prisma.sql`
    select segment.name, segment.segment_project_id as project
    where segment.segment_project_id is null or ${isVisible}
    union all
    select ${HIDDEN}, '#' where segment.segment_project_id is not null and not ${isVisible}`;
};

const sourceFacts = (viewer: Viewer, source: string) => ({
  features: selectRows(FeatureTable, isFeature(viewer, source)),
  environments: selectRows(
    FeatureEnvironmentTable,
    Prisma.sql`t.feature_name = ${source}`,
    // In Unleash's order: a refusal names the first environment that is closed to the caller.
    Prisma.sql`(select sort_order from environments where name = t.environment), t.environment`,
  ),
  strategies: Prisma.sql`
    select ${columnsOf(StrategyTable)}, (
      select coalesce(json_agg(json_build_object('id', segment.id, 'name', known.name,
        'projectId', known.project) order by segment.id), '[]')
      from feature_strategy_segment held join segments segment on segment.id = held.segment_id
      cross join lateral (${nameSegment(viewer)}) known
      where held.feature_strategy_id = t.id
    ) as segments
    from feature_strategies t join environments environment on environment.name = t.environment
    where t.feature_name = ${source}
    order by environment.sort_order, t.environment, t.sort_order, t.created_at, t.id`,
  dependencies: Prisma.sql`
    select case when ${inVisibleProject(viewer, Prisma.sql`parent.project`)} then t.parent else ${HIDDEN} end as "parentName",
      t.enabled, t.variants,
      case when ${inVisibleProject(viewer, Prisma.sql`parent.project`)} then parent.project end as "projectId",
      parent.archived_at is not null as archived,
      exists (select from dependent_features further where further.child = t.parent) as "parentHasParents"
    from dependent_features t join features parent on parent.name = t.parent
    where t.child = ${source} order by t.parent`,
  strategyTypes: Prisma.sql`select name from strategies where name in (
    select strategy_name from feature_strategies where feature_name = ${source}) order by name`,
  contextFields: Prisma.sql`select name, legal_values as "legalValues" from context_fields where name in (
    select given.value ->> 'contextName' from feature_strategies t cross join lateral jsonb_array_elements(
      case jsonb_typeof(t.constraints) when 'array' then t.constraints else '[]'::jsonb end) given
    where t.feature_name = ${source}) order by name`,
});

const targetFacts = (targetProject: string) => ({
  targets: Prisma.sql`select id, archived_at is not null as archived from projects where id = ${targetProject}`,
  settings: selectRows(ProjectSettingsTable, Prisma.sql`t.project = ${targetProject}`),
  links: withOptionalColumns(
    { link_templates: 'jsonb' },
    Prisma.sql`select link_templates as templates from project_settings t
      where t.project = ${targetProject}`,
  ),
  linked: Prisma.sql`select environment_name as name from project_environments
    where project_id = ${targetProject} order by environment_name`,
  guarded: Prisma.sql`select environment as name from change_request_settings
    where project = ${targetProject} order by environment`,
});

const selectHolder = (viewer: Viewer, name: string | null) =>
  name === null
    ? Prisma.sql`select where false`
    : Prisma.sql`select case when held.visible then archived_at is not null end as archived, held.visible as "isVisible"
        from features cross join lateral (
          select coalesce(${inVisibleProject(viewer, Prisma.sql`project`)}, false) as visible
        ) held where name = ${name}`;

/** Rows are always in a fixed order, so that equal states produce equal text. */
const selectFacts = (viewer: Viewer, query: CloneFactQuery): Prisma.Sql => {
  const { source, name, targetProject, hasRelatedData, hasRights, fingerprintPrefix } = query;
  return listsOf({
    ...targetFacts(query.seesTarget ? targetProject : ''),
    groups: Prisma.sql`select ${Prisma.raw(HAS_EVENT_GROUPS)} as exist`,
    holders: selectHolder(viewer, name),
    ...sourceFacts(viewer, source),
    ...(hasRelatedData && selectRelatedData(source, viewer)),
    maintenance: SELECT_MAINTENANCE,
    ...(hasRights && { users: selectUser(viewer.userId) }),
    ...(fingerprintPrefix !== null && { earlier: selectEarlierClone(viewer, fingerprintPrefix) }),
  });
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a clone is checked against, and a condition that it still holds when another statement begins. */
export type ReadCloneFacts = { rows: CloneFactRows; active: ActiveCounts; stillHold: Prisma.Sql };

const column = (name: string, index: number, value: Prisma.Sql) =>
  Prisma.sql`${value} as ${Prisma.raw(`${name}${index}`)}`;

const readActive = (json: string): ActiveCounts =>
  parseLists<{ active: ActiveCounts[] }>(json).active[0] ?? { everywhere: 0, inTarget: 0 };

/** Reads the facts of all clones in one statement, so from one snapshot. */
export const readCloneFactRows = async (
  db: Db,
  viewer: Viewer,
  queries: readonly CloneFactQuery[],
): Promise<ReadCloneFacts[]> => {
  const selects = queries.map((query) => selectFacts(viewer, query));
  const targets = [...new Set(queries.map(({ targetProject }) => targetProject))];
  const [found] = await db.$queryRaw<[Record<string, string>]>(
    Prisma.sql`select ${Prisma.join([
      ...selects.map((select, index) => column('facts', index, select)),
      ...targets.map((target, index) =>
        column('active', index, listsOf({ active: countActive(target) })),
      ),
    ])}`,
  );
  const activeIn = new Map(
    targets.map((target, index) => [target, readActive(found[`active${index}`] ?? '')]),
  );
  return queries.map(({ targetProject }, index) => {
    const facts = found[`facts${index}`] ?? '';
    const rows = parseLists<CloneFactRows>(facts);
    withTimes(FeatureTable, rows.features);
    return {
      rows,
      active: activeIn.get(targetProject) ?? { everywhere: 0, inTarget: 0 },
      stillHold: Prisma.sql`encode(sha256(convert_to(${selects[index] ?? Prisma.empty}, 'UTF8')), 'hex') = ${hashOf(facts)}`,
    };
  });
};
