import { type Db, Prisma } from '../../data/db.js';
import { groupBy } from '../../data/grouping.js';
import { milliseconds, readRows } from '../../data/read-rows.js';
import type { Actor } from '../actor.js';
import { type ActivityRange, assertRange } from './activity-range.js';
import { type Activity, type ActivityRow, toActivity } from './event-activity.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import { matchingEvents } from './event-query.js';

/** Longest list of types and of actors. */
export const MOST_COUNTED = 20;

export type ActivityQuestion = {
  criteria: EventCriteria;
  range: ActivityRange;
  /** Whether anybody looks at the events of each type, or of each actor. */
  byType: boolean;
  byActor: boolean;
};

type KeyedRow = ActivityRow & { key: string };

/** Counts the log once, by all that is asked for, and sums that up for the buckets and for the whole range. */
const countActivity = (
  db: Db,
  actor: Actor,
  { criteria, range: { from, to, by }, byType, byActor }: ActivityQuestion,
  { key, among }: { key: Prisma.Sql; among: Prisma.Sql },
): Promise<KeyedRow[]> => {
  assertRange({ from, to, by });
  assertEventCriteria(criteria);

  const types = byType ? Prisma.sql`type` : Prisma.sql`null::text`;
  const actors = byActor
    ? Prisma.sql`created_by, created_by_user_id`
    : Prisma.sql`null::text, null::int`;
  const lists = [...(byType ? [types] : []), ...(byActor ? [actors] : [])];
  const sets = lists.map((list) => Prisma.sql`(key, start, ${list}), (key, ${list})`);
  return readRows<KeyedRow>(
    db,
    Prisma.sql`
    with counted (key, start, type, created_by, created_by_user_id, count) as (
      select ${key}, date_trunc(${by}::text, e.created_at at time zone 'UTC'), ${types}, ${actors}, count(*)::int
      from events e
      where ${among} and e.created_at >= ${from} and e.created_at < ${to}
        and ${matchingEvents(actor, criteria)}
      group by 1, 2, 3, 4, 5
    ), summed (key, start, type, created_by, created_by_user_id, count) as (
      select key, start, ${types}, ${actors}, sum(count)::int from counted
      group by grouping sets (${Prisma.join([Prisma.sql`(key, start), (key)`, ...sets])})
    ), ranked as (
      select *, row_number() over (
        partition by start, key collate "C", type is null, created_by is null
        order by count desc, type collate "C", created_by collate "C", created_by_user_id
      ) as place from summed
    )
    select key, ${milliseconds(Prisma.sql`start`)} as start, type, created_by as "createdBy",
      created_by_user_id as "createdByUserId", count
    from ranked where place <= ${MOST_COUNTED} order by place`,
  );
};

/** How many of the events that the actor may see match, in each day or week. */
export const getEventActivity = async (
  db: Db,
  actor: Actor,
  question: ActivityQuestion,
): Promise<Activity> => {
  const rows = await countActivity(db, actor, question, {
    key: Prisma.sql`''::text`,
    among: Prisma.sql`true`,
  });
  return toActivity(question.range, rows);
};

/** The same for each of many projects, in one statement; those without any event are missing. */
export const getEventActivityOf = async (
  db: Db,
  actor: Actor,
  { projectIds, ...question }: ActivityQuestion & { projectIds: readonly string[] },
): Promise<ReadonlyMap<string, Activity>> => {
  const rows = await countActivity(db, actor, question, {
    key: Prisma.sql`e.project`,
    among: Prisma.sql`e.project = any(${projectIds}::text[])`,
  });
  const rowsOf = groupBy(rows, ({ key }) => key);
  return new Map([...rowsOf].map(([id, counted]) => [id, toActivity(question.range, counted)]));
};
