import { createHash } from 'node:crypto';
import type { Db } from '../../data/db.js';
import {
  isNarrow,
  matchingEvents,
  narrowCondition,
} from '../../data/events/event-conditions.sql.js';
import {
  type Candidates,
  countAmongFew,
  countMatchesAfter,
  type KnownSearch,
  type Matches,
  readMatches,
} from '../../data/events/event-matches.sql.js';
import { hasTextIndex } from '../../data/events/log-facts.sql.js';
import type { Actor } from '../actor.js';
import { callerOf } from '../scan-limiter.js';
import type { CacheableQuery, CachedValue } from './cacheable-query.js';
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

export const NO_MATCHES: Matches = { count: 0, oldest: null, newest: null, ids: null };

const keyOf = ({ seesAllEvents, visibleProjects }: Actor, criteria: EventCriteria): string =>
  createHash('sha256')
    .update(JSON.stringify([seesAllEvents, visibleProjects, criteria]))
    .digest('base64');

/** A text index stores trigrams, and a single trigram occurs in most payloads. */
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

export const mergeMatches = (older: Matches, newer: Matches): Matches => ({
  count: older.count + newer.count,
  oldest: older.oldest ?? newer.oldest,
  newest: newer.newest ?? older.newest,
  ids: mergeIds(older.ids, newer.ids),
});

/** The cacheable part of a search: independent of the page, and of the caller except for what it may see. */
export const matchesOf = (
  db: Db,
  actor: Actor,
  criteria: EventCriteria,
): CacheableQuery<Matches> => {
  const isText = readsPayloads(criteria);
  return {
    key: keyOf(actor, criteria),
    read: (range) => {
      const matching = matchingEvents(actor, criteria);
      return readMatches(db, { matching, range, maxIds: isText ? FEW : null });
    },
    merge: mergeMatches,
    nothing: isText ? { ...NO_MATCHES, ids: [] } : NO_MATCHES,
    weigh: (matches) => matches.ids?.length ?? 0,
    ...((isText || isExclusion(criteria)) && { needsScan: () => needsScan(db, criteria) }),
    callers: callerOf(actor),
    readsAuthors: readsAuthors(criteria),
  };
};

/** Null if no index leads to the matches. */
export const candidatesOf = (actor: Actor, criteria: EventCriteria): Candidates | null => {
  const isIndexed = !readsPayloads(criteria) && !readsGroups(criteria);
  const narrow = isIndexed ? narrowCondition(criteria) : null;
  return narrow && { narrow, matching: matchingEvents(actor, criteria) };
};

export const knownSearch = <Value extends Matches>(
  actor: Actor,
  criteria: EventCriteria,
  known: CachedValue<Value>,
): KnownSearch<Value> => ({
  matching: matchingEvents(actor, criteria),
  isText: readsPayloads(criteria),
  known,
});

export const countEvents = async (
  db: Db,
  cache: EventLogCache,
  actor: Actor,
  criteria: EventCriteria,
): Promise<number> => {
  assertEventCriteria(criteria);

  const query = matchesOf(db, actor, criteria);
  const candidates = cache.has(query) ? null : candidatesOf(actor, criteria);
  if (candidates) {
    const { count } = await cache.log.readCurrent(() => countAmongFew(db, candidates));
    if (count !== null) return count;
  }
  return cache.query(query, async ({ upTo, value }) => {
    const { count, mark } = await countMatchesAfter(db, matchingEvents(actor, criteria), upTo);
    return { mark, result: value.count + count };
  });
};
