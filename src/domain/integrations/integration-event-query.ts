import { type Db, type IntegrationEvent, Prisma } from '../../data/db.js';
import { milliseconds, readRows } from '../../data/read-rows.js';

/** The record of one delivery of an event to an integration. */
export type IntegrationEventRow = IntegrationEvent;

export type IntegrationEventCriteria = {
  states?: readonly string[];
  statesOtherThan?: readonly string[];
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  before?: Date;
};

export const INTEGRATION_EVENT_COLUMNS = Prisma.sql`d.id::text, d.integration_id as "integrationId",
  ${milliseconds(Prisma.sql`d.created_at`)} as "createdAt", d.state, d.state_details as "stateDetails",
  d.event, d.details`;

/** The deliveries a select of these columns finds, in its order. */
export const readDeliveries = async (
  db: Db,
  select: Prisma.Sql,
): Promise<IntegrationEventRow[]> => {
  const rows = await readRows<
    Omit<IntegrationEventRow, 'id' | 'createdAt'> & { id: string; createdAt: number }
  >(db, select);
  return rows.map((row) => ({
    ...row,
    id: BigInt(row.id),
    createdAt: new Date(row.createdAt),
  }));
};

/** The deliveries (aliased `d`) that meet the criteria, as the rest of an `and`. */
export const matchingDeliveries = ({
  states,
  statesOtherThan,
  from,
  before,
}: IntegrationEventCriteria) => Prisma.sql`
  ${states === undefined ? Prisma.empty : Prisma.sql`and d.state = any(${states}::text[])`}
  ${statesOtherThan === undefined ? Prisma.empty : Prisma.sql`and d.state <> all(${statesOtherThan}::text[])`}
  ${from === undefined ? Prisma.empty : Prisma.sql`and d.created_at >= ${from}`}
  ${before === undefined ? Prisma.empty : Prisma.sql`and d.created_at < ${before}`}`;
