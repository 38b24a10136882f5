import type { Db } from '../../../data/db.js';
import { matchingEvents } from '../../../data/events/event-conditions.sql.js';
import {
  type PreviousState,
  type RecordingType,
  readPreviousStates,
  type StateSearch,
  type StateSource,
} from '../../../data/events/previous-states.sql.js';
import {
  DELETION_TYPES,
  type Scope,
  type SubjectRule,
} from '../../../data/events/subject-rules.js';
import type { Actor } from '../../actor.js';
import type { Subject } from './event-subjects.js';
import { spansBefore } from './look-back.js';

/** An object, and the event before which its state is needed. */
export type StateLookup = { eventId: number; subject: Subject };

/** The newest of the events, by owner. */
const newestOf = (lookups: readonly StateLookup[]): ReadonlyMap<string, number> => {
  const newest = new Map<string, number>();
  for (const { eventId, subject } of lookups) {
    if (subject.owner === null) continue;
    newest.set(subject.owner, Math.max(eventId, newest.get(subject.owner) ?? 0));
  }
  return newest;
};

const sourceOf = (scope: Scope, lookups: readonly StateLookup[]): StateSource => {
  if (scope === 'feature') return { scope, newestOf: newestOf(lookups) };
  const spans = spansBefore(lookups.map(({ eventId }) => eventId));
  if (scope === 'installation') return { scope, spans };
  return { scope, spans, projects: [...newestOf(lookups).keys()] };
};

/** Event types that record a state or a deletion, each with its rule. */
const recordingTypesOf = (scope: Scope, lookups: readonly StateLookup[]): RecordingType[] => {
  const rules: readonly SubjectRule[] = [...new Set(lookups.map(({ subject }) => subject.rule))];
  const recordingTypes = rules.flatMap(
    ({ recordingTypes, key = null, isPerEnvironment = false }, kind) =>
      recordingTypes.map((type) => ({ type, kind, key, isPerEnvironment })),
  );
  return [...recordingTypes, ...DELETION_TYPES[scope].map((type) => ({ type, kind: null }))];
};

const SCOPES: readonly Scope[] = ['feature', 'project', 'installation'];

/** Reads, in one statement, the last state before each event that the actor may see. */
export const listPreviousStates = async (
  db: Db,
  actor: Actor,
  lookups: readonly StateLookup[],
): Promise<ReadonlyMap<number, PreviousState>> => {
  const searches = SCOPES.flatMap((scope): StateSearch[] => {
    const inScope = lookups.filter(({ subject }) => subject.rule.scope === scope);
    if (inScope.length === 0) return [];
    return [
      {
        eventIds: inScope.map(({ eventId }) => eventId),
        source: sourceOf(scope, inScope),
        recordingTypes: recordingTypesOf(scope, inScope),
      },
    ];
  });
  if (searches.length === 0) return new Map();

  const rows = await readPreviousStates(db, matchingEvents(actor, {}), searches);
  const found = rows.filter(({ state }) => state !== null);
  return new Map(found.map(({ eventId, ...state }) => [eventId, state]));
};
