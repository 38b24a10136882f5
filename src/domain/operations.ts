import { Prisma, type PrismaClient } from '../data/db.js';
import { createLoaders, type ListCollaborators } from '../data/loaders.js';
import { measure } from '../data/tally.js';
import type { Actor } from './actor.js';
import { createDeployment } from './deployment.js';
import { NotFoundError } from './errors.js';
import { listEventChanges } from './events/changes/list-event-changes.js';
import { listCollaborators } from './events/collaborators.js';
import { countEventsOf, countEventsUpTo } from './events/count-events.js';
import type { EventCriteria } from './events/event-criteria.js';
import { createEventFeed } from './events/event-feed.js';
import { countEvents } from './events/event-matches.js';
import type { EventRow } from './events/event-query.js';
import { describeEvent } from './events/event-summary.js';
import { findEvent } from './events/find-event.js';
import { followEvents } from './events/follow-events.js';
import { getEventActivity, getEventActivityOf } from './events/get-event-activity.js';
import { listEvents } from './events/list-events.js';
import { listEventsOf } from './events/list-events-of.js';
import { createLogMemory } from './events/log-memory.js';
import { searchEvents } from './events/search-events.js';
import { createSettledLog } from './events/settled-log.js';
import { cloneFeature } from './features/clone-feature.js';
import type { CloneLimits } from './features/clone-limits.js';
import { listFeatureRecords } from './features/feature-record.js';
import { listFeaturesAsOf } from './features/history/list-features-as-of.js';
import { listTimelinesOf } from './features/history/list-timelines-of.js';
import { countFeatures, findFeature, listFeatures } from './features/list-features.js';
import { countFeaturesOf, listFeaturesOf } from './features/list-features-of.js';
import { planClone } from './features/plan-clone.js';
import { explainDelivery } from './integrations/explain-delivery.js';
import {
  countIntegrationEventsOf,
  findIntegrationEvents,
  listIntegrationEvents,
  listIntegrationEventsOf,
} from './integrations/list-integration-events.js';
import { listIntegrationStats } from './integrations/list-integration-stats.js';
import {
  assertIntegration,
  findIntegration,
  findIntegrations,
  listIntegrations,
} from './integrations/list-integrations.js';
import { assertWritable } from './maintenance.js';
import { countCleanUp, countCleanUpOf } from './projects/clean-up/count-clean-up.js';
import { listCleanUp, listCleanUpOf } from './projects/clean-up/list-clean-up.js';
import { createHealthReports, type ListRecords } from './projects/get-health-report.js';
import { countProjects, findProject, listProjects } from './projects/list-projects.js';
import { createSharedReads } from './shared-reads.js';

export type OperationSettings = { adminUiUrl: string; limits: CloneLimits };

/** Everything the product can do, bound to a database; the only door the transports have. */
export const createOperations = (db: PrismaClient, settings: OperationSettings) => {
  const bind =
    <Input, Result>(operation: (db: PrismaClient, actor: Actor, input: Input) => Result) =>
    (actor: Actor, input: Input): Result =>
      operation(db, actor, input);
  const log = createSettledLog(db);
  const memory = createLogMemory(db, { log });
  const feed = createEventFeed(log);
  const authorsOf: ListCollaborators = (names) => listCollaborators(db, memory, names);
  const loadersFor = (actor: Actor) => createLoaders(db, actor.userId, authorsOf);
  const recordsFor =
    ({ userId }: Actor): ListRecords =>
    (where, last) =>
      listFeatureRecords(db, userId, authorsOf, where, last);
  const getHealthReport = createHealthReports();
  const deployment = createDeployment(db);
  const settingReads = createSharedReads();
  const isWritable = () => settingReads.share('maintenance', () => assertWritable(db));
  const describe = (event: EventRow) => describeEvent(event, settings);

  return {
    /** Tells this deployment from others; null where that cannot be done. */
    findDeploymentMark: deployment.findMark,

    /** The human-readable label and summary of an event. */
    describeEvent: describe,
    findEvent: (actor: Actor, id: number) => findEvent(db, memory, actor, id),
    listEvents: (actor: Actor, input: Parameters<typeof listEvents>[3]) =>
      listEvents(db, memory, actor, input),
    listEventsOf: bind(listEventsOf),
    countEvents: (actor: Actor, criteria: EventCriteria) =>
      countEvents(db, memory, actor, criteria),
    countEventsUpTo: (actor: Actor, input: Parameters<typeof countEventsUpTo>[3]) =>
      countEventsUpTo(db, memory, actor, input),
    countEventsOf: bind(countEventsOf),
    listEventChanges: bind(listEventChanges),
    getEventActivity: bind(getEventActivity),
    getEventActivityOf: bind(getEventActivityOf),
    searchEvents: async (actor: Actor, input: Parameters<typeof searchEvents>[3]) => {
      const { events, total } = await searchEvents(db, memory, actor, input);
      return { events: events.map((event) => Object.assign(event, describe(event))), total };
    },
    followEvents: (actor: Actor, input: Parameters<typeof followEvents>[3]) =>
      followEvents(db, feed, actor, input),
    /** No event up to this id will appear any more; null while, or where, that cannot be told. */
    findSettledId: async () => {
      const { settled, seesWriters } = await log.look();
      return { settledId: settled?.bound ?? null, canSettle: seesWriters };
    },
    /** Ends all that is followed; nothing new can be. */
    endFollowing: feed.close,

    findFeature: (_actor: Actor, name: string) => findFeature(db, name),
    listFeatures: bind(listFeatures),
    listFeaturesOf: bind(listFeaturesOf),
    countFeatures: bind(countFeatures),
    countFeaturesOf: bind(countFeaturesOf),
    listTimelinesOf: bind(listTimelinesOf),
    listFeaturesAsOf: bind(listFeaturesAsOf),
    /** Batches for one request of this actor. */
    createLoaders: loadersFor,
    /** A feature with all its parts, as the API document's 2.6 shows it. */
    getFeatureRecord: async (actor: Actor, name: string) => {
      const { found } = await recordsFor(actor)(Prisma.sql`t.name = ${name}`);
      if (!found.records[0]) throw NotFoundError.of('Feature', name);
      return found.records[0];
    },
    /** Does some work and counts what it asks the database for. */
    measure,
    assertWritable: isWritable,
    cloneFeature: async (actor: Actor, input: Parameters<typeof cloneFeature>[2]) => {
      await isWritable();
      return cloneFeature(db, actor, input, settings.limits);
    },
    planClone: (actor: Actor, input: Parameters<typeof planClone>[2]) =>
      planClone(db, actor, input, { limits: settings.limits, assertWritable: isWritable }),

    findProject: (_actor: Actor, id: string) => findProject(db, id),
    listProjects: bind(listProjects),
    countProjects: bind(countProjects),
    getHealthReport: (actor: Actor, projectId: string) =>
      getHealthReport(loadersFor(actor), recordsFor(actor), actor, projectId),
    listCleanUp: bind(listCleanUp),
    listCleanUpOf: bind(listCleanUpOf),
    countCleanUp: bind(countCleanUp),
    countCleanUpOf: bind(countCleanUpOf),

    assertIntegration: bind(assertIntegration),
    findIntegration: (actor: Actor, id: number, query: Parameters<typeof findIntegration>[3]) =>
      findIntegration(db, actor, id, query),
    findIntegrations: bind(findIntegrations),
    listIntegrations: bind(listIntegrations),
    listIntegrationEvents: bind(listIntegrationEvents),
    listIntegrationEventsOf: bind(listIntegrationEventsOf),
    countIntegrationEventsOf: bind(countIntegrationEventsOf),
    findIntegrationEvents: bind(findIntegrationEvents),
    listIntegrationStats: bind(listIntegrationStats),
    explainDelivery: bind(explainDelivery),
  };
};

export type Operations = ReturnType<typeof createOperations>;
