import { type Db, Prisma, type Sql } from '../db.js';
import { EVENT_COLUMNS, type EventRow } from '../events/event-rows.sql.js';
import { milliseconds } from '../sql/read-rows.sql.js';
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
};

type Later = Stored<EventRow> & { key: number };

type AsOfLists = HistoryLists<EventRow> & {
  /** The first event after the end of each owner. */
  next: Later[];
  /** The first events of certain types after it. */
  later: Later[];
  /** Current environments of features, in order. */
  places: { featureName: string; environment: string }[];
  /** Timestamp of the first event of the log, if there is one. */
  began: { time: number }[];
};

/** History of features up to an end, and the events right after it. */
export const readAsOfLists = (
  db: Db,
  { laterTypes, maxLater, ...query }: AsOfQuery,
): Promise<AsOfLists> => {
  const { owners, visible } = query;
  const names = owners.map(({ name }) => name);
  const ends = owners.map(({ end }) => new Date(end).toISOString());
  const ownerRows = Prisma.sql`unnest(${names.map((_, key) => key)}::int[], ${names}::text[],
    ${ends}::timestamptz[]) as owner(key, name, until)`;
  const laterOf = (which: Sql, limit: number) => Prisma.sql`
    select owner.key, page.* from ${ownerRows}
    cross join lateral (
      select ${EVENT_COLUMNS} from events e
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
      // In the order of environments.
      places: Prisma.sql`select t.feature_name as "featureName", t.environment from feature_environments t
        join environments known on known.name = t.environment
        where t.feature_name = any(${names}::text[]) order by known.sort_order, known.name`,
      began: Prisma.sql`select ${milliseconds(Prisma.sql`e.created_at`)} as time from events e
        where ${visible} and e.created_at is not null order by e.created_at limit 1`,
    },
  });
};
