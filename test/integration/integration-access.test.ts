import { beforeAll, expect, test } from 'vitest';
import type { PrismaClient } from '../../src/data/db.js';
import type { Actor } from '../../src/domain/actor.js';
import { explainDelivery } from '../../src/domain/integrations/explain-delivery.js';
import {
  countIntegrationEventsOf,
  findIntegrationEvents,
  listIntegrationEvents,
  listIntegrationEventsOf,
} from '../../src/domain/integrations/list-integration-events.js';
import { listIntegrationStats } from '../../src/domain/integrations/list-integration-stats.js';
import {
  findIntegration,
  findIntegrations,
  listIntegrations,
} from '../../src/domain/integrations/list-integrations.js';
import { actorWho, adminActor } from '../testkit/actors.js';
import { describeOnBothDatabases } from '../testkit/database.js';

const OF_ONE = { integrationIds: [1], criteria: {} };

/** Each is asked by itself: what stands above it in a query is no guard of it. */
const OPERATIONS: [name: string, ask: (db: PrismaClient, actor: Actor) => Promise<unknown>][] = [
  ['listIntegrations', (db, actor) => listIntegrations(db, actor, {})],
  ['findIntegration', (db, actor) => findIntegration(db, actor, 1, {})],
  ['findIntegrations', (db, actor) => findIntegrations(db, actor, [1])],
  [
    'listIntegrationEvents',
    (db, actor) =>
      listIntegrationEvents(db, actor, { integrationId: 1, page: { limit: 1, offset: 0 } }),
  ],
  [
    'listIntegrationEventsOf',
    (db, actor) => listIntegrationEventsOf(db, actor, { ...OF_ONE, page: { limit: 1 } }),
  ],
  ['countIntegrationEventsOf', (db, actor) => countIntegrationEventsOf(db, actor, OF_ONE)],
  ['findIntegrationEvents', (db, actor) => findIntegrationEvents(db, actor, [1n])],
  ['listIntegrationStats', (db, actor) => listIntegrationStats(db, actor, [1])],
  [
    'explainDelivery',
    (db, actor) => explainDelivery(db, actor, { integrationIds: [1], eventId: 1 }),
  ],
];

describeOnBothDatabases('integrations and all about them', (open) => {
  let db: PrismaClient;
  beforeAll(async () => {
    db = (await open()).client;
    await db.integration.create({ data: { id: 1, provider: 'webhook' } });
  });

  test.each(OPERATIONS)('are for administrators only: %s', async (_name, ask) => {
    await expect(ask(db, adminActor)).resolves.toBeDefined();
    await expect(ask(db, actorWho(true))).rejects.toThrow('You need ADMIN');
  });
});
