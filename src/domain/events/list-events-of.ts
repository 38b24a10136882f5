import type { Db } from '../../data/db.js';
import { matchingEvents } from '../../data/events/event-conditions.sql.js';
import {
  type EventOwner,
  featureEnvironmentKey,
  type KeyedEvent,
  readPagesOf,
} from '../../data/events/event-owners.sql.js';
import type { EventRow } from '../../data/events/event-rows.sql.js';
import { readIdRange, recentIds, WHOLE_LOG } from '../../data/events/id-ranges.sql.js';
import { groupBy } from '../../data/grouping.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { callerOf, type Turn } from '../scan-limiter.js';
import { assertEventCriteria, type EventCriteria, readsPayloads } from './event-criteria.js';
import type { EventLogCache } from './event-log-cache.js';
import { needsScan } from './event-matches.js';
import { walkLog } from './log-scans.js';

export { type EventOwner, featureEnvironmentKey };

type OwnersPage = {
  owner: EventOwner;
  keys: readonly string[];
  criteria: EventCriteria;
  page: KeysetPage<number>;
  hasPayload?: boolean;
};

/** Up to this many features are looked up by index, whatever the criteria. */
const FEW_FEATURES = 20;
/** All events of so many features are a large part of the log. */
const MANY_FEATURES = 100;

/** Whether many events may be read to find a few: those that meet a condition may be rare. */
export const mayScan = ({
  owner,
  keys,
  criteria,
}: Pick<OwnersPage, 'owner' | 'keys' | 'criteria'>): boolean => {
  const conditions = Object.keys(criteria);
  // Groups may have no index, and the last event of a user may be old.
  if (owner === 'group' || owner === 'user') return true;
  if (owner === 'project') return conditions.length > 0;
  return keys.length > MANY_FEATURES && conditions.some((name) => name !== 'types');
};

/** Whether one search finds the events of all owners: in ID order, many may be read to find one of a user. */
const isFoundTogether = (owner: EventOwner): boolean => owner === 'group' || owner === 'user';

const readPages = (
  db: Db,
  actor: Actor,
  { criteria, hasPayload = true, ...query }: OwnersPage,
  { range = WHOLE_LOG, isByHits = false } = {},
): Promise<KeyedEvent[]> =>
  readPagesOf(db, {
    ...query,
    matching: matchingEvents(actor, criteria),
    range,
    hasPayload,
    isByHits,
  });

/** Common matches are found among the newest events; an index finds the rest. */
const readByIndex = async (
  db: Db,
  actor: Actor,
  turn: Turn,
  query: OwnersPage,
): Promise<KeyedEvent[]> => {
  const { keys, page } = query;
  const near = page.backward
    ? []
    : await turn(() =>
        readPages(db, actor, query, {
          range: recentIds(page.after),
          isByHits: isFoundTogether(query.owner),
        }),
      );
  const rowsOf = groupBy(near, ({ key }) => key);
  const open = keys.filter((key) => (rowsOf.get(key)?.length ?? 0) <= page.limit);
  if (open.length === 0) return near;
  const isOpen = new Set(open);
  const found = await turn(() =>
    readPages(db, actor, { ...query, keys: open }, { isByHits: true }),
  );
  return [...near.filter(({ key }) => !isOpen.has(key)), ...found];
};

/** Walks the log from the start of the pages until all of them are full. */
const walkToPages = async (
  db: Db,
  actor: Actor,
  turn: Turn,
  query: OwnersPage,
): Promise<KeyedEvent[]> => {
  const { keys, page } = query;
  const { after = Number.POSITIVE_INFINITY, before = Number.NEGATIVE_INFINITY } = page;
  const { first, last } = await turn(() => readIdRange(db));
  const rows: KeyedEvent[] = [];
  const countOf = new Map<string, number>();
  let open = keys;
  await walkLog(
    { first: Math.max(first, before + 1), last: Math.min(last, after - 1) },
    {
      turn,
      newestFirst: !page.backward,
      read: async (range) => {
        for (const row of await readPages(
          db,
          actor,
          { ...query, keys: open },
          { range, isByHits: isFoundTogether(query.owner) },
        )) {
          const count = (countOf.get(row.key) ?? 0) + 1;
          countOf.set(row.key, count);
          if (count <= page.limit + 1) rows.push(row);
        }
        open = open.filter((key) => (countOf.get(key) ?? 0) <= page.limit);
        return open.length > 0;
      },
    },
  );
  return rows;
};

/** One page of events for each owner; in one statement if an index leads to them. */
export const listEventsOf = async (
  db: Db,
  { limiter }: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  query: OwnersPage,
): Promise<ReadonlyMap<string, Slice<EventRow>>> => {
  const { owner, keys, criteria, page } = query;
  assertEventCriteria(criteria);

  const isOfFeature = owner === 'feature' || owner === 'featureEnvironment';
  const isFew = isOfFeature && keys.length <= FEW_FEATURES;
  const isSearch = readsPayloads(criteria) && !isFew;
  const isScan = mayScan(query);
  const search = async (turn: Turn) => {
    // Groups are small: one scan finds the events of all of them.
    const isByHits = owner === 'group';
    if (!isSearch && owner !== 'user') return turn(() => readPages(db, actor, query, { isByHits }));
    return isSearch && (await needsScan(db, criteria))
      ? walkToPages(db, actor, turn, query)
      : readByIndex(db, actor, turn, query);
  };
  const rows =
    isSearch || isScan
      ? await limiter.run(callerOf(actor), search)
      : await readPages(db, actor, query);

  const rowsOf = groupBy(rows, (row) => row.key);
  return new Map(keys.map((key) => [key, sliceOf<EventRow>(rowsOf.get(key) ?? [], page)]));
};
