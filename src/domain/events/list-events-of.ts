import { type Db, Prisma } from '../../data/db.js';
import { matchingEvents } from '../../data/events/event-conditions.sql.js';
import { type EventRow, eventColumns, readEvents } from '../../data/events/event-rows.sql.js';
import { groupBy } from '../../data/grouping.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { callerOf, type Turn } from '../scan-limiter.js';
import { assertEventCriteria, type EventCriteria, readsPayloads } from './event-criteria.js';
import type { EventLogCache } from './event-log-cache.js';
import { needsScan } from './event-matches.js';
import { eventPage, RECENT_ID_RANGE } from './list-events.js';
import { readIdRange, walkLog } from './log-scans.js';

export type EventOwner = 'feature' | 'project' | 'group';

const COLUMNS: Readonly<Record<EventOwner, Prisma.Sql>> = {
  feature: Prisma.sql`e.feature_name`,
  project: Prisma.sql`e.project`,
  // No alias, because some Unleash versions lack the column.
  group: Prisma.sql`group_id`,
};

export const ownerColumn = (owner: EventOwner): Prisma.Sql => COLUMNS[owner];

/** All matches of all owners, searched once. */
const hitsOf = (owner: EventOwner, keys: readonly string[], matching: Prisma.Sql) => Prisma.sql`
    with hits as materialized (
      select ${ownerColumn(owner)} as key, e.id from events e
      where ${ownerColumn(owner)} = any(${keys}::text[]) and ${matching}
    )`;

type OwnersPage = {
  owner: EventOwner;
  keys: readonly string[];
  criteria: EventCriteria;
  page: KeysetPage<number>;
  hasPayload?: boolean;
};

type KeyedEvent = EventRow & { key: string };

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
  // Groups may have no index.
  if (owner === 'group') return true;
  if (owner === 'project') return conditions.length > 0;
  return keys.length > MANY_FEATURES && conditions.some((name) => name !== 'types');
};

type ReadOptions = {
  range?: Prisma.Sql;
  /** Finds all matches before the pages; otherwise each page is read in ID order until it is full. */
  isByHits?: boolean;
};

const readPages = (
  db: Db,
  actor: Actor,
  { owner, keys, criteria, page, hasPayload = true }: OwnersPage,
  { range = Prisma.sql`true`, isByHits = false }: ReadOptions = {},
): Promise<KeyedEvent[]> => {
  const { bounds, order } = eventPage(page);
  const matching = Prisma.sql`${matchingEvents(actor, criteria)} and ${range} ${bounds}`;
  return readEvents<KeyedEvent>(
    db,
    Prisma.sql`
    ${isByHits ? hitsOf(owner, keys, matching) : Prisma.empty}
    select owner.key, page.* from unnest(${keys}::text[]) as owner(key)
    cross join lateral (
      select ${eventColumns(hasPayload)} from events e
      where ${
        isByHits
          ? Prisma.sql`e.id in (select e.id from hits e where e.key = owner.key ${order})`
          : Prisma.sql`${ownerColumn(owner)} = owner.key and ${matching}`
      } ${order}
    ) page order by page.id ${page.backward ? Prisma.sql`asc` : Prisma.sql`desc`}`,
  );
};

/** Common matches are found among the newest events; the text index finds the rest. */
const readByIndex = async (
  db: Db,
  actor: Actor,
  turn: Turn,
  query: OwnersPage,
): Promise<KeyedEvent[]> => {
  const { keys, page } = query;
  const from =
    page.after === undefined
      ? Prisma.sql`(select max(id) - ${RECENT_ID_RANGE}::int from events)`
      : Prisma.sql`${page.after - RECENT_ID_RANGE}`;
  const near = page.backward
    ? []
    : await turn(() => readPages(db, actor, query, { range: Prisma.sql`e.id > ${from}` }));
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
          { range, isByHits: query.owner === 'group' },
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

/** One page of events for each feature, project or group; in one statement if an index leads to them. */
export const listEventsOf = async (
  db: Db,
  { limiter }: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  query: OwnersPage,
): Promise<ReadonlyMap<string, Slice<EventRow>>> => {
  const { owner, keys, criteria, page } = query;
  assertEventCriteria(criteria);

  const isFew = owner === 'feature' && keys.length <= FEW_FEATURES;
  const isSearch = readsPayloads(criteria) && !isFew;
  const isScan = mayScan(query);
  const search = async (turn: Turn) => {
    // Groups are small: one scan finds the events of all of them.
    const isByHits = owner === 'group';
    if (!isSearch) return turn(() => readPages(db, actor, query, { isByHits }));
    return (await needsScan(db, criteria))
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
