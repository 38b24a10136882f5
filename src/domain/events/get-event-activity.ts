import type { Db, Sql } from '../../data/db.js';
import {
  type ActivityGroups,
  type ActivityOwners,
  type KeyedActivityRow,
  readActivity,
} from '../../data/events/activity.sql.js';
import { isNarrow, matchingEvents } from '../../data/events/event-conditions.sql.js';
import { readIdRange, WHOLE_LOG } from '../../data/events/id-ranges.sql.js';
import { groupInSlices } from '../../data/grouping.js';
import { visitInSlices } from '../../data/work/time-slicer.js';
import type { Actor } from '../actor.js';
import { BadDataError } from '../errors.js';
import { callerOf } from '../scan-limiter.js';
import { type ActivityRange, assertRange } from './activity-range.js';
import { type Activity, toActivity } from './event-activity.js';
import { assertEventCriteria, type EventCriteria, readsPayloads } from './event-criteria.js';
import type { EventLogCache } from './event-log-cache.js';
import { walkLog } from './log-scans.js';

/** Maximum length of the lists of types and of actors. */
const MAX_COUNTED = 20;

export type { ActivityOwners };

export type ActivityQuery = ActivityGroups & { criteria: EventCriteria; range: ActivityRange };

/** Maximum number of groups that are aggregated. */
const MAX_GROUPS = 200_000;

const addUp = async (
  totals: Map<string, KeyedActivityRow>,
  rows: readonly KeyedActivityRow[],
): Promise<void> => {
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

const compareRows = (one: KeyedActivityRow, other: KeyedActivityRow): number =>
  other.count - one.count ||
  compareTexts(one.type, other.type) ||
  compareTexts(one.createdBy, other.createdBy) ||
  (one.createdByUserId ?? Number.MAX_VALUE) - (other.createdByUserId ?? Number.MAX_VALUE);

/** Adds a row to a list that keeps its most frequent entries, largest first. */
const insert = (list: KeyedActivityRow[], row: KeyedActivityRow): void => {
  const last = list[MAX_COUNTED - 1];
  if (last && compareRows(last, row) <= 0) return;
  const position = list.findIndex((other) => compareRows(row, other) < 0);
  list.splice(position === -1 ? list.length : position, 0, row);
  list.length = Math.min(list.length, MAX_COUNTED);
};

/** The most frequent entries of each list, largest first. */
const rank = async (totals: ReadonlyMap<string, KeyedActivityRow>): Promise<KeyedActivityRow[]> => {
  const lists = new Map<string, KeyedActivityRow[]>();
  await visitInSlices(totals.values(), (row) => {
    const { key, start, type, createdBy } = row;
    const name = JSON.stringify([key, start, type !== null, createdBy !== null]);
    const list = lists.get(name) ?? [];
    lists.set(name, list);
    insert(list, row);
  });
  return [...lists.values()].flat();
};

/** Reads the log once, in portions if that requires payloads. */
const countActivity = async (
  db: Db,
  { limiter }: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  query: ActivityQuery,
  owners: ActivityOwners | null,
): Promise<KeyedActivityRow[]> => {
  const { criteria, range: times, ...groups } = query;
  assertRange(times);
  assertEventCriteria(criteria);

  const matching = matchingEvents(actor, criteria);
  const count = (range: Sql, top: number | null) =>
    readActivity(db, { matching, times, groups, owners, range, top });
  return limiter.run(callerOf(actor), async (turn) => {
    if (isNarrow(criteria) || !readsPayloads(criteria))
      return turn(() => count(WHOLE_LOG, MAX_COUNTED));
    const totals = new Map<string, KeyedActivityRow>();
    await walkLog(await turn(() => readIdRange(db, times)), {
      turn,
      newestFirst: true,
      read: async (range) => {
        // Lists are cut only when all their portions are added up.
        await addUp(totals, await count(range, null));
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
  const rows = await countActivity(db, cache, actor, query, null);
  return toActivity(query.range, rows);
};

/** The same for many projects or features at once; those without events are missing. */
export const getEventActivityOf = async (
  db: Db,
  cache: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  { owner, keys, ...query }: ActivityQuery & ActivityOwners,
): Promise<ReadonlyMap<string, Activity>> => {
  const rows = await countActivity(db, cache, actor, query, { owner, keys });
  const rowsOf = await groupInSlices(rows, ({ key }) => key);
  const activities = new Map<string, Activity>();
  await visitInSlices(rowsOf, ([id, counted]) => {
    activities.set(id, toActivity(query.range, counted));
  });
  return activities;
};
