import type {
  EventConditions,
  EventCriteria,
  EventTextList,
} from '../../domain/events/event-criteria.js';
import type { TextPattern } from '../../domain/text.js';
import { builder } from '../builder.js';
import { assertFilterSize } from '../filter-tree.js';
import { readOnce } from '../read-once.js';
import { EventTypeFilter, readTypeFilter, withTypeNames } from './event-type-filter.js';
import {
  DateTimeRange,
  defined,
  IntFilter,
  nonNull,
  readChoice,
  readRange,
  readTexts,
  StringFilter,
} from './filters.js';
import { TagInput } from './tag-input.js';

type Given<Value> = Value | null | undefined;

export type EventFilterInput = {
  text?: Given<string>;
  id?: Given<typeof IntFilter.$inferInput>;
  featureName?: Given<typeof StringFilter.$inferInput>;
  projectId?: Given<typeof StringFilter.$inferInput>;
  environmentName?: Given<typeof StringFilter.$inferInput>;
  type?: Given<typeof EventTypeFilter.$inferInput>;
  typeName?: Given<typeof StringFilter.$inferInput>;
  groupId?: Given<typeof StringFilter.$inferInput>;
  createdBy?: Given<typeof StringFilter.$inferInput>;
  createdByUserId?: Given<typeof IntFilter.$inferInput>;
  createdAt?: Given<typeof DateTimeRange.$inferInput>;
  touches?: Given<string>;
  tag?: Given<typeof TagInput.$inferInput>;
  and?: Given<readonly EventFilterInput[]>;
  or?: Given<readonly EventFilterInput[]>;
  not?: Given<EventFilterInput>;
};

export const EventFilter = builder.inputRef<EventFilterInput>('EventFilter');

EventFilter.implement({
  description:
    'Filters events. All given conditions must match. At most 50 conditions and 5000 values in total.',
  fields: (t) => ({
    text: t.string({
      description:
        'Text to find in `data`, `preData` or the tags. Case-insensitive, without wildcards, at most 10000 characters.',
    }),
    touches: t.string({
      description:
        'Path that the event changed, as in `changes`, such as `parameters.rollout`. `[]` matches any item.',
    }),
    tag: t.field({ type: TagInput, description: 'Tag that the event records, as in `tags`.' }),
    id: t.field({ type: IntFilter, description: 'Event ID.' }),
    featureName: t.field({
      type: StringFilter,
      description: 'Feature name, such as `checkout-one-page`.',
    }),
    projectId: t.field({ type: StringFilter, description: 'Project ID, such as `default`.' }),
    environmentName: t.field({
      type: StringFilter,
      description: 'Environment name, such as `production`.',
    }),
    type: t.field({ type: EventTypeFilter, description: 'Event type.' }),
    typeName: t.field({
      type: StringFilter,
      description:
        'Event type as recorded, the same as in `Event.typeName`. It also finds types that this gateway does not know.',
    }),
    groupId: t.field({
      type: StringFilter,
      description:
        'ID of a group of events that were written together, as in `Event.group`. An error before Unleash 7, which records no groups.',
    }),
    createdByUserId: t.field({ type: IntFilter, description: 'User ID of the author.' }),
    createdBy: t.field({
      type: StringFilter,
      description: 'Name of the author as recorded, the same as in `Event.createdBy`.',
    }),
    createdAt: t.field({ type: DateTimeRange, description: 'Timestamp of the event.' }),
    and: t.field({
      type: [EventFilter],
      description:
        'Events must also match all of these filters. Filters can be nested 5 levels deep.',
    }),
    or: t.field({
      type: [EventFilter],
      description:
        'Events must match at least one of these filters. An empty list matches no events.',
    }),
    not: t.field({
      type: EventFilter,
      description:
        'Excludes events that match this filter. A filter and its `not` together match every event, including events without a feature, project, environment, group or author.',
    }),
  }),
});

/** Undefined without any pattern. */
const readPatterns = (
  texts: Readonly<Record<EventTextList, { pattern?: TextPattern }>>,
): EventConditions['patterns'] => {
  const patterns = Object.entries(texts).flatMap(([list, { pattern }]) =>
    pattern ? [[list, pattern] as const] : [],
  );
  return patterns.length > 0 ? Object.fromEntries(patterns) : undefined;
};

const readConditions = (
  filter: EventFilterInput,
  at: string,
  now: Date,
): { included: EventConditions; excluded: EventConditions[] } => {
  const ids = readChoice(`${at}.id`, filter.id);
  const features = readTexts(`${at}.featureName`, filter.featureName);
  const projects = readTexts(`${at}.projectId`, filter.projectId);
  const environments = readTexts(`${at}.environmentName`, filter.environmentName);
  const types = readTexts(`${at}.typeName`, filter.typeName);
  const groups = readTexts(`${at}.groupId`, filter.groupId);
  const creators = readChoice(`${at}.createdByUserId`, filter.createdByUserId);
  const creatorNames = readTexts(`${at}.createdBy`, filter.createdBy);
  const included = {
    ...defined({
      text: filter.text || undefined,
      touches: nonNull(filter.touches),
      tag: nonNull(filter.tag),
      ids: ids.among,
      idFrom: nonNull(filter.id?.from),
      idBefore: nonNull(filter.id?.before),
      creatorFrom: nonNull(filter.createdByUserId?.from),
      creatorBefore: nonNull(filter.createdByUserId?.before),
      features: features.among,
      projects: projects.among,
      environments: environments.among,
      groups: groups.among,
      creators: creators.among,
      creatorNames: creatorNames.among,
      patterns: readPatterns({ features, projects, environments, types, groups, creatorNames }),
    }),
    ...readRange(`${at}.createdAt`, filter.createdAt, now),
    ...withTypeNames(readTypeFilter(`${at}.type`, filter.type), types.among),
  };
  const excluded = [
    defined({ ids: ids.except }),
    defined({ features: features.except }),
    defined({ projects: projects.except }),
    defined({ environments: environments.except }),
    defined({ types: types.except }),
    defined({ groups: groups.except }),
    defined({ creators: creators.except }),
    defined({ creatorNames: creatorNames.except }),
  ];
  return { included, excluded: excluded.filter(isCondition) };
};

const isCondition = (criteria: EventCriteria): boolean => Object.keys(criteria).length > 0;

/** Deduplicates and sorts, so that equivalent filters produce equal criteria. */
const distinct = (list: readonly EventCriteria[]): EventCriteria[] => {
  const byText = new Map(list.map((criteria) => [JSON.stringify(criteria), criteria]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, criteria]) => criteria);
};

const readPart = (filter: EventFilterInput, at: string, now: Date): EventCriteria => {
  const { included, excluded } = readConditions(filter, at, now);
  const readList = (name: 'and' | 'or', list: readonly EventFilterInput[]) =>
    list.map((inner, index) => readPart(inner, `${at}.${name}[${index}]`, now));

  const and = [...excluded.map((not) => ({ not })), ...readList('and', filter.and ?? [])];
  const conditional = and.filter(isCondition);
  return {
    ...included,
    ...(conditional.length > 0 && { and: distinct(conditional) }),
    ...(filter.or && { or: distinct(readList('or', filter.or)) }),
    ...(filter.not && { not: readPart(filter.not, `${at}.not`, now) }),
  };
};

const readWhole = readOnce((filter: EventFilterInput, now): EventCriteria => {
  assertFilterSize(filter);
  return readPart(filter, 'filter', now);
});

/** `now` is when the request arrived, for ranges that end then. */
export const readEventFilter = (
  filter: EventFilterInput | null | undefined,
  now: Date,
): EventCriteria => (filter ? readWhole(filter, now) : {});
