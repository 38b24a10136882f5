import {
  EVENT_CATEGORIES,
  type EventCategoryName,
  typesOfCategories,
} from '../../domain/events/event-categories.js';
import { EVENT_TYPES } from '../../domain/events/event-types.js';
import { builder } from '../builder.js';
import { exampleOf } from '../input-examples.js';
import { EventType, OTHER } from './event-type.js';
import { readChoice } from './filters.js';

const CATEGORY_DESCRIPTIONS: Record<EventCategoryName, string> = {
  FEATURE:
    'Features, including their creation and removal, settings, strategies, variants, tags, dependencies and release plans. The strategy events are FEATURE_STRATEGY_ADD, FEATURE_STRATEGY_UPDATE, FEATURE_STRATEGY_REMOVE and STRATEGY_ORDER_CHANGED.',
  CHANGE_REQUEST: 'Change requests and their changes.',
  PROJECT: 'Projects, including their settings, environments, members and default strategies.',
  ENVIRONMENT: 'Environments of the Unleash instance.',
  SEGMENT: 'Segments.',
  CONTEXT_FIELD: 'Context fields.',
  STRATEGY_TYPE: 'Strategy types. Strategies of a feature belong to FEATURE.',
  RELEASE_PLAN_TEMPLATE: 'Release plan templates.',
  TAG: 'Tags and tag types. Tagging a feature belongs to FEATURE.',
  INTEGRATION: 'Integrations.',
  AUTOMATION: 'Signal endpoints and the actions they trigger.',
  APPLICATION: 'Applications that use features.',
  USER: 'Users and service accounts.',
  GROUP: 'User groups.',
  ROLE: 'Roles.',
  TOKEN: 'API tokens, personal access tokens and public signup links.',
  SETTING: 'Settings of the Unleash instance, including banners.',
};

export const EventCategory = builder.enumType('EventCategory', {
  description:
    'Subject of an event. Every known event type belongs to one category; OTHER belongs to none.',
  values: Object.fromEntries<{ value: EventCategoryName; description: string }>(
    (Object.keys(EVENT_CATEGORIES) as EventCategoryName[]).map((name) => [
      name,
      { value: name, description: CATEGORY_DESCRIPTIONS[name] },
    ]),
  ),
});

export const EventTypeFilter = builder.inputType('EventTypeFilter', {
  description: `Filters by event type. All given conditions must match. ${exampleOf('EventTypeFilter')}`,
  fields: (t) => ({
    is: t.field({ type: EventType, description: 'Equal to this type.' }),
    anyOf: t.field({
      type: [EventType],
      description: 'Equal to one of these types. At most 1000 values.',
    }),
    category: t.field({
      type: [EventCategory],
      description:
        'In one of these categories. `category: FEATURE` matches all events about features.',
    }),
    noneOf: t.field({
      type: [EventType],
      description: 'Equal to none of these types. At most 1000 values.',
    }),
  }),
});

type TypeConditions = { types?: readonly string[]; typesOtherThan?: readonly string[] };

/** Those of the recorded names that also meet the conditions. */
export const withTypeNames = (
  conditions: TypeConditions,
  names: readonly string[] | undefined,
): TypeConditions => {
  if (!names) return conditions;
  const { types, typesOtherThan } = conditions;
  const passes = (name: string) =>
    (types?.includes(name) ?? true) && !typesOtherThan?.includes(name);
  return { types: names.filter(passes) };
};

/** OTHER means every recorded type unknown to this gateway, so it turns the filter into an exclusion. */
export const readTypeFilter = (
  field: string,
  filter: typeof EventTypeFilter.$inferInput | null | undefined,
): TypeConditions => {
  const { among, except } = readChoice<string>(field, filter);
  const inCategories: readonly string[] | undefined = filter?.category
    ? typesOfCategories(filter.category)
    : undefined;
  if (!among && !except && !inCategories) return {};

  const passes = (type: string) =>
    (among?.includes(type) ?? true) &&
    !except?.includes(type) &&
    (inCategories?.includes(type) ?? true);
  const types = EVENT_TYPES.filter(passes);
  return passes(OTHER)
    ? { typesOtherThan: EVENT_TYPES.filter((type) => !passes(type)) }
    : { types };
};
