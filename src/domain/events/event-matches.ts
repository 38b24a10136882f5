import { createHash } from 'node:crypto';
import { type Db, Prisma } from '../../data/db.js';
import {
  isNarrow,
  matchingEvents,
  narrowCondition,
} from '../../data/events/event-conditions.sql.js';
import { SERVER_EPOCH } from '../../data/server-epoch.js';
import type { Actor } from '../actor.js';
import { callerOf } from '../scan-limiter.js';
import { type CacheableQuery, type CachedValue, newerThan } from './cacheable-query.js';
import {
  assertEventCriteria,
  type EventCriteria,
  isExclusion,
  readsAuthors,
  readsGroups,
  readsPayloads,
  textsOfAll,
} from './event-criteria.js';
import type { EventLogCache } from './event-log-cache.js';
import { LOG_EPOCH } from './settled-log.js';

/** Number and ID range of the matching events. */
export type Matches = {
  count: number;
  oldest: number | null;
  newest: number | null;
  /** All IDs, newest first, if a text matches only a few events. */
  ids: readonly number[] | null;
};

/** Up to this many matches of a text are cached individually. */
const FEW = 10_000;

/** Accepts IDs in either order. */
export const matchesAmong = (ids: readonly number[]): Matches => {
  const newestFirst = ids.toSorted((one, other) => other - one);
  return {
    count: ids.length,
    oldest: newestFirst.at(-1) ?? null,
    newest: newestFirst[0] ?? null,
    ids: newestFirst.length > FEW ? null : newestFirst,
  };
};

/** Whether a page of these matches may read many payloads. */
export const isHeavyMatch =
  (criteria: EventCriteria) =>
  ({ ids }: Matches): boolean =>
    readsPayloads(criteria) && ids === null;

const NOTHING: Matches = { count: 0, oldest: null, newest: null, ids: null };

const keyOf = ({ seesAllEvents, visibleProjects }: Actor, criteria: EventCriteria): string =>
  createHash('sha256')
    .update(JSON.stringify([seesAllEvents, visibleProjects, criteria]))
    .digest('base64');

/** Any GIN or GiST index counts as a text index; the recommended one is of this kind. */
const hasTextIndex = async (db: Db): Promise<boolean> => {
  const [{ has }] = await db.$queryRaw<[{ has: boolean }]>(Prisma.sql`
    select exists (
      select from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
      where i.indrelid = 'events'::regclass and i.indisvalid and a.amname in ('gin', 'gist')
    ) as has`);
  return has;
};

/** Such an index stores trigrams, and a single trigram occurs in most payloads. */
const MIN_INDEXED_LENGTH = 4;

/** Whether no index leads to the matches. A text index is of no use if events without the text can match. */
export const needsScan = async (db: Db, criteria: EventCriteria): Promise<boolean> =>
  !isNarrow(criteria) &&
  (textsOfAll(criteria).every((text) => text.length < MIN_INDEXED_LENGTH) ||
    !(await hasTextIndex(db)));

const mergeIds = (older: Matches['ids'], newer: Matches['ids']): Matches['ids'] => {
  if (!older || !newer || older.length + newer.length > FEW) return null;
  return newer.length === 0 ? older : [...newer, ...older];
};

/** The cacheable part of a search: independent of the page, and of the caller except for what it may see. */
export const matchesOf = (
  db: Db,
  actor: Actor,
  criteria: EventCriteria,
): CacheableQuery<Matches> => {
  const isText = readsPayloads(criteria);
  const ids = isText
    ? Prisma.sql`(array_agg(e.id order by e.id desc))[:${FEW + 1}]`
    : Prisma.sql`null`;
  return {
    key: keyOf(actor, criteria),
    read: async (range) => {
      const [{ matches }] = await db.$queryRaw<[{ matches: string }]>(Prisma.sql`
        select json_build_object('count', count(*), 'oldest', min(e.id), 'newest', max(e.id), 'ids', ${ids})::text
          as matches from events e where ${matchingEvents(actor, criteria)} and ${range}`);
      const found: Matches = JSON.parse(matches);
      if (isText && found.count <= FEW) return { ...found, ids: found.ids ?? [] };
      return { ...found, ids: null };
    },
    merge: (older, newer) => ({
      count: older.count + newer.count,
      oldest: older.oldest ?? newer.oldest,
      newest: newer.newest ?? older.newest,
      ids: mergeIds(older.ids, newer.ids),
    }),
    nothing: isText ? { ...NOTHING, ids: [] } : NOTHING,
    weigh: (matches) => matches.ids?.length ?? 0,
    ...((isText || isExclusion(criteria)) && { needsScan: () => needsScan(db, criteria) }),
    callers: callerOf(actor),
    readsAuthors: readsAuthors(criteria),
  };
};

/** Events that are counted directly: caching their number would take longer. */
const FEW_CANDIDATES = 2_000;

/** The matches, if an index leads to few events. */
export type FewMatches = {
  /** The number of matches. Null if the index leads to many events, and `from` is incomplete. */
  count: Prisma.Sql;
  /** The matches (alias `e`), for `selectEvents`. */
  from: Prisma.Sql;
};

const CONDITION_COLUMNS = Prisma.sql`e.id, e.type, e.created_by, e.created_at, e.created_by_user_id, e.feature_name,
  e.project, e.environment`;
const ALL_COLUMNS = Prisma.sql`${CONDITION_COLUMNS}, e.ip, e.data, e.pre_data, e.tags, group_type, group_id`;

/** Null if no index leads to the matches. */
export const matchesAmongFew = (actor: Actor, criteria: EventCriteria): FewMatches | null => {
  const isIndexed = !readsPayloads(criteria) && !readsGroups(criteria);
  const narrow = isIndexed ? narrowCondition(criteria) : null;
  if (!narrow) return null;
  const matching = matchingEvents(actor, criteria);
  const candidates = (columns: Prisma.Sql) =>
    Prisma.sql`(select ${columns} from events e where ${narrow} limit ${FEW_CANDIDATES + 1}) e`;
  return {
    count: Prisma.sql`(
      select case when count(*) <= ${FEW_CANDIDATES} then count(*) filter (where ${matching}) end
      from ${candidates(CONDITION_COLUMNS)})`,
    from: Prisma.sql`from ${candidates(ALL_COLUMNS)} where ${matching}`,
  };
};

/** CTEs for a page of matches: `newer` summarizes matches newer than the cached ones, `hits` lists those of a text. */
export const newerMatches = (
  actor: Actor,
  criteria: EventCriteria,
  known: CachedValue<Matches>,
): Prisma.Sql => {
  const found = Prisma.sql`from events e where ${matchingEvents(actor, criteria)} and ${newerThan(known)}`;
  return readsPayloads(criteria)
    ? Prisma.sql`with hits as materialized (select e.id ${found}),
        newer as materialized (select count(*) as count, max(id) as newest from hits)`
    : Prisma.sql`with newer as materialized (select count(*) as count, max(e.id) as newest ${found})`;
};

/** All matches, if they are known individually. */
export const fewMatches = ({ value }: CachedValue<Matches>): Prisma.Sql | null =>
  value.ids && Prisma.sql`(select unnest(${value.ids}::int[]) as id union all select id from hits)`;

/** An ID range that contains every match. */
export const withinMatches = ({ value, upTo }: CachedValue<Matches>): Prisma.Sql => {
  const first = value.oldest ?? upTo;
  return Prisma.sql`e.id <= coalesce(newer.newest, ${value.newest}::int)
    ${first === null ? Prisma.empty : Prisma.sql`and e.id >= ${first}`}`;
};

/** Null if the matches are not among few events. */
const countFew = async (
  db: Db,
  { log }: EventLogCache,
  actor: Actor,
  criteria: EventCriteria,
): Promise<number | null> => {
  const few = matchesAmongFew(actor, criteria);
  if (!few) return null;
  const found = await log.readCurrent(async () => {
    const [row] = await db.$queryRaw<[{ count: bigint | null; mark: string }]>(
      Prisma.sql`select ${few.count} as count, ${SERVER_EPOCH} as mark`,
    );
    return row;
  });
  return found.count === null ? null : Number(found.count);
};

export const countEvents = async (
  db: Db,
  cache: EventLogCache,
  actor: Actor,
  criteria: EventCriteria,
): Promise<number> => {
  assertEventCriteria(criteria);

  const query = matchesOf(db, actor, criteria);
  const few = cache.has(query) ? null : await countFew(db, cache, actor, criteria);
  if (few !== null) return few;
  return cache.query(query, async (known) => {
    const [row] = await db.$queryRaw<[{ count: bigint; mark: string }]>(Prisma.sql`
      select count(*) as count, ${LOG_EPOCH} as mark from events e
      where ${matchingEvents(actor, criteria)} and ${newerThan(known)}`);
    return { mark: row.mark, result: known.value.count + Number(row.count) };
  });
};
