import type { Db } from '../../../data/db.js';
import type { Actor } from '../../actor.js';
import type { EventRow } from '../event-query.js';
import { type Change, difference } from './difference.js';
import {
  type States,
  sharedParts,
  statesWithin,
  type ToldStates,
  UNEVEN_TYPES,
} from './event-states.js';
import { subjectOf } from './event-subjects.js';
import { listPreviousStates, type PreviousState } from './previous-states.js';

/** What an event changed, as far as it tells by itself; null where it does not. */
export const changesWithin = (event: ToldStates): Change[] | null => {
  const states = statesWithin(event);
  return states && difference(states.before, states.after);
};

/** Events of different types, and any of some types, record a thing in different detail: what both tell is compared. */
const statesSince = (event: EventRow, { type, state }: PreviousState): States => {
  const states = { before: state, after: event.data };
  const isEven = type === event.type && !UNEVEN_TYPES.includes(type);
  return isEven ? states : sharedParts(states);
};

/** What each of these events changed; null where the log does not tell what was before. */
export const listEventChanges = async (
  db: Db,
  actor: Actor,
  events: readonly EventRow[],
): Promise<ReadonlyMap<number, readonly Change[] | null>> => {
  const statesOf = new Map(events.map((event) => [event.id, statesWithin(event)]));
  const sought = events.flatMap((event) => {
    const subject = statesOf.get(event.id) ? null : subjectOf(event);
    return subject ? [{ eventId: event.id, subject }] : [];
  });
  const previous = await listPreviousStates(db, actor, sought);

  const changesOf = (event: EventRow) => {
    const before = previous.get(event.id);
    const states = before ? statesSince(event, before) : statesOf.get(event.id);
    return states ? difference(states.before, states.after) : null;
  };
  return new Map(events.map((event) => [event.id, changesOf(event)]));
};
