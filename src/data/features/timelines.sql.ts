import { type Db, Prisma, type Sql } from '../db.js';
import type { EventRow } from '../events/event-rows.sql.js';
import { milliseconds } from '../sql/read-rows.sql.js';
import { type HistoryLists, type HistoryQuery, readHistoryLists } from './history.sql.js';

/** Few payloads matter for this, and a feature may have been switched very often. */
const payload = (column: Sql): Sql =>
  Prisma.sql`case when e.type in ('feature-created', 'feature-deleted') or e.feature_name is null then ${column} end`;

const COLUMNS = Prisma.sql`e.id, e.type, ${milliseconds(Prisma.sql`e.created_at`)} as "createdAt",
  e.project as "projectId", e.environment, e.feature_name as "featureName", e.ip,
  ${payload(Prisma.sql`e.data`)} as data, ${payload(Prisma.sql`e.pre_data`)} as "preData"`;

type TimelineEvent = Omit<
  EventRow,
  'createdBy' | 'createdByUserId' | 'tags' | 'groupType' | 'groupId'
>;

type TimelineQuery = HistoryQuery<{ environment: string }> & {
  /** Types of the events of an owner. */
  ownTypes: readonly string[];
  /** Maximum number of existing environments. */
  maxPresent: number;
};

type TimelineLists = HistoryLists<TimelineEvent> & {
  /** Where features are enabled now. */
  enabled: { featureName: string; environment: string }[];
  /** Environments of the owners that exist or have events. */
  known: { name: string }[];
  /** Existing environments, in order. */
  present: { name: string }[];
};

/** Events that switched features in environments, and the current state. */
export const readTimelineLists = (
  db: Db,
  { ownTypes, maxPresent, ...query }: TimelineQuery,
): Promise<TimelineLists> => {
  const { owners, visible } = query;
  const names = owners.map(({ name }) => name);
  const environmentNames = owners.map(({ environment }) => environment);
  const environments = [...new Set(environmentNames)];
  return readHistoryLists<TimelineLists>(db, {
    ...query,
    ownerRows: Prisma.sql`unnest(${names.map((_, key) => key)}::int[], ${names}::text[],
      ${environmentNames}::text[]) as owner(key, name, environment)`,
    columns: COLUMNS,
    own: Prisma.sql`e.type = any(${ownTypes}::text[])
      and (e.environment is null or e.environment = owner.environment)`,
    general: Prisma.sql`(e.type <> 'project-environment-removed' or e.environment is null
      or e.environment = any(${environments}::text[]))`,
    beside: {
      enabled: Prisma.sql`select t.feature_name as "featureName", t.environment from feature_environments t
        where t.enabled and t.environment = any(${environments}::text[])
          and t.feature_name = any(${[...new Set(names)]}::text[])`,
      known: Prisma.sql`select wanted.name from unnest(${environments}::text[]) as wanted(name)
        where exists (select from environments t where t.name = wanted.name)
          or exists (select from events e where e.environment = wanted.name and ${visible})`,
      present: Prisma.sql`select t.name from environments t order by t.sort_order, t.name limit ${maxPresent}`,
    },
  });
};
