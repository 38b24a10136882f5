import { type Db, Prisma } from '../../data/db.js';
import { matchingEvents } from '../../data/events/event-conditions.sql.js';
import { indexBy } from '../../data/grouping.js';
import { milliseconds, readLists } from '../../data/read-rows.js';
import type { Actor } from '../actor.js';
import {
  type AnnouncedEvent,
  type Obstacle,
  obstaclesTo,
  type Subscription,
} from './delivery-obstacles.js';
import { deliveredValue } from './integration-event-query.js';
import { requireAdmin } from './require-admin.js';

/** Whether an event reached an integration, and what prevents its delivery. */
export type DeliveryExplanation = {
  /** ID of its last delivery on record. */
  delivery: bigint | null;
  obstacles: Obstacle[];
};

/** With timestamps as `readLists` returns them. */
type Stored<Row> = Omit<Row, 'createdAt'> & { createdAt: number | null };

type Lists = {
  integrations: (Stored<Subscription> & { id: number })[];
  events: Stored<AnnouncedEvent>[];
  deliveries: { integrationId: number; last: string }[];
};

const withTime = <Row extends { createdAt: number | null }>(row: Row) => ({
  ...row,
  createdAt: row.createdAt === null ? null : new Date(row.createdAt),
});

/** Explains the delivery of one event to many integrations, in one statement; empty if the actor sees no such event. */
export const explainDelivery = async (
  db: Db,
  actor: Actor,
  { integrationIds, eventId }: { integrationIds: readonly number[]; eventId: number },
): Promise<ReadonlyMap<number, DeliveryExplanation>> => {
  requireAdmin(actor);

  const { integrations, events, deliveries } = await readLists<Lists>(db, {
    integrations: Prisma.sql`
      select a.id, a.enabled, a.events, a.projects, a.environments,
        ${milliseconds(Prisma.sql`a.created_at`)} as "createdAt"
      from addons a where a.id = any(${integrationIds}::int[])`,
    events: Prisma.sql`
      select e.type, e.project as "projectId", e.environment, e.announced,
        ${milliseconds(Prisma.sql`e.created_at`)} as "createdAt"
      from events e where ${matchingEvents(actor, { ids: [eventId] })}`,
    deliveries: Prisma.sql`
      select d.integration_id as "integrationId", max(d.id)::text as last from integration_events d
      where d.integration_id = any(${integrationIds}::int[])
        and ${deliveredValue('id')} = to_jsonb(${eventId}::int)
      group by 1`,
  });

  const [event] = events;
  if (!event) return new Map();
  const lastOf = indexBy(deliveries, ({ integrationId }) => integrationId);
  return new Map(
    integrations.map((integration) => {
      const last = lastOf.get(integration.id)?.last;
      return [
        integration.id,
        {
          delivery: last === undefined ? null : BigInt(last),
          obstacles: obstaclesTo(withTime(integration), withTime(event), (id) => actor.sees(id)),
        },
      ];
    }),
  );
};
