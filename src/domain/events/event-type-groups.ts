import { EVENT_TYPES, type EventTypeName, GROUP_OF_TYPE, isKnownEventType } from './event-types.js';

export type EventTypeGroupName = (typeof GROUP_OF_TYPE)[EventTypeName];

/** In display order, most requested first. */
const GROUP_NAMES: readonly EventTypeGroupName[] = [
  'FEATURE',
  'CHANGE_REQUEST',
  'PROJECT',
  'ENVIRONMENT',
  'SEGMENT',
  'CONTEXT_FIELD',
  'STRATEGY_TYPE',
  'RELEASE_PLAN_TEMPLATE',
  'TAG',
  'INTEGRATION',
  'AUTOMATION',
  'APPLICATION',
  'USER',
  'GROUP',
  'ROLE',
  'TOKEN',
  'SETTING',
];

/** Known event types by subject; each belongs to one group. */
export const EVENT_TYPE_GROUPS = Object.fromEntries<readonly EventTypeName[]>(
  GROUP_NAMES.map((group) => [group, EVENT_TYPES.filter((type) => GROUP_OF_TYPE[type] === group)]),
) as Readonly<Record<EventTypeGroupName, readonly EventTypeName[]>>;

/** Null for types unknown to this gateway. */
export const groupOfType = (type: string): EventTypeGroupName | null =>
  isKnownEventType(type) ? GROUP_OF_TYPE[type] : null;

export const typesOfGroups = (groups: readonly EventTypeGroupName[]): readonly EventTypeName[] =>
  groups.flatMap((group) => EVENT_TYPE_GROUPS[group]);
