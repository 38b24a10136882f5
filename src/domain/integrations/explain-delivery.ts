import type { Db } from '../../data/db.js';
import { readDeliveryFacts } from '../../data/integrations/delivery-facts.sql.js';
import type { Actor } from '../actor.js';
import { type Obstacle, obstaclesTo } from './delivery-obstacles.js';
import { requireAdmin } from './integration-access.js';

/** Whether an event reached an integration, and what prevents its delivery. */
export type DeliveryExplanation = {
  /** ID of its last delivery on record. */
  delivery: bigint | null;
  obstacles: Obstacle[];
};

/** Explains the delivery of one event to many integrations, in one statement; empty if the actor sees no such event. */
export const explainDelivery = async (
  db: Db,
  actor: Actor,
  { integrationIds, eventId }: { integrationIds: readonly number[]; eventId: number },
): Promise<ReadonlyMap<number, DeliveryExplanation>> => {
  requireAdmin(actor);

  const { integrations, event, lastOf } = await readDeliveryFacts(
    db,
    actor,
    integrationIds,
    eventId,
  );
  if (!event) return new Map();
  return new Map(
    integrations.map((integration) => [
      integration.id,
      {
        delivery: lastOf.get(integration.id) ?? null,
        obstacles: obstaclesTo(integration, event, (id) => actor.sees(id)),
      },
    ]),
  );
};
