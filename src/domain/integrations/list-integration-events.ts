import { countEachUpTo } from '../../data/count-up-to.js';
import { type Db, Prisma } from '../../data/db.js';
import { groupBy, indexBy } from '../../data/grouping.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type OffsetPage, type Slice, sliceOf } from '../paging.js';
import {
  assertDeliveryCriteria,
  INTEGRATION_EVENT_COLUMNS,
  type IntegrationEventCriteria,
  type IntegrationEventRow,
  matchingDeliveries,
  readDeliveries,
  shownDeliveries,
} from './integration-event-query.js';
import { assertIntegration } from './list-integrations.js';
import { requireAdmin } from './require-admin.js';

const MAX_OFFSET = 2 ** 53;

/** Deliveries to one integration at an offset, newest first, with numbers rounded to doubles as in Unleash. */
export const listIntegrationEvents = async (
  db: Db,
  actor: Actor,
  { integrationId, page }: { integrationId: number; page: OffsetPage },
): Promise<IntegrationEventRow[]> => {
  await assertIntegration(db, actor, integrationId);

  if (page.limit === 0 || page.offset > MAX_OFFSET) return [];
  return readDeliveries(
    db,
    Prisma.sql`
    select ${INTEGRATION_EVENT_COLUMNS} from integration_events d
    where d.integration_id = ${integrationId} and ${shownDeliveries(actor)}
    order by d.id desc limit ${page.limit} offset ${page.offset}`,
    JSON.parse,
  );
};

/** One page of deliveries next to a known ID per integration, in one statement. */
export const listIntegrationEventsOf = async (
  db: Db,
  actor: Actor,
  {
    integrationIds,
    criteria,
    page,
  }: {
    integrationIds: readonly number[];
    criteria: IntegrationEventCriteria;
    page: KeysetPage<bigint>;
  },
): Promise<ReadonlyMap<number, Slice<IntegrationEventRow>>> => {
  requireAdmin(actor);
  assertDeliveryCriteria(criteria);

  const { after, before, backward, limit } = page;
  const rows = await readDeliveries(
    db,
    Prisma.sql`
    select page.* from unnest(${integrationIds}::int[]) as owner(id)
    cross join lateral (
      select ${INTEGRATION_EVENT_COLUMNS} from integration_events d
      where d.integration_id = owner.id and ${matchingDeliveries(actor, criteria)}
        ${after === undefined ? Prisma.empty : Prisma.sql`and d.id < ${after}`}
        ${before === undefined ? Prisma.empty : Prisma.sql`and d.id > ${before}`}
      order by d.id ${backward ? Prisma.sql`asc` : Prisma.sql`desc`} limit ${limit + 1}
    ) page order by page.id::bigint ${backward ? Prisma.sql`asc` : Prisma.sql`desc`}`,
  );

  const rowsOf = groupBy(rows, (row) => row.integrationId);
  return new Map(integrationIds.map((id) => [id, sliceOf(rowsOf.get(id) ?? [], page)]));
};

/** Counts matching deliveries per integration, up to `upTo` if given. */
export const countIntegrationEventsOf = async (
  db: Db,
  actor: Actor,
  {
    integrationIds,
    criteria,
    upTo,
  }: {
    integrationIds: readonly number[];
    criteria: IntegrationEventCriteria;
    upTo?: number | undefined;
  },
): Promise<ReadonlyMap<number, number>> => {
  requireAdmin(actor);
  assertDeliveryCriteria(criteria);

  const matching = matchingDeliveries(actor, criteria);
  if (upTo !== undefined) {
    const rows = Prisma.sql`from integration_events d where d.integration_id = owner.key and ${matching}`;
    return countEachUpTo(db, { keys: integrationIds, type: 'int', rows, upTo });
  }
  const rows = await db.$queryRaw<{ id: number; total: bigint }[]>(Prisma.sql`
    select d.integration_id as id, count(*) as total from integration_events d
    where d.integration_id = any(${integrationIds}::int[]) and ${matching} group by 1`);
  return new Map(rows.map(({ id, total }) => [id, Number(total)]));
};

/** Deliveries by ID; those no longer on record are missing. */
export const findIntegrationEvents = async (
  db: Db,
  actor: Actor,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, IntegrationEventRow>> => {
  requireAdmin(actor);

  const rows = await readDeliveries(
    db,
    Prisma.sql`select ${INTEGRATION_EVENT_COLUMNS} from integration_events d
      where d.id = any(${ids}::bigint[]) and ${shownDeliveries(actor)}`,
  );
  return indexBy(rows, ({ id }) => id);
};
