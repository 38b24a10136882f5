import { type IntegrationEvent, Prisma } from '../../data/db.js';

/** The record of one delivery of an event to an integration. */
export type IntegrationEventRow = IntegrationEvent;

export type IntegrationEventCriteria = {
  states?: readonly string[];
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  before?: Date;
};

export const INTEGRATION_EVENT_COLUMNS = Prisma.sql`d.id, d.integration_id as "integrationId",
  d.created_at as "createdAt", d.state, d.state_details as "stateDetails", d.event, d.details`;

/** The deliveries (aliased `d`) that meet the criteria, as the rest of an `and`. */
export const matchingDeliveries = ({
  states,
  from,
  before,
}: IntegrationEventCriteria) => Prisma.sql`
  ${states === undefined ? Prisma.empty : Prisma.sql`and d.state = any(${states}::text[])`}
  ${from === undefined ? Prisma.empty : Prisma.sql`and d.created_at >= ${from}`}
  ${before === undefined ? Prisma.empty : Prisma.sql`and d.created_at < ${before}`}`;
