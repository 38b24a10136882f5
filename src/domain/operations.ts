import type { Database } from '../data/connect.js';
import type { PrismaClient } from '../data/db.js';
import type { EventRow } from '../data/events/event-rows.sql.js';
import { isFeature } from '../data/features/feature-conditions.sql.js';
import type { UnleashLayoutReader } from '../data/layout/unleash-layout.sql.js';
import { createLoaders, type ListCollaborators } from '../data/loaders.js';
import { NO_REPLICAS } from '../data/replicas/replica-set.js';
import { responseTimeout } from '../data/work/single-flight.js';
import { assertNotCancelled, beginWriting, onPrimary } from '../data/work/work.js';
import type { Actor } from './actor.js';
import { createDeployment } from './deployment.js';
import { NotFoundError } from './errors.js';
import { listEventChanges } from './events/changes/list-event-changes.js';
import { listCollaborators } from './events/collaborators.js';
import { countEventsOf, countEventsUpTo } from './events/count-events.js';
import type { EventCriteria } from './events/event-criteria.js';
import { countEventFacets } from './events/event-facets.js';
import { createEventFeed } from './events/event-feed.js';
import { assertGroupsKnown } from './events/event-groups.js';
import { createEventLogCache, type EventLogCache } from './events/event-log-cache.js';
import { countEvents } from './events/event-matches.js';
import { describeEvent } from './events/event-summary.js';
import { beginExport } from './events/export-events.js';
import { findEvent } from './events/find-event.js';
import { followEvents } from './events/follow-events.js';
import { getEventActivity, getEventActivityOf } from './events/get-event-activity.js';
import { listEvents } from './events/list-events.js';
import { listEventsOf } from './events/list-events-of.js';
import { NO_RECOUNT } from './events/log-recount.js';
import { searchEvents } from './events/search-events.js';
import { createSettledLog } from './events/settled-log.js';
import { cloneFeature } from './features/clone-feature.js';
import { type CloneContext, cloneFeatures } from './features/clone-features.js';
import type { CloneLimits, CloneRules } from './features/clone-limits.js';
import { createCloneQueue } from './features/clone-queue.js';
import { buildFeatureRecords, readFeatureContent } from './features/feature-record.js';
import { listFeaturesAsOf } from './features/history/list-features-as-of.js';
import { listTimelinesOf } from './features/history/list-timelines-of.js';
import {
  countFeatures,
  countFeaturesOf,
  listFeatures,
  listFeaturesOf,
  scansFeatures,
} from './features/list-features.js';
import {
  countFeaturesOfEnvironments,
  listFeaturesOfEnvironments,
} from './features/list-features-of-environments.js';
import { planClone } from './features/plan-clone.js';
import {
  findMilestones,
  listChangeRequestsOf,
  listReleasePlansOf,
} from './features/planned-changes.js';
import { explainDelivery } from './integrations/explain-delivery.js';
import {
  countDeliveriesOfEvents,
  listDeliveriesOfEvents,
} from './integrations/list-deliveries-of-events.js';
import {
  countIntegrationEventsOf,
  findIntegrationEvents,
  listIntegrationEvents,
  listIntegrationEventsOf,
} from './integrations/list-integration-events.js';
import { listIntegrationStats } from './integrations/list-integration-stats.js';
import {
  assertIntegration,
  findIntegrations,
  listIntegrations,
} from './integrations/list-integrations.js';
import { assertWritable } from './maintenance.js';
import { countCleanUp, countCleanUpOf } from './projects/clean-up/count-clean-up.js';
import { listCleanUp, listCleanUpOf } from './projects/clean-up/list-clean-up.js';
import { listCleanUpReasonsOf } from './projects/clean-up/list-clean-up-reasons.js';
import { getHealthReport, type ReadContent } from './projects/get-health-report.js';
import { countProjects, listProjects } from './projects/list-projects.js';
import { callerOf, createScanLimiter } from './scan-limiter.js';
import { countSegments, listSegments } from './segments/list-segments.js';
import {
  countStrategiesOfSegments,
  listStrategiesOfSegments,
} from './segments/list-strategies-of-segments.js';
import { createSharedReads } from './shared-reads.js';
import { listUsageOf, listVariantUsageOf } from './usage/list-usage-of.js';
import { countUsers, listUsers } from './users/list-users.js';
import { mapInSlices } from './work.js';

export type OperationSettings = {
  adminUiUrl: string;
  limits: CloneLimits;
  /** Connections to the database. Default: 10. */
  poolSize?: number;
  statementTimeoutMs?: number;
};

/** All operations, bound to a database; the only entry point for the transports. */
export const createOperations = (
  {
    client: db,
    layout,
    kind,
    replicas = NO_REPLICAS,
  }: Pick<Database, 'client' | 'layout' | 'kind'> & Partial<Pick<Database, 'replicas'>>,
  settings: OperationSettings,
) => {
  const bind =
    <Input, Result>(operation: (db: PrismaClient, actor: Actor, input: Input) => Result) =>
    (actor: Actor, input: Input): Result =>
      operation(db, actor, input);
  /** For operations that take an event filter. */
  const filtered =
    <Input extends { criteria: EventCriteria }, Result>(
      operation: (actor: Actor, input: Input) => Promise<Result>,
    ) =>
    async (actor: Actor, input: Input): Promise<Result> => {
      await assertGroupsKnown(layout, input.criteria);
      return operation(actor, input);
    };
  /** For operations on tables that only some databases have. */
  const inLayout =
    <Input, Result>(
      operation: (
        db: PrismaClient,
        layout: UnleashLayoutReader,
        actor: Actor,
        input: Input,
      ) => Result,
    ) =>
    (actor: Actor, input: Input): Result =>
      operation(db, layout, actor, input);
  /** For operations that may read the whole log. */
  const limited =
    <Input, Result>(
      operation: (db: PrismaClient, cache: EventLogCache, actor: Actor, input: Input) => Result,
    ) =>
    (actor: Actor, input: Input): Result =>
      operation(db, cache, actor, input);
  const responseTimeoutMs = responseTimeout(settings.statementTimeoutMs);
  const log = createSettledLog(db, responseTimeoutMs);
  const limiter = createScanLimiter({
    poolSize: kind === 'embedded' ? 1 : settings.poolSize,
    statementTimeoutMs: settings.statementTimeoutMs,
  });
  /** For operations that read all features of many projects. */
  const scanned =
    <Input, Result>(operation: (db: PrismaClient, actor: Actor, input: Input) => Promise<Result>) =>
    (actor: Actor, input: Input): Promise<Result> =>
      limiter.run(callerOf(actor), (turn) => turn(() => operation(db, actor, input)));
  /** For lists of features, which may evaluate or sort all of them. */
  const featureList =
    <Input extends Parameters<typeof scansFeatures>[0], Result>(
      operation: (db: PrismaClient, actor: Actor, input: Input) => Promise<Result>,
    ) =>
    (actor: Actor, input: Input): Promise<Result> =>
      (scansFeatures(input) ? scanned : bind)(operation)(actor, input);
  const cache = createEventLogCache(db, {
    log,
    limiter,
    replicas,
    ...(kind === 'embedded' && { recount: NO_RECOUNT }),
  });
  const feed = createEventFeed(log, { limiter, responseTimeoutMs, replicas });
  const authorsFor =
    (actor: Actor): ListCollaborators =>
    (names) =>
      listCollaborators(db, cache, actor, names);
  const loadersFor = (actor: Actor) => createLoaders(db, actor, authorsFor(actor));
  const contentFor =
    (actor: Actor): ReadContent =>
    (where) =>
      readFeatureContent(db, actor, authorsFor(actor), where);
  const deployment = createDeployment(db, settings);
  const settingReads = createSharedReads();
  const isWritable = () => settingReads.share('maintenance', () => assertWritable(db));
  const queue = createCloneQueue();
  const cloneRules = async (): Promise<CloneRules> => ({
    limits: settings.limits,
    unleash: await layout.fresh(),
  });
  const writing =
    <Input, Result>(
      operation: (
        db: PrismaClient,
        actor: Actor,
        input: Input,
        context: CloneContext,
      ) => Promise<Result>,
    ) =>
    async (actor: Actor, input: Input): Promise<Result> => {
      assertNotCancelled();
      beginWriting();
      await isWritable();
      const result = await operation(db, actor, input, { ...(await cloneRules()), queue });
      await replicas.catchUp();
      return result;
    };
  const describe = (event: EventRow) => describeEvent(event, settings);

  return {
    /** Identifies this deployment; null if it cannot be identified. */
    findDeploymentMark: deployment.findFingerprint,

    /** Human-readable label and summary of an event. */
    describeEvent: describe,
    findEvent: (actor: Actor, id: number) => findEvent(db, cache, actor, id),
    listEvents: filtered(limited(listEvents)),
    listEventsOf: filtered(limited(listEventsOf)),
    countEvents: async (actor: Actor, criteria: EventCriteria) => {
      await assertGroupsKnown(layout, criteria);
      return countEvents(db, cache, actor, criteria);
    },
    countEventsUpTo: filtered(limited(countEventsUpTo)),
    countEventsOf: filtered(limited(countEventsOf)),
    countEventFacets: filtered(limited(countEventFacets)),
    listEventChanges: limited(listEventChanges),
    getEventActivity: filtered(limited(getEventActivity)),
    getEventActivityOf: filtered(limited(getEventActivityOf)),
    searchEvents: filtered(async (actor: Actor, input: Parameters<typeof searchEvents>[3]) => {
      const { events, total } = await searchEvents(db, cache, actor, input);
      return {
        events: await mapInSlices(events, (event) => Object.assign(event, describe(event))),
        total,
      };
    }),
    followEvents: filtered((actor: Actor, input: Parameters<typeof followEvents>[3]) =>
      followEvents(db, feed, actor, input),
    ),
    beginExport: filtered((actor: Actor, input: Parameters<typeof beginExport>[3]) =>
      beginExport(db, { feed, log }, actor, input),
    ),
    /** Watermark: no event up to this ID will appear any more; null while, or if, it cannot be determined. */
    findSettledId: async () => {
      const { settled, seesWriters } = await log.poll();
      // Callers page up to the watermark, possibly on a replica.
      await replicas.catchUp();
      return { settledId: settled?.bound ?? null, canSettle: seesWriters };
    },
    /** Closes all subscriptions and exports, and rejects new ones. */
    endFollowing: feed.close,

    listFeatures: featureList(listFeatures),
    listFeaturesOf: featureList(listFeaturesOf),
    countFeatures: featureList(countFeatures),
    countFeaturesOf: featureList(countFeaturesOf),
    listReleasePlansOf: inLayout(listReleasePlansOf),
    findMilestones: inLayout(findMilestones),
    listChangeRequestsOf: inLayout(listChangeRequestsOf),
    listUsageOf: inLayout(listUsageOf),
    listVariantUsageOf: inLayout(listVariantUsageOf),
    listFeaturesOfEnvironments: featureList(listFeaturesOfEnvironments),
    countFeaturesOfEnvironments: featureList(countFeaturesOfEnvironments),
    listSegments: bind(listSegments),
    countSegments: bind(countSegments),
    listStrategiesOfSegments: bind(listStrategiesOfSegments),
    countStrategiesOfSegments: bind(countStrategiesOfSegments),
    listUsers: bind(listUsers),
    countUsers: bind(countUsers),
    listTimelinesOf: limited(listTimelinesOf),
    listFeaturesAsOf: limited(listFeaturesAsOf),
    /** Loaders for one request of this actor. */
    createLoaders: loadersFor,
    /** A feature with all its parts, as in section 2.6 of the API document. */
    getFeatureRecord: async (actor: Actor, name: string) => {
      const content = await contentFor(actor)(isFeature(actor, name));
      const [record] = await buildFeatureRecords(content);
      if (!record) throw NotFoundError.of('Feature', name);
      return record;
    },
    assertWritable: isWritable,
    cloneFeature: writing(cloneFeature),
    /** All or none; at most MAX_CLONES. */
    cloneFeatures: writing(cloneFeatures),
    // Replicas are behind, and reject every write.
    planClone: (actor: Actor, input: Parameters<typeof planClone>[2]) =>
      onPrimary(async () =>
        planClone(db, actor, input, { ...(await cloneRules()), assertWritable: isWritable }),
      ),

    listProjects: bind(listProjects),
    countProjects: bind(countProjects),
    getHealthReport: (actor: Actor, projectId: string) =>
      getHealthReport(loadersFor(actor), contentFor(actor), projectId),
    listCleanUp: scanned(listCleanUp),
    listCleanUpOf: scanned(listCleanUpOf),
    countCleanUp: scanned(countCleanUp),
    countCleanUpOf: scanned(countCleanUpOf),
    listCleanUpReasonsOf: scanned(listCleanUpReasonsOf),

    assertIntegration: bind(assertIntegration),
    findIntegrations: bind(findIntegrations),
    listIntegrations: (actor: Actor) => listIntegrations(db, actor),
    listIntegrationEvents: bind(listIntegrationEvents),
    listIntegrationEventsOf: bind(listIntegrationEventsOf),
    countIntegrationEventsOf: bind(countIntegrationEventsOf),
    findIntegrationEvents: bind(findIntegrationEvents),
    listDeliveriesOfEvents: bind(listDeliveriesOfEvents),
    countDeliveriesOfEvents: bind(countDeliveriesOfEvents),
    listIntegrationStats: bind(listIntegrationStats),
    explainDelivery: bind(explainDelivery),
  };
};

export type Operations = ReturnType<typeof createOperations>;
