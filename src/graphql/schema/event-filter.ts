import type { EventConditions, EventCriteria } from '../../domain/events/event-criteria.js';
import { builder } from '../builder.js';
import { assertFilterSize } from '../filter-tree.js';
import { EventTypeFilter, readTypeFilter } from './event-type-filter.js';
import {
  DateTimeRange,
  defined,
  IntFilter,
  nonNull,
  readChoice,
  readRange,
  StringFilter,
} from './filters.js';

type Given<Value> = Value | null | undefined;

export type EventFilterInput = {
  text?: Given<string>;
  id?: Given<typeof IntFilter.$inferInput>;
  feature?: Given<typeof StringFilter.$inferInput>;
  project?: Given<typeof StringFilter.$inferInput>;
  environment?: Given<typeof StringFilter.$inferInput>;
  type?: Given<typeof EventTypeFilter.$inferInput>;
  createdBy?: Given<typeof IntFilter.$inferInput>;
  createdByName?: Given<typeof StringFilter.$inferInput>;
  createdAt?: Given<typeof DateTimeRange.$inferInput>;
  touches?: Given<string>;
  and?: Given<readonly EventFilterInput[]>;
  or?: Given<readonly EventFilterInput[]>;
  not?: Given<EventFilterInput>;
};

export const EventFilter = builder.inputRef<EventFilterInput>('EventFilter');

EventFilter.implement({
  description:
    'Which events to show; all conditions that are given must hold. At most 50 conditions and 5000 values in all.',
  fields: (t) => ({
    text: t.string({
      description:
        'Found, in any letter case, in `data`, `preData` or the tags. Every character means itself; at most 10000.',
    }),
    touches: t.string({
      description:
        'Changed what lies at this path, as `changes` shows it: `parameters.rollout`; `[]` stands for any item.',
    }),
    id: t.field({ type: IntFilter, description: 'Number of the event.' }),
    feature: t.field({
      type: StringFilter,
      description: 'Name of the feature, such as `checkout-one-page`.',
    }),
    project: t.field({ type: StringFilter, description: 'Id of the project, such as `default`.' }),
    environment: t.field({
      type: StringFilter,
      description: 'Name of the environment, such as `production`.',
    }),
    type: t.field({ type: EventTypeFilter, description: 'What happened.' }),
    createdBy: t.field({ type: IntFilter, description: 'Numeric id of the user who did it.' }),
    createdByName: t.field({
      type: StringFilter,
      description: 'Who did it by name, as recorded: what `Event.createdBy` shows.',
    }),
    createdAt: t.field({ type: DateTimeRange, description: 'When it happened.' }),
    and: t.field({
      type: [EventFilter],
      description: 'All of these filters hold, too. Filters may lie 5 levels deep.',
    }),
    or: t.field({
      type: [EventFilter],
      description: 'At least one of these filters holds; of an empty list none does.',
    }),
    not: t.field({
      type: EventFilter,
      description:
        'This filter does not hold. A filter and its `not` together find every event, also those that lack a feature, a project, an environment or an author.',
    }),
  }),
});

/** The conditions of one filter: those that must hold, and those that must not. */
const readConditions = (
  filter: EventFilterInput,
  at: string,
): { wanted: EventConditions; unwanted: EventConditions[] } => {
  const ids = readChoice(`${at}.id`, filter.id);
  const features = readChoice(`${at}.feature`, filter.feature);
  const projects = readChoice(`${at}.project`, filter.project);
  const environments = readChoice(`${at}.environment`, filter.environment);
  const creators = readChoice(`${at}.createdBy`, filter.createdBy);
  const creatorNames = readChoice(`${at}.createdByName`, filter.createdByName);
  const wanted = {
    ...defined({
      text: filter.text || undefined,
      touches: nonNull(filter.touches),
      ids: ids.among,
      idFrom: nonNull(filter.id?.from),
      idBefore: nonNull(filter.id?.to),
      creatorFrom: nonNull(filter.createdBy?.from),
      creatorBefore: nonNull(filter.createdBy?.to),
      features: features.among,
      projects: projects.among,
      environments: environments.among,
      creators: creators.among,
      creatorNames: creatorNames.among,
    }),
    ...readRange(`${at}.createdAt`, filter.createdAt),
    ...readTypeFilter(`${at}.type`, filter.type),
  };
  const unwanted = [
    defined({ ids: ids.except }),
    defined({ features: features.except }),
    defined({ projects: projects.except }),
    defined({ environments: environments.except }),
    defined({ creators: creators.except }),
    defined({ creatorNames: creatorNames.except }),
  ];
  return { wanted, unwanted: unwanted.filter(isCondition) };
};

const isCondition = (criteria: EventCriteria): boolean => Object.keys(criteria).length > 0;

/** Each once and in one order, so that filters that ask for the same are the same. */
const distinct = (list: readonly EventCriteria[]): EventCriteria[] => {
  const byText = new Map(list.map((criteria) => [JSON.stringify(criteria), criteria]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, criteria]) => criteria);
};

const readPart = (filter: EventFilterInput, at: string): EventCriteria => {
  const { wanted, unwanted } = readConditions(filter, at);
  const readList = (name: 'and' | 'or', list: readonly EventFilterInput[]) =>
    list.map((inner, index) => readPart(inner, `${at}.${name}[${index}]`));

  const and = [...unwanted.map((not) => ({ not })), ...readList('and', filter.and ?? [])];
  const conditional = and.filter(isCondition);
  return {
    ...wanted,
    ...(conditional.length > 0 && { and: distinct(conditional) }),
    ...(filter.or && { or: distinct(readList('or', filter.or)) }),
    ...(filter.not && { not: readPart(filter.not, `${at}.not`) }),
  };
};

/** The criteria of a filter with all those inside of it. */
export const readEventFilter = (filter: EventFilterInput | null | undefined): EventCriteria => {
  if (!filter) return {};
  assertFilterSize(filter);
  return readPart(filter, 'filter');
};
