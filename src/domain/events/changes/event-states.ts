import { SWITCHES } from '../../../data/events/switches.js';
import { MOVE_TYPE, UNEVEN_TYPES } from '../../../data/events/touched-path.sql.js';
import { isObject } from '../../json.js';

/** The parts of an event from which its states are derived. */
export type RecordedStates = { type: string; data: unknown; preData: unknown };

/** Two states of one object; undefined means absent. */
export type States = { before: unknown; after: unknown };

const ADDITION = /-(created|added|add|import|tagged|favorited)$/;
const REMOVAL = /-(deleted|removed|remove|discarded|untagged|unfavorited)$/;
/** Recorded without a previous state when it is set for the first time. */
const FIRST_SETTING = 'default-strategy-updated';
/** Their payload is a count, not the deleted objects. */
const COUNTS: ReadonlySet<string> = new Set(['scim-users-deleted', 'scim-groups-deleted']);

const isAddition = (type: string): boolean => ADDITION.test(type) || type === FIRST_SETTING;
const isRemoval = (type: string): boolean => REMOVAL.test(type) && !COUNTS.has(type);

/** Removes keys that only one state has. */
export const sharedParts = ({ before, after }: States): States => {
  if (!isObject(before) || !isObject(after)) return { before, after };
  const shared = (one: object, other: object) =>
    Object.fromEntries(Object.entries(one).filter(([key]) => Object.hasOwn(other, key)));
  return { before: shared(before, after), after: shared(after, before) };
};

const statesOfMove = (data: unknown): States | null =>
  isObject(data) && Object.hasOwn(data, 'oldProject') && Object.hasOwn(data, 'newProject')
    ? { before: { project: data['oldProject'] }, after: { project: data['newProject'] } }
    : null;

const statesOfSwitch = (type: string): States | null => {
  const switched = SWITCHES.get(type);
  return switched
    ? { before: { [switched.key]: !switched.value }, after: { [switched.key]: switched.value } }
    : null;
};

/** The states that the event itself determines; null if they are not. */
export const statesWithin = ({ type, data, preData }: RecordedStates): States | null => {
  // Null means absent: the log does not distinguish them.
  const before = preData ?? undefined;
  const after = data ?? undefined;
  if (before !== undefined && after !== undefined) {
    const states = { before, after };
    return UNEVEN_TYPES.includes(type) ? sharedParts(states) : states;
  }
  const states = statesOfSwitch(type);
  if (states) return states;
  if (type === MOVE_TYPE && before === undefined) return statesOfMove(after);
  if (isRemoval(type)) {
    const removed = before ?? after;
    return removed === undefined ? null : { before: removed, after: undefined };
  }
  if (isAddition(type) && after !== undefined) return { before: undefined, after };
  return null;
};
