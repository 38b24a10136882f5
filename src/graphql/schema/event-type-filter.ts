import {
  EVENT_TYPE_GROUPS,
  type EventTypeGroupName,
  typesOfGroups,
} from '../../domain/events/event-type-groups.js';
import { EVENT_TYPES } from '../../domain/events/event-types.js';
import { builder } from '../builder.js';
import { exampleOf } from '../input-examples.js';
import { EventType, OTHER } from './event-type.js';
import { readChoice } from './filters.js';

const ABOUT: Record<EventTypeGroupName, string> = {
  FEATURE:
    'Features: their settings, strategies, variants, tags, dependencies and release plans, and their way in and out. Of these, FEATURE_STRATEGY_ADD, FEATURE_STRATEGY_UPDATE, FEATURE_STRATEGY_REMOVE and STRATEGY_ORDER_CHANGED are about strategies.',
  CHANGE_REQUEST: 'Change requests and the changes in them.',
  PROJECT: 'Projects: their settings, environments, members and default strategies.',
  ENVIRONMENT: 'Environments of the installation.',
  SEGMENT: 'Segments.',
  CONTEXT_FIELD: 'Context fields.',
  STRATEGY_TYPE: 'Kinds of strategies; the strategies of a feature belong to FEATURE.',
  RELEASE_PLAN_TEMPLATE: 'Templates of release plans.',
  TAG: 'Tags and kinds of tags; tagging a feature belongs to FEATURE.',
  INTEGRATION: 'Integrations.',
  AUTOMATION: 'Signal endpoints and the actions they set off.',
  APPLICATION: 'Applications that use the features.',
  USER: 'Users and service accounts.',
  GROUP: 'Groups of users.',
  ROLE: 'Roles.',
  TOKEN: 'API tokens, personal tokens and links for signing up.',
  SETTING: 'Settings of the installation, its banners included.',
};

const EventTypeGroup = builder.enumType('EventTypeGroup', {
  description:
    'What an event is about. Every known type belongs to one group; OTHER belongs to none.',
  values: Object.fromEntries<{ value: EventTypeGroupName; description: string }>(
    (Object.keys(EVENT_TYPE_GROUPS) as EventTypeGroupName[]).map((name) => [
      name,
      { value: name, description: ABOUT[name] },
    ]),
  ),
});

export const EventTypeFilter = builder.inputType('EventTypeFilter', {
  description: `Conditions on what happened; all that are given must hold. ${exampleOf('EventTypeFilter')}`,
  fields: (t) => ({
    is: t.field({ type: EventType, description: 'Of this type.' }),
    anyOf: t.field({ type: [EventType], description: 'Of one of these types. At most 1000.' }),
    group: t.field({
      type: [EventTypeGroup],
      description: 'Of one of these groups: `group: FEATURE` finds everything about features.',
    }),
    not: t.field({ type: [EventType], description: 'Of none of these types. At most 1000.' }),
  }),
});

/** The recorded types a filter leaves through; OTHER stands for all that this gateway does not know. */
export const readTypeFilter = (
  field: string,
  filter: typeof EventTypeFilter.$inferInput | null | undefined,
): { types?: readonly string[]; typesOtherThan?: readonly string[] } => {
  const { among, except } = readChoice<string>(field, filter);
  const grouped: readonly string[] | undefined = filter?.group
    ? typesOfGroups(filter.group)
    : undefined;
  if (!among && !except && !grouped) return {};

  const passes = (type: string) =>
    (among?.includes(type) ?? true) && !except?.includes(type) && (grouped?.includes(type) ?? true);
  const types = EVENT_TYPES.filter(passes);
  return passes(OTHER)
    ? { typesOtherThan: EVENT_TYPES.filter((type) => !passes(type)) }
    : { types };
};
