import type { Actor } from '../domain/actor.js';
import type { Change } from '../domain/events/changes/difference.js';
import type { Activity } from '../domain/events/event-activity.js';
import type { EventCriteria } from '../domain/events/event-criteria.js';
import type { ActivityOwners, ActivityQuery } from '../domain/events/get-event-activity.js';
import type { EventOwner } from '../domain/events/list-events-of.js';
import {
  compareEnvironments,
  type EnvironmentPair,
} from '../domain/features/compare/compare-feature.js';
import type { Comparison } from '../domain/features/compare/compare-snapshots.js';
import type {
  FeatureCriteria,
  FeaturePageQuery,
  ListedFeature,
} from '../domain/features/list-features.js';
import type { DeliveryExplanation } from '../domain/integrations/explain-delivery.js';
import type {
  DeliveryOrder,
  IntegrationEventCriteria,
} from '../domain/integrations/list-integration-events.js';
import {
  type IntegrationStats,
  NO_DELIVERIES,
} from '../domain/integrations/list-integration-stats.js';
import type { IntegrationRow } from '../domain/integrations/list-integrations.js';
import type { Operations } from '../domain/operations.js';
import type { KeysetPage, Slice } from '../domain/paging.js';
import { type CleanUpTally, EMPTY_TALLY } from '../domain/projects/clean-up/count-clean-up.js';
import type {
  CleanUpCandidate,
  CleanUpCriteria,
  CleanUpOrder,
  CleanUpPlace,
} from '../domain/projects/clean-up/list-clean-up.js';
import { getCountsByType } from '../domain/projects/get-health-report.js';
import type { FeatureTypeCount } from '../domain/projects/health.js';
import type { EventRow, IntegrationEventRow, Loaders } from '../domain/rows.js';
import { createLoader } from '../domain/work.js';
import { EMPTY, loaderOf, loadersByArguments } from './argument-loaders.js';
import { createEdgeLoaders } from './edge-loaders.js';
import { createHistoryLoaders } from './history-loaders.js';
import { createPlannedChangeLoaders, createUsageLoaders } from './usage-loaders.js';

/** Pages and counts below a list of parents, batched over those parents. */
export const createPageLoaders = (operations: Operations, actor: Actor, loaders: Loaders) => ({
  /** Once for each pair of environments, however many fields return it. */
  environmentComparisonOf: createLoader<EnvironmentPair, Comparison, string>(
    (pairs) =>
      Promise.all(
        pairs.map((pair) => compareEnvironments(loaders, pair).catch((error: Error) => error)),
      ),
    { cacheKeyFn: ({ name, from, to }) => JSON.stringify([name, from, to]) },
  ),
  /** Once for each project, however many fields return a part of them. */
  featureCountsOf: createLoader<string, readonly FeatureTypeCount[]>((projectIds) => {
    const now = new Date();
    return Promise.all(projectIds.map((id) => getCountsByType(loaders, id, now)));
  }),
  eventsOf: loadersByArguments<
    string,
    {
      owner: EventOwner;
      criteria: EventCriteria;
      page: KeysetPage<number>;
      hasPayload: boolean;
    },
    Slice<EventRow>
  >((args) => (keys) => operations.listEventsOf(actor, { ...args, keys }), EMPTY),
  countEventsOf: loadersByArguments<
    string,
    { owner: EventOwner; criteria: EventCriteria; upTo?: number | undefined },
    number
  >((args) => (keys) => operations.countEventsOf(actor, { ...args, keys }), 0),
  featuresOf: loadersByArguments<string, FeaturePageQuery, Slice<ListedFeature>>(
    (args) => (projectIds) => operations.listFeaturesOf(actor, { ...args, projectIds }),
    EMPTY,
  ),
  countFeaturesOf: loadersByArguments<
    string,
    { criteria: FeatureCriteria; upTo?: number | undefined },
    number
  >((args) => (projectIds) => operations.countFeaturesOf(actor, { ...args, projectIds }), 0),
  ...createHistoryLoaders(operations, actor),
  ...createUsageLoaders(operations, actor),
  ...createPlannedChangeLoaders(operations, actor),
  ...createEdgeLoaders(operations, actor),
  cleanUpOf: loadersByArguments<
    string,
    { criteria: CleanUpCriteria; page: KeysetPage<CleanUpPlace>; order: CleanUpOrder },
    Slice<CleanUpCandidate>
  >((args) => (projectIds) => operations.listCleanUpOf(actor, { ...args, projectIds }), EMPTY),
  countCleanUpOf: loadersByArguments<string, { criteria: CleanUpCriteria }, CleanUpTally>(
    (args) => (projectIds) => operations.countCleanUpOf(actor, { ...args, projectIds }),
    EMPTY_TALLY,
  ),
  integrationEventsOf: loadersByArguments<
    number,
    {
      criteria: IntegrationEventCriteria;
      order: DeliveryOrder;
      page: KeysetPage<readonly (string | number)[]>;
    },
    Slice<IntegrationEventRow>
  >(
    (args) => (integrationIds) =>
      operations.listIntegrationEventsOf(actor, { ...args, integrationIds }),
    EMPTY,
  ),
  countIntegrationEventsOf: loadersByArguments<
    number,
    { criteria: IntegrationEventCriteria; upTo?: number | undefined },
    number
  >(
    (args) => (integrationIds) =>
      operations.countIntegrationEventsOf(actor, { ...args, integrationIds }),
    0,
  ),
  changesOf: (() => {
    const loader = createLoader<EventRow, readonly Change[] | null, number>(
      async (events) => {
        const found = await operations.listEventChanges(actor, events);
        return events.map(({ id }) => found.get(id) ?? null);
      },
      { cacheKeyFn: ({ id }) => id },
    );
    return (event: EventRow) => loader.load(event);
  })(),
  activityOf: loadersByArguments<
    string,
    ActivityQuery & Pick<ActivityOwners, 'owner'>,
    Activity | null
  >((args) => (keys) => operations.getEventActivityOf(actor, { ...args, keys }), null),
  explainDelivery: loadersByArguments<number, { eventId: number }, DeliveryExplanation | null>(
    (args) => (integrationIds) => operations.explainDelivery(actor, { ...args, integrationIds }),
    null,
  ),
  integrationStats: loaderOf<number, IntegrationStats>(
    (ids) => operations.listIntegrationStats(actor, ids),
    NO_DELIVERIES,
  ),
  integration: loaderOf<number, IntegrationRow | null>(
    (ids) => operations.findIntegrations(actor, ids),
    null,
  ),
  integrationEvent: loaderOf<bigint, IntegrationEventRow | null>(
    (ids) => operations.findIntegrationEvents(actor, ids),
    null,
  ),
  /** Single events, for records that contain only an event ID. */
  event: (() => {
    const loader = createLoader<number, EventRow | null>(async (ids) => {
      const page = { limit: ids.length };
      const { rows } = await operations.listEvents(actor, { criteria: { ids }, page });
      const found = new Map(rows.map((event) => [event.id, event]));
      return ids.map((id) => found.get(id) ?? null);
    });
    return (id: number) => loader.load(id);
  })(),
});

export type PageLoaders = ReturnType<typeof createPageLoaders>;
