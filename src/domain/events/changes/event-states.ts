import { isObject } from '../../json.js';

/** What of an event tells which two states it lies between. */
export type ToldStates = { type: string; data: unknown; preData: unknown };

/** Two states of the same thing; undefined stands for nothing at all. */
export type States = { before: unknown; after: unknown };

/** A feature that moved tells both of its projects in one payload. */
export const MOVE = 'feature-project-change';

/**
 * Types that record one state in more detail than the other, such as a whole project next to the fields of a request:
 * only what both of them tell can be compared.
 */
export const UNEVEN_TYPES: readonly string[] = [
  'project-updated',
  'context-field-updated',
  'setting-updated',
];

const ADDITION = /-(created|added|add|import|tagged|favorited)$/;
const REMOVAL = /-(deleted|removed|remove|discarded|untagged|unfavorited)$/;
/** Recorded without a state before when it was set for the first time. */
const FIRST_SETTING = 'default-strategy-updated';
/** What these record is a number of things, none of them. */
const COUNTS: ReadonlySet<string> = new Set(['scim-users-deleted', 'scim-groups-deleted']);

const isAddition = (type: string): boolean => ADDITION.test(type) || type === FIRST_SETTING;
const isRemoval = (type: string): boolean => REMOVAL.test(type) && !COUNTS.has(type);

/** Both states without the keys that only one of them has. */
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

/** The states an event tells all by itself, or null where it does not. */
export const statesWithin = ({ type, data, preData }: ToldStates): States | null => {
  // A payload of null is none: the log does not tell them apart.
  const before = preData ?? undefined;
  const after = data ?? undefined;
  if (before !== undefined && after !== undefined) {
    const states = { before, after };
    return UNEVEN_TYPES.includes(type) ? sharedParts(states) : states;
  }
  if (type === MOVE && before === undefined) return statesOfMove(after);
  if (isRemoval(type)) {
    const removed = before ?? after;
    return removed === undefined ? null : { before: removed, after: undefined };
  }
  if (isAddition(type) && after !== undefined) return { before: undefined, after };
  return null;
};
