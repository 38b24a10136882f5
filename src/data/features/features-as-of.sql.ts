import { type Db, Prisma, type Sql } from '../db.js';
import { EVENT_COLUMNS, type EventRow } from '../events/event-rows.sql.js';
import { isReadable, readPayload } from '../events/readable-payload.sql.js';
import { milliseconds } from '../sql/read-rows.sql.js';
import { selectStrategies } from './feature-lists.sql.js';
import {
  type HistoryLists,
  type HistoryQuery,
  readHistoryLists,
  type Stored,
} from './history.sql.js';

/** `end` is exclusive, in milliseconds. */
type AsOfQuery = HistoryQuery<{ end: number }> & {
  /** Types of the later events of an owner, and their maximum number. */
  laterTypes: readonly string[];
  maxLater: number;
  /** Types of the later events that say something about strategies before them, and their maximum number. */
  evidenceTypes: readonly string[];
  maxEvidence: number;
};

type Later = Stored<EventRow> & { key: number };

/** A later event with only the parts of its payloads that concern the identity, order and segments of strategies. */
export type EvidenceRow = Pick<
  Later,
  'key' | 'id' | 'type' | 'createdAt' | 'environment' | 'data' | 'preData'
>;

const partsOf = (payload: Sql, keys: readonly string[]): Sql =>
  Prisma.sql`case when jsonb_typeof(${payload}) = 'object' then jsonb_build_object(
    ${Prisma.join(keys.map((key) => Prisma.sql`${Prisma.raw(`'${key}'`)}, ${payload} -> ${Prisma.raw(`'${key}'`)}`))}) end`;

const EVIDENCE_COLUMNS = Prisma.sql`e.id, e.type, ${milliseconds(Prisma.sql`e.created_at`)} as "createdAt", e.environment,
  ${partsOf(Prisma.sql`e.pre_data`, [
    'id',
    'segments',
    'sortOrder',
    'strategyIds',
    'archived',
    'archivedAt',
  ])} as "preData",
  case when e.data is not null and ${isReadable(Prisma.sql`e.data::text`)}
    then (select ${partsOf(Prisma.sql`payload.data`, ['id', 'sortOrder'])}
      from (select ${readPayload(Prisma.sql`e.data::text`)} as data offset 0) payload) end as data`;

type AsOfLists = HistoryLists<EventRow> & {
  /** The first event after the end of each owner. */
  next: Later[];
  /** The first events of certain types after it. */
  later: Later[];
  evidence: EvidenceRow[];
  /** Current strategies of features, in order. */
  strategies: { featureName: string; environmentName: string; id: string; segmentIds: number[] }[];
  /** Current environments of the projects in the history. */
  projectEnvironments: { projectId: string; environment: string }[];
  /** Current environments of features, in order. */
  places: { featureName: string; environment: string }[];
  /** Timestamp of the first event of the log, if there is one. */
  began: { time: number }[];
};

/** History of features up to an end, and the events right after it. */
export const readAsOfLists = (
  db: Db,
  { laterTypes, maxLater, evidenceTypes, maxEvidence, ...query }: AsOfQuery,
): Promise<AsOfLists> => {
  const { owners, visible } = query;
  const names = owners.map(({ name }) => name);
  const ends = owners.map(({ end }) => new Date(end).toISOString());
  const ownerRows = Prisma.sql`unnest(${names.map((_, key) => key)}::int[], ${names}::text[],
    ${ends}::timestamptz[]) as owner(key, name, until)`;
  const laterOf = (which: Sql, limit: number, columns = EVENT_COLUMNS) => Prisma.sql`
    select owner.key, page.* from ${ownerRows}
    cross join lateral (
      select ${columns} from events e
      where e.feature_name = owner.name and ${visible} and e.created_at >= owner.until and ${which}
      order by e.id limit ${limit}
    ) page`;
  return readHistoryLists<AsOfLists>(db, {
    ...query,
    ownerRows,
    columns: EVENT_COLUMNS,
    own: Prisma.sql`(e.created_at < owner.until or e.created_at is null)`,
    general: Prisma.sql`true`,
    beside: {
      next: laterOf(Prisma.sql`true`, 1),
      later: laterOf(Prisma.sql`e.type = any(${laterTypes}::text[])`, maxLater),
      evidence: laterOf(
        Prisma.sql`e.type = any(${evidenceTypes}::text[])`,
        maxEvidence + 1,
        EVIDENCE_COLUMNS,
      ),
      strategies: selectStrategies(
        Prisma.sql`t.feature_name as "featureName", t.environment as "environmentName", t.id`,
        Prisma.sql`t.feature_name = any(${names}::text[])`,
      ),
      projectEnvironments: Prisma.sql`select t.project_id as "projectId", t.environment_name as environment
        from project_environments t where t.project_id in (select own."projectId" from own)`,
      // In the order of environments.
      places: Prisma.sql`select t.feature_name as "featureName", t.environment from feature_environments t
        join environments known on known.name = t.environment
        where t.feature_name = any(${names}::text[]) order by known.sort_order, known.name`,
      began: Prisma.sql`select ${milliseconds(Prisma.sql`e.created_at`)} as time from events e
        where ${visible} and e.created_at is not null order by e.created_at limit 1`,
    },
  });
};
