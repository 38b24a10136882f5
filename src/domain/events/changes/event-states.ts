import { MOVE_TYPE, STATE_TYPES, UNEVEN_TYPES } from '../../../data/events/state-types.js';
import { SWITCHES } from '../../../data/events/switches.js';
import { isObject } from '../../json.js';

/** The parts of an event from which its states are derived. */
export type RecordedStates = { type: string; data: unknown; preData: unknown };

/** Two states of one object; undefined means absent. */
export type States = { before: unknown; after: unknown };

const [ADDITION, REMOVAL] = [new RegExp(STATE_TYPES.addition), new RegExp(STATE_TYPES.removal)];

const isAddition = (type: string): boolean => ADDITION.test(type);
const isRemoval = (type: string): boolean =>
  REMOVAL.test(type) && !STATE_TYPES.counts.includes(type);

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
