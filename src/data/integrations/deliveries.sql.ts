import { type Db, type IntegrationEvent, Prisma } from '../db.js';
import { parseExactly } from '../json/parse-exactly.js';
import type { KeysetPage, OffsetPage, Order } from '../paging.js';
import { countEachUpTo } from '../sql/count-up-to.sql.js';
import {
  keysetBounds,
  keysetOrder,
  type OrderedPage,
  type Position,
  type SortKey,
} from '../sql/keyset.sql.js';
import { milliseconds, parseRows, readJson } from '../sql/read-rows.sql.js';
import type { Viewer } from '../viewer.js';
import {
  type IntegrationEventCriteria,
  matchingDeliveries,
  shownDeliveries,
} from './delivery-conditions.sql.js';

/** The record of one delivery of an event to an integration. */
export type IntegrationEventRow = IntegrationEvent;

export type DeliveryOrder = Order<'ID' | 'CREATED_AT'>;

export type DeliveryPageQuery = {
  integrationIds: readonly number[];
  criteria: IntegrationEventCriteria;
  /** Default: by ID, newest first. */
  order?: DeliveryOrder;
  /** The position is the ID, or the timestamp in milliseconds and the ID. */
  page: KeysetPage<Position>;
};

/** Counts all, or up to `upTo` if given. */
export type DeliveryCountQuery = Omit<DeliveryPageQuery, 'page' | 'order'> & {
  upTo?: number | undefined;
};

/** Columns of deliveries (alias `d`). */
export const DELIVERY_COLUMNS = Prisma.sql`d.id::text, d.integration_id as "integrationId",
  ${milliseconds(Prisma.sql`d.created_at`)} as "createdAt", d.state, d.state_details as "stateDetails",
  d.event, d.details`;

/** Returns deliveries in the order of the select. */
export const readDeliveries = async <More = unknown>(
  db: Db,
  select: Prisma.Sql,
  parse: (json: string) => unknown = parseExactly,
): Promise<(IntegrationEventRow & More)[]> => {
  const rows = await parseRows<
    Omit<IntegrationEventRow, 'id' | 'createdAt'> & More & { id: string; createdAt: number }
  >(await readJson(db, select), parse);
  return rows.map((row) => ({
    ...row,
    id: BigInt(row.id),
    createdAt: new Date(row.createdAt),
  }));
};

/** Deliveries to one integration, newest first, with numbers rounded to doubles. */
export const readDeliveriesAt = (
  db: Db,
  viewer: Viewer,
  integrationId: number,
  { limit, offset }: OffsetPage,
): Promise<IntegrationEventRow[]> =>
  readDeliveries(
    db,
    Prisma.sql`
    select ${DELIVERY_COLUMNS} from integration_events d
    where d.integration_id = ${integrationId} and ${shownDeliveries(viewer)}
    order by d.id desc limit ${limit} offset ${offset}`,
    JSON.parse,
  );

const NEWEST_FIRST: DeliveryOrder = { field: 'ID', descending: true };

const ID: SortKey = { sql: Prisma.sql`d.id`, type: 'bigint' };

/** Deliveries (alias `d`) by ID, which an index serves, or by timestamp. */
const KEYS: Readonly<Record<DeliveryOrder['field'], readonly SortKey[]>> = {
  ID: [ID],
  CREATED_AT: [
    { sql: Prisma.sql`${milliseconds(Prisma.sql`d.created_at`)}::bigint`, type: 'bigint' },
    ID,
  ],
};

const LISTED_ID: SortKey = { sql: Prisma.sql`page.id::bigint`, type: 'bigint' };

/** The same of the selected rows (alias `page`). */
const LISTED_KEYS: typeof KEYS = {
  ID: [LISTED_ID],
  CREATED_AT: [{ sql: Prisma.sql`page."createdAt"`, type: 'bigint' }, LISTED_ID],
};

/** One page per integration, each with one extra row. */
export const readDeliveryPages = (
  db: Db,
  viewer: Viewer,
  { integrationIds, criteria, page, order = NEWEST_FIRST }: DeliveryPageQuery,
): Promise<IntegrationEventRow[]> => {
  const keys = KEYS[order.field];
  const ordered: OrderedPage = { ...page, descending: order.descending };
  return readDeliveries(
    db,
    Prisma.sql`
    select page.* from unnest(${integrationIds}::int[]) as owner(id)
    cross join lateral (
      select ${DELIVERY_COLUMNS} from integration_events d
      where d.integration_id = owner.id and ${matchingDeliveries(viewer, criteria)}
        and ${keysetBounds(keys, ordered)}
      order by ${keysetOrder(keys, ordered)} limit ${page.limit + 1}
    ) page order by ${keysetOrder(LISTED_KEYS[order.field], ordered)}`,
  );
};

export const countDeliveries = async (
  db: Db,
  viewer: Viewer,
  { integrationIds, criteria, upTo }: DeliveryCountQuery,
): Promise<ReadonlyMap<number, number>> => {
  const matching = matchingDeliveries(viewer, criteria);
  if (upTo !== undefined) {
    const rows = Prisma.sql`from integration_events d where d.integration_id = owner.key and ${matching}`;
    return countEachUpTo(db, { keys: integrationIds, type: 'int', rows, upTo });
  }
  const rows = await db.$queryRaw<{ id: number; total: bigint }[]>(Prisma.sql`
    select d.integration_id as id, count(*) as total from integration_events d
    where d.integration_id = any(${integrationIds}::int[]) and ${matching} group by 1`);
  return new Map(rows.map(({ id, total }) => [id, Number(total)]));
};

export const readDeliveriesById = (
  db: Db,
  viewer: Viewer,
  ids: readonly bigint[],
): Promise<IntegrationEventRow[]> =>
  readDeliveries(
    db,
    Prisma.sql`select ${DELIVERY_COLUMNS} from integration_events d
      where d.id = any(${ids}::bigint[]) and ${shownDeliveries(viewer)}`,
  );
