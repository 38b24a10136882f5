import { Prisma, type Sql } from '../db.js';
import { condition, literalPattern } from '../sql/conditions.sql.js';
import { matchesPattern, type TextPattern } from '../sql/text-patterns.sql.js';
import { inVisibleProject } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';
import { hasTag } from './event-tags.sql.js';
import { touchedPath } from './touched-path.sql.js';

export type EventTextList =
  | 'features'
  | 'projects'
  | 'environments'
  | 'groups'
  | 'types'
  | 'creatorNames';

/** Conditions on a single event; all that are present must match. */
export type EventConditions = {
  /** Literal text, matched case-insensitively in the payload, the previous payload or the tags. */
  text?: string;
  /** A path that changed, as shown in the changes of an event. */
  touches?: string;
  /** A recorded tag. */
  tag?: { type: string; value: string };
  patterns?: { [List in EventTextList]?: TextPattern };
  ids?: readonly number[];
  /** Inclusive. */
  idFrom?: number;
  /** Exclusive. */
  idBefore?: number;
  features?: readonly string[];
  projects?: readonly string[];
  environments?: readonly string[];
  /** IDs of groups of events that were written together. */
  groups?: readonly string[];
  types?: readonly string[];
  /** Excludes these types. */
  typesOtherThan?: readonly string[];
  /** User IDs of the authors. */
  creators?: readonly number[];
  /** Inclusive. */
  creatorFrom?: number;
  /** Exclusive. */
  creatorBefore?: number;
  /** Author names, as recorded. */
  creatorNames?: readonly string[];
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  before?: Date;
};

/** Search criteria for the event log. */
export type EventCriteria = EventConditions & {
  /** All of these must match. */
  and?: readonly EventCriteria[];
  /** At least one must match; an empty list matches nothing. */
  or?: readonly EventCriteria[];
  /** Must not match. Events that lack the tested value match, so a filter and its negation cover all events. */
  not?: EventCriteria;
};

/** The caller for whom events are read. */
export type EventViewer = Pick<Viewer, 'visibleProjects'> & {
  /** Whether it sees events without a project. */
  seesAllEvents: boolean;
};

/** Features whose events an index finds faster than a scan. */
const FEW_FEATURES = 100;

/** Whether an index leads to the few events among which the matches are. */
export const isNarrow = ({ ids, features, and = [] }: EventCriteria): boolean =>
  ids !== undefined ||
  (features !== undefined && features.length <= FEW_FEATURES) ||
  and.some(isNarrow);

/** Compares a single value with `=`: only then does an index return its events in order. */
const among = <Value extends string | number>(
  column: Sql,
  values: readonly Value[],
  type: 'int' | 'text',
): Sql =>
  values.length === 1
    ? Prisma.sql`${column} = ${values[0]}`
    : Prisma.sql`${column} = any(${values}::${Prisma.raw(type)}[])`;

const amongIds = (ids: readonly number[]) => among(Prisma.sql`e.id`, ids, 'int');

const amongFeatures = (names: readonly string[]) =>
  among(Prisma.sql`e.feature_name`, names, 'text');

/** The condition by which an index leads to few events. Null if there is none. */
export const narrowCondition = (criteria: EventCriteria): Sql | null => {
  if (!isNarrow(criteria)) return null;
  const { ids, features, and = [] } = criteria;
  if (ids) return amongIds(ids);
  const part = and.find(isNarrow);
  return part ? narrowCondition(part) : amongFeatures(features ?? []);
};

const TEXT_COLUMNS: readonly { list: EventTextList; column: Sql }[] = [
  { list: 'features', column: Prisma.sql`e.feature_name` },
  { list: 'projects', column: Prisma.sql`e.project` },
  { list: 'environments', column: Prisma.sql`e.environment` },
  // Only used if the column exists.
  { list: 'groups', column: Prisma.sql`e.group_id` },
  { list: 'types', column: Prisma.sql`e.type` },
  { list: 'creatorNames', column: Prisma.sql`e.created_by` },
];

const conditionsOf = (criteria: EventCriteria): Sql[] => {
  const pattern = criteria.text ? `%${literalPattern(criteria.text)}%` : undefined;
  return [
    ...condition(criteria.ids, amongIds),
    ...condition(criteria.idFrom, (id) => Prisma.sql`e.id >= ${id}`),
    ...condition(criteria.idBefore, (id) => Prisma.sql`e.id < ${id}`),
    ...condition(criteria.creatorFrom, (id) => Prisma.sql`e.created_by_user_id >= ${id}`),
    ...condition(criteria.creatorBefore, (id) => Prisma.sql`e.created_by_user_id < ${id}`),
    ...condition(criteria.from, (from) => Prisma.sql`e.created_at >= ${from}`),
    ...condition(criteria.before, (before) => Prisma.sql`e.created_at < ${before}`),
    ...condition(criteria.creators, (ids) => among(Prisma.sql`e.created_by_user_id`, ids, 'int')),
    ...condition(criteria.creatorNames, (list) => among(Prisma.sql`e.created_by`, list, 'text')),
    ...condition(criteria.features, amongFeatures),
    ...condition(criteria.projects, (list) => among(Prisma.sql`e.project`, list, 'text')),
    ...condition(criteria.environments, (list) => among(Prisma.sql`e.environment`, list, 'text')),
    // Only used if the columns exist.
    ...condition(criteria.groups, (list) => among(Prisma.sql`e.group_id`, list, 'text')),
    ...condition(criteria.types, (list) => among(Prisma.sql`e.type`, list, 'text')),
    ...condition(criteria.typesOtherThan, (list) => Prisma.sql`e.type <> all(${list}::text[])`),
    ...condition(
      pattern,
      (text) =>
        Prisma.sql`(e.data::text ilike ${text} or e.tags::text ilike ${text} or e.pre_data::text ilike ${text})`,
    ),
    ...condition(criteria.touches, touchedPath),
    ...condition(criteria.tag, hasTag),
    ...TEXT_COLUMNS.flatMap(({ list, column }) =>
      matchesPattern(column, criteria.patterns?.[list] ?? {}),
    ),
    ...(criteria.and ?? []).map(meeting),
    ...condition(criteria.or, meetingOne),
    // Conditions on null columns are unknown, which is not true either.
    ...condition(criteria.not, (other) => Prisma.sql`${meeting(other)} is not true`),
  ];
};

/** All criteria must match; without any, all events do. */
const meeting = (criteria: EventCriteria): Sql => {
  const conditions = conditionsOf(criteria);
  return conditions.length > 0
    ? Prisma.sql`(${Prisma.join(conditions, ' and ')})`
    : Prisma.sql`true`;
};

const meetingOne = (choices: readonly EventCriteria[]): Sql =>
  choices.length > 0
    ? Prisma.sql`(${Prisma.join(choices.map(meeting), ' or ')})`
    : Prisma.sql`false`;

/** If projects are hidden from the viewer, so are events without a project. */
const shownTo = (viewer: EventViewer): Sql[] => {
  if (viewer.visibleProjects !== null) return [inVisibleProject(viewer, Prisma.sql`e.project`)];
  return viewer.seesAllEvents ? [] : [Prisma.sql`e.project is not null`];
};

/** Matches events (alias `e`) that meet the criteria and that the viewer may see. */
export const matchingEvents = (viewer: EventViewer, criteria: EventCriteria): Sql => {
  const conditions = [...shownTo(viewer), ...conditionsOf(criteria)];
  return conditions.length > 0 ? Prisma.join(conditions, ' and ') : Prisma.sql`true`;
};
