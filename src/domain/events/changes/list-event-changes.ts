import type { Db } from '../../../data/db.js';
import type { EventRow } from '../../../data/events/event-rows.sql.js';
import type { PreviousState } from '../../../data/events/previous-states.sql.js';
import { UNEVEN_TYPES } from '../../../data/events/state-types.js';
import { visitInSlices } from '../../../data/work/time-slicer.js';
import type { Actor } from '../../actor.js';
import { callerOf } from '../../scan-limiter.js';
import type { EventLogCache } from '../event-log-cache.js';
import { type Change, difference } from './difference.js';
import { type RecordedStates, type States, sharedParts, statesWithin } from './event-states.js';
import { subjectOf } from './event-subjects.js';
import { listPreviousStates, type StateLookup } from './previous-states.js';

/** Changes recorded in the event itself; null if it does not contain both states. */
export const changesWithin = (event: RecordedStates): Change[] | null => {
  const states = statesWithin(event);
  return states && difference(states.before, states.after);
};

/** Different types, and all events of uneven types, record different details: only keys of both states are compared. */
const statesSince = (event: EventRow, { type, state }: PreviousState): States => {
  const states = { before: state, after: event.data };
  const isEven = type === event.type && !UNEVEN_TYPES.includes(type);
  return isEven ? states : sharedParts(states);
};

/** Changes by event ID; null if the log does not contain the previous state. */
export const listEventChanges = async (
  db: Db,
  { limiter }: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  events: readonly EventRow[],
): Promise<ReadonlyMap<number, readonly Change[] | null>> => {
  const statesOf = new Map<number, States | null>();
  const lookups: StateLookup[] = [];
  await visitInSlices(events, (event) => {
    const states = statesWithin(event);
    statesOf.set(event.id, states);
    const subject = states ? null : subjectOf(event);
    if (subject) lookups.push({ eventId: event.id, subject });
  });
  const previous =
    lookups.length === 0
      ? new Map<number, PreviousState>()
      : await limiter.run(callerOf(actor), (turn) =>
          turn(() => listPreviousStates(db, actor, lookups)),
        );

  const changes = new Map<number, readonly Change[] | null>();
  await visitInSlices(events, (event) => {
    const before = previous.get(event.id);
    const states = before ? statesSince(event, before) : statesOf.get(event.id);
    changes.set(event.id, states ? difference(states.before, states.after) : null);
  });
  return changes;
};
