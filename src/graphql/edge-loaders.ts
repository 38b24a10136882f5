import type { Actor } from '../domain/actor.js';
import type { EventCriteria } from '../domain/events/event-criteria.js';
import type { EventFacet, FacetCount } from '../domain/events/event-facets.js';
import { searchFacet } from '../domain/events/facet-pages.js';
import type {
  FeatureCriteria,
  FeaturePageQuery,
  ListedFeature,
} from '../domain/features/list-features.js';
import type { IntegrationEventCriteria } from '../domain/integrations/list-integration-events.js';
import type { Operations } from '../domain/operations.js';
import type { KeysetPage, Slice } from '../domain/paging.js';
import type { CleanUpReason } from '../domain/projects/clean-up/clean-up-reasons.js';
import type { IntegrationEventRow } from '../domain/rows.js';
import type {
  SegmentStrategy,
  StrategyPlace,
} from '../domain/segments/list-strategies-of-segments.js';
import { EMPTY, loadersByArguments } from './argument-loaders.js';

/** Facets that are selected together are counted together, and each is searched once for each text. */
const facetLoaders = (operations: Operations, actor: Actor) => {
  const countsOf = loadersByArguments<
    EventFacet,
    { criteria: EventCriteria },
    readonly FacetCount[]
  >((args) => (facets) => operations.countEventFacets(actor, { ...args, facets }), []);
  return loadersByArguments<
    EventFacet,
    { criteria: EventCriteria; search: string | null },
    readonly FacetCount[]
  >(
    ({ criteria, search }) =>
      async (facets) => {
        const read = async (facet: EventFacet) =>
          [facet, await searchFacet(await countsOf({ criteria }, facet), search)] as const;
        return new Map(await Promise.all(facets.map(read)));
      },
    [],
  );
};

/** Reads that lead from one object to others, batched over the objects. */
export const createEdgeLoaders = (operations: Operations, actor: Actor) => ({
  eventFacet: facetLoaders(operations, actor),
  deliveriesOfEvent: loadersByArguments<
    number,
    { criteria: IntegrationEventCriteria; page: KeysetPage<bigint> },
    Slice<IntegrationEventRow>
  >((args) => (eventIds) => operations.listDeliveriesOfEvents(actor, { ...args, eventIds }), EMPTY),
  countDeliveriesOfEvent: loadersByArguments<
    number,
    { criteria: IntegrationEventCriteria; upTo?: number | undefined },
    number
  >((args) => (eventIds) => operations.countDeliveriesOfEvents(actor, { ...args, eventIds }), 0),
  featuresOfEnvironment: loadersByArguments<string, FeaturePageQuery, Slice<ListedFeature>>(
    (args) => (environmentNames) =>
      operations.listFeaturesOfEnvironments(actor, { ...args, environmentNames }),
    EMPTY,
  ),
  countFeaturesOfEnvironment: loadersByArguments<
    string,
    { criteria: FeatureCriteria; upTo?: number | undefined },
    number
  >(
    (args) => (environmentNames) =>
      operations.countFeaturesOfEnvironments(actor, { ...args, environmentNames }),
    0,
  ),
  strategiesOfSegment: loadersByArguments<
    number,
    { page: KeysetPage<StrategyPlace> },
    Slice<SegmentStrategy>
  >(
    (args) => (segmentIds) => operations.listStrategiesOfSegments(actor, { ...args, segmentIds }),
    EMPTY,
  ),
  countStrategiesOfSegment: loadersByArguments<number, { upTo?: number | undefined }, number>(
    (args) => (segmentIds) => operations.countStrategiesOfSegments(actor, { ...args, segmentIds }),
    0,
  ),
  cleanUpReasonsOf: loadersByArguments<
    string,
    { notSeenForDays: number },
    readonly CleanUpReason[]
  >((args) => (names) => operations.listCleanUpReasonsOf(actor, { ...args, names }), []),
});
