import { type Db, Prisma, type Sql } from '../db.js';
import { parseExactly } from '../json/parse-exactly.js';
import { withOptionalColumns } from '../sql/optional-columns.sql.js';
import { milliseconds, parseRows, readJson } from '../sql/read-rows.sql.js';

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
export const eventColumns = (hasPayload: boolean): Sql =>
  hasPayload ? EVENT_COLUMNS : FACT_COLUMNS;

/** Only payloads contain numbers that JavaScript cannot represent. */
export const parserFor = (hasPayload: boolean): ((json: string) => unknown) =>
  hasPayload ? parseExactly : JSON.parse;

/** Also works if the events table has no group columns. */
export const selectEvents = (select: Sql): Sql =>
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
export const readEvents = async <Row extends EventRow>(db: Db, select: Sql) =>
  parseEvents<Row>(await readJson(db, selectEvents(select)));
