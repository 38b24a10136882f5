import { createHash } from 'node:crypto';
import type { Db } from '../../data/db.js';
import { isNarrow, matchingEvents } from '../../data/events/event-conditions.sql.js';
import {
  EVENT_FACETS,
  type EventFacet,
  type FacetRow,
  readFacets,
  readFacetsAfter,
} from '../../data/events/event-facets.sql.js';
import { groupInSlices } from '../../data/grouping.js';
import type { Actor } from '../actor.js';
import { BadDataError } from '../errors.js';
import { callerOf } from '../scan-limiter.js';
import type { CacheableQuery } from './cacheable-query.js';
import {
  assertEventCriteria,
  type EventCriteria,
  readsAuthors,
  readsPayloads,
} from './event-criteria.js';
import type { EventLogCache } from './event-log-cache.js';
import { needsScan } from './event-matches.js';
import { sortFacet } from './facet-pages.js';

export type { EventFacet };

/** A value that matching events have, and their number. */
export type FacetCount = Omit<FacetRow, 'facet'>;

/** Maximum number of distinct values of all facets of a query. */
const MAX_VALUES = 40_000;

type Counts = ReadonlyMap<string, FacetRow>;

const assertFew = (count: number): void => {
  if (count <= MAX_VALUES) return;
  throw BadDataError.of({
    message: `The matching events have more than ${MAX_VALUES} distinct values. Narrow the filter, for example to a project or a time range, or select fewer facets.`,
  });
};

const keyOf = ({ facet, value, userId }: FacetRow): string => `${facet}/${userId ?? ''}/${value}`;

const toCounts = (rows: readonly FacetRow[]): Counts => {
  assertFew(rows.length);
  return new Map(rows.map((row) => [keyOf(row), row]));
};

const merge = (older: Counts, newer: Counts): Counts => {
  if (newer.size === 0) return older;
  const sums = new Map(older);
  for (const [key, row] of newer) {
    const known = sums.get(key);
    sums.set(key, known ? { ...known, count: known.count + row.count } : row);
  }
  assertFew(sums.size);
  return sums;
};

type SortedFacets = ReadonlyMap<EventFacet, readonly FacetCount[]>;

/** Counts stay the same until the log changes, so requests share their order. */
const known = new WeakMap<Counts, SortedFacets>();

const sort = async (counts: Counts): Promise<SortedFacets> => {
  const found = known.get(counts);
  if (found) return found;
  const valuesOf = await groupInSlices([...counts.values()], ({ facet }) => facet);
  const sorted = new Map<EventFacet, readonly FacetCount[]>();
  for (const [facet, values] of valuesOf) sorted.set(facet, await sortFacet(values));
  known.set(counts, sorted);
  return sorted;
};

/** In a fixed order, so that equal sets of facets share a cache entry. */
const inOrder = (facets: readonly EventFacet[]): EventFacet[] =>
  EVENT_FACETS.filter((facet) => facets.includes(facet));

/** Whether the log is read in portions. An index on timestamps leads to the events of a time range. */
const isScan = async (db: Db, criteria: EventCriteria): Promise<boolean> => {
  if (isNarrow(criteria)) return false;
  return readsPayloads(criteria) ? needsScan(db, criteria) : criteria.from === undefined;
};

/**
 * Counts the events per value of each facet, most frequent first, in one pass over the log; values of the settled part
 * are cached.
 */
export const countEventFacets = async (
  db: Db,
  cache: EventLogCache,
  actor: Actor,
  { criteria, facets }: { criteria: EventCriteria; facets: readonly EventFacet[] },
): Promise<SortedFacets> => {
  assertEventCriteria(criteria);

  const selected = inOrder(facets);
  const select = { facets: selected, matching: matchingEvents(actor, criteria) };
  const { seesAllEvents, visibleProjects } = actor;
  const query: CacheableQuery<Counts> = {
    key: `facets ${createHash('sha256')
      .update(JSON.stringify([seesAllEvents, visibleProjects, criteria, selected]))
      .digest('base64')}`,
    read: async (range) => toCounts(await readFacets(db, select, range)),
    merge,
    nothing: new Map(),
    weigh: ({ size }) => size,
    needsScan: async () => isScan(db, criteria),
    callers: callerOf(actor),
    readsAuthors: selected.includes('authors') || readsAuthors(criteria),
  };
  const counts = await cache.query(query, async ({ upTo, value }) => {
    const { mark, rows } = await readFacetsAfter(db, select, upTo);
    return { mark, result: merge(value, toCounts(rows)) };
  });
  return sort(counts);
};
