import { type Db, Prisma, type Sql } from '../db.js';
import { milliseconds, readRows } from '../sql/read-rows.sql.js';

/** Count per type, per actor, or of all events if both are null; without a start, for the whole range. */
export type ActivityRow = {
  start: number | null;
  type: string | null;
  createdBy: string | null;
  createdByUserId: number | null;
  count: number;
};

export type KeyedActivityRow = ActivityRow & { key: string };

/** What is counted besides the total. */
export type ActivityGroups = {
  /** Whether counts per day or week are requested. */
  buckets: boolean;
  /** Whether counts per type, or per actor, are requested. */
  byType: boolean;
  byAuthor: boolean;
};

/** The whole range, every bucket if requested, and in each of them every requested grouping. */
const groupingSets = ({ buckets, byType, byAuthor }: ActivityGroups): Sql => {
  const periods = [Prisma.sql`key`, ...(buckets ? [Prisma.sql`key, start`] : [])];
  const sets = periods.flatMap((period) => [
    period,
    ...(byType ? [Prisma.sql`${period}, type`] : []),
    ...(byAuthor ? [Prisma.sql`${period}, created_by, created_by_user_id`] : []),
  ]);
  return Prisma.join(sets.map((set) => Prisma.sql`(${set})`));
};

export type ActivityOwners = { owner: 'project' | 'feature'; keys: readonly string[] };

const OWNER_COLUMNS: Readonly<Record<ActivityOwners['owner'], Sql>> = {
  project: Prisma.sql`e.project`,
  feature: Prisma.sql`e.feature_name`,
};

type ActivityQuery = {
  matching: Sql;
  times: { by: 'DAY' | 'WEEK'; from: Date; to: Date };
  groups: ActivityGroups;
  /** Counts per project or feature, with its ID or name as the key. Null counts all events under an empty key. */
  owners: ActivityOwners | null;
  range: Sql;
  /** Cuts lists after this many entries, the most frequent ones. Null for all. */
  top: number | null;
};

/** Counts the events of a range of the log. */
export const readActivity = (
  db: Db,
  { matching, times: { by, from, to }, groups, owners, range, top }: ActivityQuery,
): Promise<KeyedActivityRow[]> => {
  const { buckets, byType, byAuthor } = groups;
  const key = owners ? OWNER_COLUMNS[owners.owner] : Prisma.sql`''::text`;
  const among = owners ? Prisma.sql`${key} = any(${owners.keys}::text[])` : Prisma.sql`true`;
  const start = buckets
    ? Prisma.sql`date_trunc(${by}::text, e.created_at at time zone 'UTC')`
    : Prisma.sql`null::timestamp`;
  const type = byType ? Prisma.sql`e.type` : Prisma.sql`null::text`;
  const creator = byAuthor
    ? Prisma.sql`e.created_by, e.created_by_user_id`
    : Prisma.sql`null::text, null::int`;
  return readRows(
    db,
    Prisma.sql`
    with counted (key, start, type, created_by, created_by_user_id, count) as (
      select ${key}, ${start}, ${type}, ${creator}, count(*)
      from events e
      where ${among} and e.created_at >= ${from} and e.created_at < ${to}
        and ${matching} and ${range}
      group by 1, 2, 3, 4, 5
    ), grouped (key, start, type, created_by, created_by_user_id, count) as (
      select key, ${buckets ? Prisma.sql`start` : Prisma.sql`null::timestamp`},
        ${byType ? Prisma.sql`type` : Prisma.sql`null::text`},
        ${byAuthor ? Prisma.sql`created_by, created_by_user_id` : Prisma.sql`null::text, null::int`},
        sum(count)::int
      from counted group by grouping sets (${groupingSets(groups)})
    ), ranked as (
      select *, row_number() over (
        partition by key, start, type is null, created_by is null
        order by count desc, type collate "C", created_by collate "C", created_by_user_id
      ) as place
      from grouped
    )
    select key, ${milliseconds(Prisma.sql`start`)} as start, type,
      created_by as "createdBy", created_by_user_id as "createdByUserId", count
    from ranked where ${top === null ? Prisma.sql`true` : Prisma.sql`place <= ${top}`}
    order by key, start, place`,
  );
};
