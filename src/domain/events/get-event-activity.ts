import { type Db, Prisma } from '../../data/db.js';
import { isNarrow, matchingEvents } from '../../data/events/event-conditions.sql.js';
import type { IdRange } from '../../data/events/id-ranges.sql.js';
import { groupInSlices } from '../../data/grouping.js';
import { milliseconds, readRows } from '../../data/read-rows.js';
import { visitInSlices } from '../../data/time-slicer.js';
import type { Actor } from '../actor.js';
import { BadDataError } from '../errors.js';
import { callerOf } from '../scan-limiter.js';
import { type ActivityRange, assertRange } from './activity-range.js';
import { type Activity, type ActivityRow, toActivity } from './event-activity.js';
import { assertEventCriteria, type EventCriteria, readsPayloads } from './event-criteria.js';
import type { EventLogCache } from './event-log-cache.js';
import { walkLog } from './log-scans.js';

/** Maximum length of the lists of types and of actors. */
export const MAX_COUNTED = 20;

export type ActivityQuery = {
  criteria: EventCriteria;
  range: ActivityRange;
  /** Whether counts per day or week are requested. */
  buckets: boolean;
  /** Whether counts per type, or per actor, are requested. */
  byType: boolean;
  byActor: boolean;
};

type KeyedRow = ActivityRow & { key: string };

/** Which events are counted: by a key, among those that match a condition. */
type Among = { key: Prisma.Sql; among: Prisma.Sql };

/** Maximum number of groups that are aggregated. */
const MAX_GROUPS = 200_000;

/** The whole range, every bucket if requested, and in each of them every requested grouping. */
const groupingSets = ({ buckets, byType, byActor }: ActivityQuery): Prisma.Sql => {
  const periods = [Prisma.sql`key`, ...(buckets ? [Prisma.sql`key, start`] : [])];
  const sets = periods.flatMap((period) => [
    period,
    ...(byType ? [Prisma.sql`${period}, type`] : []),
    ...(byActor ? [Prisma.sql`${period}, created_by, created_by_user_id`] : []),
  ]);
  return Prisma.join(sets.map((set) => Prisma.sql`(${set})`));
};

type Portion = {
  within: Prisma.Sql;
  /** Whether lists are cut after their most frequent entries, which is right only if this is the only portion. */
  isWhole: boolean;
};

/** Counts the events of a portion of the log. */
const countPortion = (
  db: Db,
  actor: Actor,
  query: ActivityQuery,
  { key, among }: Among,
  { within, isWhole }: Portion,
): Promise<KeyedRow[]> => {
  const { criteria, range, buckets, byType, byActor } = query;
  const { from, to, by } = range;
  const start = buckets
    ? Prisma.sql`date_trunc(${by}::text, e.created_at at time zone 'UTC')`
    : Prisma.sql`null::timestamp`;
  const type = byType ? Prisma.sql`e.type` : Prisma.sql`null::text`;
  const creator = byActor
    ? Prisma.sql`e.created_by, e.created_by_user_id`
    : Prisma.sql`null::text, null::int`;
  return readRows<KeyedRow>(
    db,
    Prisma.sql`
    with counted (key, start, type, created_by, created_by_user_id, count) as (
      select ${key}, ${start}, ${type}, ${creator}, count(*)
      from events e
      where ${among} and e.created_at >= ${from} and e.created_at < ${to}
        and ${matchingEvents(actor, criteria)} and ${within}
      group by 1, 2, 3, 4, 5
    ), grouped (key, start, type, created_by, created_by_user_id, count) as (
      select key, ${buckets ? Prisma.sql`start` : Prisma.sql`null::timestamp`},
        ${byType ? Prisma.sql`type` : Prisma.sql`null::text`},
        ${byActor ? Prisma.sql`created_by, created_by_user_id` : Prisma.sql`null::text, null::int`},
        sum(count)::int
      from counted group by grouping sets (${groupingSets(query)})
    ), ranked as (
      select *, row_number() over (
        partition by key, start, type is null, created_by is null
        order by count desc, type collate "C", created_by collate "C", created_by_user_id
      ) as place
      from grouped
    )
    select key, ${milliseconds(Prisma.sql`start`)} as start, type,
      created_by as "createdBy", created_by_user_id as "createdByUserId", count
    from ranked where ${isWhole ? Prisma.sql`place <= ${MAX_COUNTED}` : Prisma.sql`true`}
    order by key, start, place`,
  );
};

const addUp = async (totals: Map<string, KeyedRow>, rows: readonly KeyedRow[]): Promise<void> => {
  await visitInSlices(rows, (row) => {
    const { key, start, type, createdBy, createdByUserId, count } = row;
    const group = JSON.stringify([key, start, type, createdBy, createdByUserId]);
    const total = totals.get(group);
    if (total) total.count += count;
    else totals.set(group, row);
  });
  if (totals.size <= MAX_GROUPS) return;
  throw BadDataError.of({
    message: `The events of this range fall into more than ${MAX_GROUPS} groups. Use a shorter range or select fewer lists.`,
  });
};

/** Byte order, like collation "C". */
const compareTexts = (one: string | null, other: string | null): number =>
  one === other ? 0 : Buffer.compare(Buffer.from(one ?? ''), Buffer.from(other ?? ''));

const compareRows = (one: KeyedRow, other: KeyedRow): number =>
  other.count - one.count ||
  compareTexts(one.type, other.type) ||
  compareTexts(one.createdBy, other.createdBy) ||
  (one.createdByUserId ?? Number.MAX_VALUE) - (other.createdByUserId ?? Number.MAX_VALUE);

/** Adds a row to a list that keeps its most frequent entries, largest first. */
const insert = (list: KeyedRow[], row: KeyedRow): void => {
  const last = list[MAX_COUNTED - 1];
  if (last && compareRows(last, row) <= 0) return;
  const position = list.findIndex((other) => compareRows(row, other) < 0);
  list.splice(position === -1 ? list.length : position, 0, row);
  list.length = Math.min(list.length, MAX_COUNTED);
};

/** The most frequent entries of each list, largest first. */
const rank = async (totals: ReadonlyMap<string, KeyedRow>): Promise<KeyedRow[]> => {
  const lists = new Map<string, KeyedRow[]>();
  await visitInSlices(totals.values(), (row) => {
    const { key, start, type, createdBy } = row;
    const name = JSON.stringify([key, start, type !== null, createdBy !== null]);
    const list = lists.get(name) ?? [];
    lists.set(name, list);
    insert(list, row);
  });
  return [...lists.values()].flat();
};

/** The IDs of a time range; IDs and timestamps need not be in the same order. */
const readIdsOf = async (db: Db, { from, to }: ActivityRange): Promise<IdRange> => {
  const [range] = await db.$queryRaw<[IdRange]>(Prisma.sql`
    select coalesce(min(id), 1) as first, coalesce(max(id), 0) as last from events
    where created_at >= ${from} and created_at < ${to}`);
  return range;
};

/** Reads the log once, in portions if that requires payloads. */
const countActivity = async (
  db: Db,
  { limiter }: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  query: ActivityQuery,
  among: Among,
): Promise<KeyedRow[]> => {
  const { criteria, range } = query;
  assertRange(range);
  assertEventCriteria(criteria);

  const count = (portion: Portion) => countPortion(db, actor, query, among, portion);
  return limiter.run(callerOf(actor), async (turn) => {
    if (isNarrow(criteria) || !readsPayloads(criteria))
      return turn(() => count({ within: Prisma.sql`true`, isWhole: true }));
    const totals = new Map<string, KeyedRow>();
    await walkLog(await turn(() => readIdsOf(db, range)), {
      turn,
      newestFirst: true,
      read: async (within) => {
        await addUp(totals, await count({ within, isWhole: false }));
        return true;
      },
    });
    return rank(totals);
  });
};

/** Counts the matching events that the actor may see, per day or week. */
export const getEventActivity = async (
  db: Db,
  cache: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  query: ActivityQuery,
): Promise<Activity> => {
  const rows = await countActivity(db, cache, actor, query, {
    key: Prisma.sql`''::text`,
    among: Prisma.sql`true`,
  });
  return toActivity(query.range, rows);
};

/** The same for many projects at once; projects without events are missing. */
export const getEventActivityOf = async (
  db: Db,
  cache: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  { projectIds, ...query }: ActivityQuery & { projectIds: readonly string[] },
): Promise<ReadonlyMap<string, Activity>> => {
  const rows = await countActivity(db, cache, actor, query, {
    key: Prisma.sql`e.project`,
    among: Prisma.sql`e.project = any(${projectIds}::text[])`,
  });
  const rowsOf = await groupInSlices(rows, ({ key }) => key);
  const activities = new Map<string, Activity>();
  await visitInSlices(rowsOf, ([id, counted]) => {
    activities.set(id, toActivity(query.range, counted));
  });
  return activities;
};
