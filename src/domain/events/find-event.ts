import type { Db } from '../../data/db.js';
import type { Actor } from '../actor.js';
import type { EventRow } from './event-query.js';
import { listEvents } from './list-events.js';
import type { LogMemory } from './log-memory.js';

/** One event by its id, or null when there is none the actor may see. */
export const findEvent = async (
  db: Db,
  memory: LogMemory,
  actor: Actor,
  id: number,
): Promise<EventRow | null> => {
  const { rows } = await listEvents(db, memory, actor, {
    criteria: { ids: [id] },
    page: { limit: 1 },
  });
  return rows[0] ?? null;
};
