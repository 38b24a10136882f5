import type { Db } from '../../data/db.js';
import { groupBy, indexBy } from '../../data/grouping.js';
import {
  countDeliveries,
  type DeliveryCountQuery,
  type DeliveryOrder,
  type DeliveryPageQuery,
  type IntegrationEventRow,
  readDeliveriesAt,
  readDeliveriesById,
  readDeliveryPages,
} from '../../data/integrations/deliveries.sql.js';
import type {
  DeliveryList,
  IntegrationEventCriteria,
} from '../../data/integrations/delivery-conditions.sql.js';
import type { OffsetPage } from '../../data/paging.js';
import type { Actor } from '../actor.js';
import { type Slice, sliceOf } from '../paging.js';
import { assertPattern, assertText } from '../text.js';
import { requireAdmin } from './integration-access.js';
import { assertIntegration } from './list-integrations.js';

export type { DeliveryOrder, IntegrationEventCriteria };

const MAX_OFFSET = 2 ** 53;

const LISTED: Readonly<Record<DeliveryList, string>> = {
  states: 'A state',
  types: 'An event type',
  features: 'A feature name',
  projects: 'A project id',
  environments: 'An environment',
};

/** Rejects texts that PostgreSQL cannot store, since no delivery could match them. */
export const assertDeliveryCriteria = (criteria: IntegrationEventCriteria): void => {
  for (const [list, what] of Object.entries(LISTED) as [DeliveryList, string][]) {
    const values = [...(criteria[list] ?? []), ...(criteria[`${list}OtherThan`] ?? [])];
    assertText(`${what} of the filter`, ...values);
    assertPattern(`${what} of the filter`, criteria.patterns?.[list] ?? {});
  }
};

/** Deliveries to one integration at an offset, newest first, with numbers rounded to doubles as in Unleash. */
export const listIntegrationEvents = async (
  db: Db,
  actor: Actor,
  { integrationId, page }: { integrationId: number; page: OffsetPage },
): Promise<IntegrationEventRow[]> => {
  await assertIntegration(db, actor, integrationId);

  if (page.limit === 0 || page.offset > MAX_OFFSET) return [];
  return readDeliveriesAt(db, actor, integrationId, page);
};

/** One page of deliveries next to a known ID per integration, in one statement. */
export const listIntegrationEventsOf = async (
  db: Db,
  actor: Actor,
  query: DeliveryPageQuery,
): Promise<ReadonlyMap<number, Slice<IntegrationEventRow>>> => {
  requireAdmin(actor);
  assertDeliveryCriteria(query.criteria);

  const { integrationIds, page } = query;
  const rows = await readDeliveryPages(db, actor, query);
  const rowsOf = groupBy(rows, (row) => row.integrationId);
  return new Map(integrationIds.map((id) => [id, sliceOf(rowsOf.get(id) ?? [], page)]));
};

/** Counts matching deliveries per integration, up to `upTo` if given. */
export const countIntegrationEventsOf = async (
  db: Db,
  actor: Actor,
  query: DeliveryCountQuery,
): Promise<ReadonlyMap<number, number>> => {
  requireAdmin(actor);
  assertDeliveryCriteria(query.criteria);

  return countDeliveries(db, actor, query);
};

/** Deliveries by ID; those no longer on record are missing. */
export const findIntegrationEvents = async (
  db: Db,
  actor: Actor,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, IntegrationEventRow>> => {
  requireAdmin(actor);

  return indexBy(await readDeliveriesById(db, actor, ids), ({ id }) => id);
};
