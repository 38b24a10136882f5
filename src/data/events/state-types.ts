/** Which states an event records, by its type. */

/** A moved feature: one payload contains both projects. */
export const MOVE_TYPE = 'feature-project-change';

/**
 * Types that record one state in more detail than the other, such as a whole project next to the fields of a request.
 * Only keys that both states have are compared.
 */
export const UNEVEN_TYPES: readonly string[] = [
  'project-updated',
  'context-field-updated',
  'setting-updated',
];

/** Types whose only payload is the state of an added object. The first setting records no previous one. */
const ADDITION = '-(created|added|add|import|tagged|favorited)$|^default-strategy-updated$';
/** Types whose only payload is the state of a removed object. */
const REMOVAL = '-(deleted|removed|remove|discarded|untagged|unfavorited)$';
/** Their payload is a count, not the deleted objects. */
const COUNTS: readonly string[] = ['scim-users-deleted', 'scim-groups-deleted'];

/** Patterns that JavaScript and PostgreSQL read alike. */
export const STATE_TYPES = { addition: ADDITION, removal: REMOVAL, counts: COUNTS };
