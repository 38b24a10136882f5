import { condition, literalPattern } from '../../data/conditions.js';
import { type Db, Prisma } from '../../data/db.js';
import { withOptionalColumns } from '../../data/optional-columns.js';
import { parseExactly } from '../../data/parse-exactly.js';
import { milliseconds, parseRows, readJson } from '../../data/read-rows.js';
import { inVisibleProject } from '../../data/visible-projects.js';
import type { Actor } from '../actor.js';
import { touchedPath } from './changes/touched-path.js';
import { type EventCriteria, isNarrow } from './event-criteria.js';

export type EventRow = {
  id: number;
  type: string;
  createdBy: string;
  createdAt: Date | null;
  createdByUserId: number | null;
  data: unknown;
  preData: unknown;
  tags: unknown;
  featureName: string | null;
  projectId: string | null;
  environment: string | null;
  ip: string | null;
  /** Shared by events that were written together; null before Unleash 7.x. */
  groupType: string | null;
  groupId: string | null;
};

const FACT_COLUMNS = Prisma.sql`e.id, e.type, e.created_by as "createdBy",
  ${milliseconds(Prisma.sql`e.created_at`)} as "createdAt", e.created_by_user_id as "createdByUserId",
  e.feature_name as "featureName", e.project as "projectId", e.environment, e.ip,
  group_type as "groupType", group_id as "groupId"`;

export const EVENT_COLUMNS = Prisma.sql`${FACT_COLUMNS}, e.data, e.pre_data as "preData", e.tags`;

/** Payloads are most of an event, so they are read only if needed. */
export const eventColumns = (hasPayload: boolean): Prisma.Sql =>
  hasPayload ? EVENT_COLUMNS : FACT_COLUMNS;

/** Also works if the events table has no group columns. */
export const selectEvents = (select: Prisma.Sql): Prisma.Sql =>
  withOptionalColumns({ group_type: 'text', group_id: 'text' }, select);

export const parseEvents = async <Row extends EventRow>(
  json: string | null,
  parse: (json: string) => unknown = parseExactly,
): Promise<Row[]> => {
  const rows = await parseRows<Row & { createdAt: number | Date | null }>(json, parse);
  for (const row of rows) {
    if (row.createdAt !== null) row.createdAt = new Date(row.createdAt);
  }
  return rows;
};

/** Returns events in the order of the select. */
export const readEvents = async <Row extends EventRow>(db: Db, select: Prisma.Sql) =>
  parseEvents<Row>(await readJson(db, selectEvents(select)));

/** Compares a single value with `=`: only then does an index return its events in order. */
const among = <Value extends string | number>(
  column: Prisma.Sql,
  values: readonly Value[],
  type: 'int' | 'text',
): Prisma.Sql =>
  values.length === 1
    ? Prisma.sql`${column} = ${values[0]}`
    : Prisma.sql`${column} = any(${values}::${Prisma.raw(type)}[])`;

const amongIds = (ids: readonly number[]) => among(Prisma.sql`e.id`, ids, 'int');

const amongFeatures = (names: readonly string[]) =>
  among(Prisma.sql`e.feature_name`, names, 'text');

/** The condition by which an index leads to few events. Null if there is none. */
export const narrowCondition = (criteria: EventCriteria): Prisma.Sql | null => {
  if (!isNarrow(criteria)) return null;
  const { ids, features, and = [] } = criteria;
  if (ids) return amongIds(ids);
  const part = and.find(isNarrow);
  return part ? narrowCondition(part) : amongFeatures(features ?? []);
};

const conditionsOf = (criteria: EventCriteria): Prisma.Sql[] => {
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
    ...(criteria.and ?? []).map(meeting),
    ...condition(criteria.or, meetingOne),
    // Conditions on null columns are unknown, which is not true either.
    ...condition(criteria.not, (other) => Prisma.sql`${meeting(other)} is not true`),
  ];
};

/** All criteria must match; without any, all events do. */
const meeting = (criteria: EventCriteria): Prisma.Sql => {
  const conditions = conditionsOf(criteria);
  return conditions.length > 0
    ? Prisma.sql`(${Prisma.join(conditions, ' and ')})`
    : Prisma.sql`true`;
};

const meetingOne = (choices: readonly EventCriteria[]): Prisma.Sql =>
  choices.length > 0
    ? Prisma.sql`(${Prisma.join(choices.map(meeting), ' or ')})`
    : Prisma.sql`false`;

/** If projects are hidden from the actor, so are events without a project. */
const shownTo = (actor: Actor): Prisma.Sql[] => {
  if (actor.visibleProjects !== null) return [inVisibleProject(actor, Prisma.sql`e.project`)];
  return actor.seesAllEvents ? [] : [Prisma.sql`e.project is not null`];
};

/** Matches events (alias `e`) that meet the criteria and that the actor may see. */
export const matchingEvents = (actor: Actor, criteria: EventCriteria): Prisma.Sql => {
  const conditions = [...shownTo(actor), ...conditionsOf(criteria)];
  return conditions.length > 0 ? Prisma.join(conditions, ' and ') : Prisma.sql`true`;
};
