import type { EventRow } from '../../data/events/event-rows.sql.js';
import type { Actor } from '../actor.js';

/** The address that an event came from is visible to administrators only. */
export const ipFor = (actor: Actor, { ip }: Pick<EventRow, 'ip'>): string | null =>
  actor.can('ADMIN') ? ip : null;
