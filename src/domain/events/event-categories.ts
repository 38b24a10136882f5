import {
  CATEGORY_OF_TYPE,
  EVENT_TYPES,
  type EventTypeName,
  isKnownEventType,
} from './event-types.js';

export type EventCategoryName = (typeof CATEGORY_OF_TYPE)[EventTypeName];

/** In display order, most requested first. */
const CATEGORY_NAMES: readonly EventCategoryName[] = [
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

/** Known event types by subject; each belongs to one category. */
export const EVENT_CATEGORIES = Object.fromEntries<readonly EventTypeName[]>(
  CATEGORY_NAMES.map((category) => [
    category,
    EVENT_TYPES.filter((type) => CATEGORY_OF_TYPE[type] === category),
  ]),
) as Readonly<Record<EventCategoryName, readonly EventTypeName[]>>;

/** Null for types unknown to this gateway. */
export const categoryOfType = (type: string): EventCategoryName | null =>
  isKnownEventType(type) ? CATEGORY_OF_TYPE[type] : null;

export const typesOfCategories = (
  categories: readonly EventCategoryName[],
): readonly EventTypeName[] => categories.flatMap((category) => EVENT_CATEGORIES[category]);
