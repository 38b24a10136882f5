import { createHash } from 'node:crypto';
import { type Db, Prisma } from '../../data/db.js';
import { withOptionalColumns } from '../../data/optional-columns.js';
import { listsOf, parseLists } from '../../data/read-rows.js';
import {
  columnsOf,
  FEATURE_ENVIRONMENTS,
  FEATURES,
  PROJECT_SETTINGS,
  STRATEGIES,
  selectRows,
  withTimes,
} from '../../data/tables.js';
import { HAS_EVENT_GROUPS } from '../../data/unleash-layout.js';
import { selectUser } from '../../data/user-rights.js';
import { inVisibleProject, type Viewer } from '../../data/visible-projects.js';
import type { Actor } from '../actor.js';
import { SELECT_MAINTENANCE } from '../maintenance.js';
import { isStorable } from '../text.js';
import { selectRelatedData } from './clone-related-data.js';
import { type CloneFacts, type FactRows, toFacts } from './clone-source.js';
import { type CloneFingerprint, selectEarlierClone } from './idempotency.js';

/** Counts features that are not archived. */
export const countActive = (targetProject: string): Prisma.Sql => Prisma.sql`
  select count(*) as everywhere, count(*) filter (where project = ${targetProject}) as "inTarget"
  from features where archived_at is null`;

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

export type CloneQuery = {
  source: string;
  name: string;
  targetProject: string;
  hasRelatedData: boolean;
  /** Whether to read the caller's permissions, too. */
  hasRights: boolean;
  /** Of the idempotency key; null without one. */
  fingerprint: CloneFingerprint | null;
};

const sourceFacts = (viewer: Viewer, source: string) => ({
  features: selectRows(
    FEATURES,
    Prisma.sql`t.name = ${source} and ${inVisibleProject(viewer, Prisma.sql`t.project`)}`,
  ),
  environments: selectRows(
    FEATURE_ENVIRONMENTS,
    Prisma.sql`t.feature_name = ${source}`,
    // In Unleash's order: a refusal names the first environment that is closed to the caller.
    Prisma.sql`(select sort_order from environments where name = t.environment), t.environment`,
  ),
  strategies: Prisma.sql`
    select ${columnsOf(STRATEGIES)}, (
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
  settings: selectRows(PROJECT_SETTINGS, Prisma.sql`t.project = ${targetProject}`),
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

const selectHolder = (viewer: Viewer, name: string) =>
  isStorable(name)
    ? Prisma.sql`select archived_at is not null and held.visible as archived, held.visible as "isVisible"
        from features cross join lateral (
          select coalesce(${inVisibleProject(viewer, Prisma.sql`project`)}, false) as visible
        ) held where name = ${name}`
    : Prisma.sql`select where false`;

/** Rows are always in a fixed order, so that equal states produce equal text. */
const selectFacts = (actor: Actor, query: CloneQuery): Prisma.Sql => {
  const { source, name, hasRelatedData, hasRights, fingerprint } = query;
  const targetProject = actor.sees(query.targetProject) ? query.targetProject : '';
  return listsOf({
    ...targetFacts(targetProject),
    groups: Prisma.sql`select ${Prisma.raw(HAS_EVENT_GROUPS)} as exist`,
    holders: selectHolder(actor, name),
    ...sourceFacts(actor, source),
    ...(hasRelatedData && selectRelatedData(source, actor)),
    maintenance: SELECT_MAINTENANCE,
    ...(hasRights && actor.kind !== 'ADMIN_TOKEN' && { users: selectUser(actor.userId) }),
    ...(fingerprint && { earlier: selectEarlierClone(actor, fingerprint) }),
  });
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Facts, and a SQL condition that they still hold when a statement begins. */
export type ReadFacts = { facts: CloneFacts; stillHold: Prisma.Sql };

/** Reads everything in one statement. A source or target that the actor may not see is absent. */
export const readCloneFacts = async (
  db: Db,
  actor: Actor,
  query: CloneQuery,
): Promise<ReadFacts> => {
  const select = selectFacts(actor, query);
  const [{ facts, active }] = await db.$queryRaw<[{ facts: string; active: string }]>(
    Prisma.sql`select ${select} as facts, ${listsOf({ active: countActive(query.targetProject) })} as active`,
  );
  const rows = parseLists<FactRows>(facts);
  withTimes(FEATURES, rows.features);
  const [counts] = parseLists<{ active: CloneFacts['active'][] }>(active).active;
  return {
    facts: toFacts(rows, counts ?? { everywhere: 0, inTarget: 0 }),
    stillHold: Prisma.sql`encode(sha256(convert_to(${select}, 'UTF8')), 'hex') = ${hashOf(facts)}`,
  };
};
