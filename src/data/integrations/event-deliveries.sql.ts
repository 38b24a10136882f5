import { type Db, Prisma } from '../db.js';
import type { KeysetPage } from '../paging.js';
import type { Viewer } from '../viewer.js';
import { DELIVERY_COLUMNS, type IntegrationEventRow, readDeliveries } from './deliveries.sql.js';
import {
  deliveredValue,
  type IntegrationEventCriteria,
  matchingDeliveries,
} from './delivery-conditions.sql.js';

/** Deliveries of many events. */
type OfEvents = { eventIds: readonly number[]; criteria: IntegrationEventCriteria };

/** The matching deliveries of all events, searched once, because no index finds them by event. */
const hitsOf = (viewer: Viewer, { eventIds, criteria }: OfEvents): Prisma.Sql => Prisma.sql`
  with hits as materialized (
    select owner.id as event_id, d.id from unnest(${eventIds}::int[]) as owner(id)
    join integration_events d on ${deliveredValue('id')} = to_jsonb(owner.id)
    where ${matchingDeliveries(viewer, criteria)}
  )`;

/** One page per event, each with one extra row. */
export const readDeliveriesOfEvents = (
  db: Db,
  viewer: Viewer,
  { page, ...query }: OfEvents & { page: KeysetPage<bigint> },
): Promise<(IntegrationEventRow & { eventId: number })[]> => {
  const { after, before, backward, limit } = page;
  const order = backward ? Prisma.sql`asc` : Prisma.sql`desc`;
  return readDeliveries<{ eventId: number }>(
    db,
    Prisma.sql`
    ${hitsOf(viewer, query)}, ranked as (
      select h.*, row_number() over (partition by h.event_id order by h.id ${order}) as place from hits h
      where true ${after === undefined ? Prisma.empty : Prisma.sql`and h.id < ${after}`}
        ${before === undefined ? Prisma.empty : Prisma.sql`and h.id > ${before}`}
    )
    select r.event_id as "eventId", ${DELIVERY_COLUMNS} from ranked r join integration_events d on d.id = r.id
    where r.place <= ${limit + 1}::int order by d.id ${order}`,
  );
};

/** Events without deliveries are missing. */
export const countDeliveriesOfEvents = async (
  db: Db,
  viewer: Viewer,
  query: OfEvents,
): Promise<ReadonlyMap<number, number>> => {
  const rows = await db.$queryRaw<{ id: number; total: bigint }[]>(Prisma.sql`
    ${hitsOf(viewer, query)} select event_id as id, count(*) as total from hits group by 1`);
  return new Map(rows.map(({ id, total }) => [id, Number(total)]));
};
