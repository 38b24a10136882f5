import { Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { literalPattern } from '../text.js';
import type { EventCriteria } from './event-criteria.js';

/** An event as it is recorded. */
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
};

export const EVENT_COLUMNS = Prisma.sql`e.id, e.type, e.created_by as "createdBy", e.created_at as "createdAt",
  e.created_by_user_id as "createdByUserId", e.data, e.pre_data as "preData", e.tags,
  e.feature_name as "featureName", e.project as "projectId", e.environment, e.ip`;

const condition = <Value>(value: Value | undefined, sql: (value: Value) => Prisma.Sql) =>
  value === undefined ? [] : [sql(value)];

/** The events (aliased `e`) that meet the criteria and that the actor may see. */
export const matchingEvents = (actor: Actor, criteria: EventCriteria): Prisma.Sql => {
  const pattern = criteria.text ? `%${literalPattern(criteria.text)}%` : undefined;
  const conditions = [
    ...condition(criteria.ids, (ids) => Prisma.sql`e.id = any(${ids}::int[])`),
    ...condition(criteria.idFrom, (id) => Prisma.sql`e.id >= ${id}`),
    ...condition(criteria.idBefore, (id) => Prisma.sql`e.id < ${id}`),
    ...condition(criteria.creatorFrom, (id) => Prisma.sql`e.created_by_user_id >= ${id}`),
    ...condition(criteria.creatorBefore, (id) => Prisma.sql`e.created_by_user_id < ${id}`),
    ...condition(criteria.from, (from) => Prisma.sql`e.created_at >= ${from}`),
    ...condition(criteria.before, (before) => Prisma.sql`e.created_at < ${before}`),
    ...condition(criteria.creators, (ids) => Prisma.sql`e.created_by_user_id = any(${ids}::int[])`),
    ...condition(criteria.features, (list) => Prisma.sql`e.feature_name = any(${list}::text[])`),
    ...condition(criteria.projects, (list) => Prisma.sql`e.project = any(${list}::text[])`),
    ...condition(criteria.environments, (list) => Prisma.sql`e.environment = any(${list}::text[])`),
    ...condition(criteria.types, (list) => Prisma.sql`e.type = any(${list}::text[])`),
    ...condition(criteria.typesOtherThan, (list) => Prisma.sql`e.type <> all(${list}::text[])`),
    ...(actor.seesAllEvents ? [] : [Prisma.sql`e.project is not null`]),
    ...condition(
      pattern,
      (text) =>
        Prisma.sql`(e.data::text ilike ${text} or e.tags::text ilike ${text} or e.pre_data::text ilike ${text})`,
    ),
  ];
  return conditions.length > 0 ? Prisma.join(conditions, ' and ') : Prisma.sql`true`;
};
