import { beforeAll, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import type { Actor } from '../../../src/domain/actor.js';
import { explainDelivery } from '../../../src/domain/integrations/explain-delivery.js';
import {
  countIntegrationEventsOf,
  findIntegrationEvents,
  listIntegrationEvents,
  listIntegrationEventsOf,
} from '../../../src/domain/integrations/list-integration-events.js';
import { listIntegrationStats } from '../../../src/domain/integrations/list-integration-stats.js';
import {
  findIntegrations,
  listIntegrations,
} from '../../../src/domain/integrations/list-integrations.js';
import { adminActor, userActor } from '../../testkit/actors.js';
import { describeWithDatabase } from '../../testkit/database.js';

const OF_ONE = { integrationIds: [1], criteria: {} };

/** Each is requested on its own: parent fields of a query do not protect it. */
const OPERATIONS: [name: string, run: (db: PrismaClient, actor: Actor) => Promise<unknown>][] = [
  ['listIntegrations', (db, actor) => listIntegrations(db, actor)],
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

describeWithDatabase('integrations and related fields', (open) => {
  let db: PrismaClient;
  beforeAll(async () => {
    db = (await open()).client;
    await db.integration.create({ data: { id: 1, provider: 'webhook' } });
  });

  test.each(OPERATIONS)('require an administrator: %s', async (_name, run) => {
    await expect(run(db, adminActor)).resolves.toBeDefined();
    await expect(run(db, userActor(true))).rejects.toThrow('You need ADMIN');
  });
});
