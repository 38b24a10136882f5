import type { Db } from '../../data/db.js';
import type { EventRow } from '../../data/events/event-rows.sql.js';
import type { Actor } from '../actor.js';
import type { EventLogCache } from './event-log-cache.js';
import { listEvents } from './list-events.js';

/** Null if there is no event with this ID that the actor may see. */
export const findEvent = async (
  db: Db,
  cache: EventLogCache,
  actor: Actor,
  id: number,
): Promise<EventRow | null> => {
  const { rows } = await listEvents(db, cache, actor, {
    criteria: { ids: [id] },
    page: { limit: 1 },
  });
  return rows[0] ?? null;
};
