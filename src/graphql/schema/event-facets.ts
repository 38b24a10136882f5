import { SHORT_TEXT_COST } from '../../domain/cost.js';
import type { EventCriteria } from '../../domain/events/event-criteria.js';
import type { EventFacet, FacetCount } from '../../domain/events/event-facets.js';
import { type FacetPlace, facetPlaceOf, sliceFacet } from '../../domain/events/facet-pages.js';
import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import { builder } from '../builder.js';
import {
  type CursorKey,
  type PageArgs,
  pageArgs,
  pageCost,
  parsePage,
  searchCost,
} from '../connection.js';
import type { Context } from '../context.js';
import { EventTypeCount } from './activity.js';
import { filterArg } from './event-connection.js';
import {
  EventAuthorCountConnection,
  EventEnvironmentCount,
  EventFeatureCountConnection,
  EventProjectCountConnection,
  toAuthorCount,
} from './event-facet-counts.js';
import { readEventFilter } from './event-filter.js';
import { searchArg } from './search-arg.js';

/** A facet may read the whole log, once; the result is cached, and sorted once. */
const FACET_COST = 200;
const MAX_ENVIRONMENTS = 100;
const MAX_TYPES = 1_000;

/** Encoded as `count,userId,value`; the value comes last because it can contain commas. */
const keyOf = <Row extends FacetCount>(facet: EventFacet): CursorKey<Row, FacetPlace> => ({
  kind: `facet:${facet}`,
  keyOf: facetPlaceOf,
  parse: (text) => {
    const [, count, userId, value] = /^(\d{1,10}),(-?\d{1,10})?,(.*)$/s.exec(text) ?? [];
    if (count === undefined || value === undefined) return null;
    return [Number(count), userId === undefined ? null : Number(userId), value];
  },
});

type Facets = { criteria: EventCriteria };

const pagedFacet = async <Row extends FacetCount>(
  facet: EventFacet,
  toRow: (count: FacetCount) => Row,
  { criteria }: Facets,
  { search = null, ...args }: PageArgs & { search?: string | null | undefined },
  { pages }: Context,
) => {
  const { page, toConnection } = parsePage(args, {
    key: keyOf<Row>(facet),
    filter: [criteria, search],
    max: MAX_LIST_LIMIT,
  });
  const found = await pages.eventFacet({ criteria, search }, facet);
  const { rows, hasMore } = sliceFacet(found, page);
  return {
    ...toConnection({ rows: rows.map(toRow), hasMore }),
    countTotal: async (upTo = Number.POSITIVE_INFINITY) => Math.min(upTo, found.length),
  };
};

const itself = (count: FacetCount) => count;

const listedFacet = async (
  facet: EventFacet,
  { criteria }: Facets,
  { pages }: Context,
  max: number,
) => (await pages.eventFacet({ criteria, search: null }, facet)).slice(0, max);

const facetCost = (args: PageArgs & { search?: string | null | undefined }) => ({
  ...pageCost(args),
  field: FACET_COST + (args.search ? SHORT_TEXT_COST : 0),
});

const EventFacets = builder.objectRef<Facets>('EventFacets').implement({
  description:
    'The distinct values of events and how many events have each, to fill the filters of an event log. Values of deleted objects are included.',
  fields: (t) => ({
    authors: t.field({
      type: EventAuthorCountConnection,
      description: 'Authors of the matching events, most frequent first.',
      complexity: facetCost,
      args: { ...pageArgs(t, MAX_LIST_LIMIT), search: t.arg(searchArg('`createdBy`', 'ada')) },
      resolve: (facets, args, context) =>
        pagedFacet('authors', toAuthorCount, facets, args, context),
    }),
    features: t.field({
      type: EventFeatureCountConnection,
      description: 'Features of the matching events, most frequent first.',
      complexity: facetCost,
      args: {
        ...pageArgs(t, MAX_LIST_LIMIT),
        search: t.arg(searchArg('`featureName`', 'checkout')),
      },
      resolve: (facets, args, context) => pagedFacet('features', itself, facets, args, context),
    }),
    projects: t.field({
      type: EventProjectCountConnection,
      description: 'Projects of the matching events, most frequent first.',
      complexity: facetCost,
      args: { ...pageArgs(t, MAX_LIST_LIMIT), search: t.arg(searchArg('`projectId`', 'pay')) },
      resolve: (facets, args, context) => pagedFacet('projects', itself, facets, args, context),
    }),
    environments: t.field({
      type: [EventEnvironmentCount],
      description: `Environments of the matching events, most frequent first. At most ${MAX_ENVIRONMENTS}.`,
      complexity: { field: FACET_COST, multiplier: 10 },
      resolve: (facets, _args, context) =>
        listedFacet('environments', facets, context, MAX_ENVIRONMENTS),
    }),
    types: t.field({
      type: [EventTypeCount],
      description: `Types of the matching events, most frequent first. At most ${MAX_TYPES}.`,
      complexity: { field: FACET_COST, multiplier: 100 },
      resolve: async (facets, _args, context) =>
        (await listedFacet('types', facets, context, MAX_TYPES)).map(({ value, count }) => ({
          type: value,
          count,
        })),
    }),
  }),
});

builder.queryField('eventFacets', (t) =>
  t.field({
    type: EventFacets,
    description:
      'Authors, features, projects, environments and types that occur in the matching events, with counts. Only the selected lists are computed, all in one pass over the event log.',
    args: { filter: t.arg(filterArg) },
    complexity: ({ filter }) => ({ field: searchCost({ filter }).field, multiplier: 1 }),
    resolve: (_root, { filter }, { now }) => ({ criteria: readEventFilter(filter, now) }),
  }),
);
