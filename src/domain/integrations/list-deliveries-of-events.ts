import type { Db } from '../../data/db.js';
import { groupBy } from '../../data/grouping.js';
import type { IntegrationEventRow } from '../../data/integrations/deliveries.sql.js';
import type { IntegrationEventCriteria } from '../../data/integrations/delivery-conditions.sql.js';
import {
  countDeliveriesOfEvents as countHits,
  readDeliveriesOfEvents,
} from '../../data/integrations/event-deliveries.sql.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { requireAdmin } from './integration-access.js';
import { assertDeliveryCriteria } from './list-integration-events.js';

type Query = { eventIds: readonly number[]; criteria: IntegrationEventCriteria };

/** One page of deliveries per event, to any integration, in one statement. */
export const listDeliveriesOfEvents = async (
  db: Db,
  actor: Actor,
  query: Query & { page: KeysetPage<bigint> },
): Promise<ReadonlyMap<number, Slice<IntegrationEventRow>>> => {
  requireAdmin(actor);
  assertDeliveryCriteria(query.criteria);

  const { eventIds, page } = query;
  const rowsOf = groupBy(await readDeliveriesOfEvents(db, actor, query), (row) => row.eventId);
  return new Map(
    eventIds.map((id) => [id, sliceOf<IntegrationEventRow>(rowsOf.get(id) ?? [], page)]),
  );
};

/** Counts matching deliveries per event, up to `upTo` if given. */
export const countDeliveriesOfEvents = async (
  db: Db,
  actor: Actor,
  { upTo = Number.POSITIVE_INFINITY, ...query }: Query & { upTo?: number | undefined },
): Promise<ReadonlyMap<number, number>> => {
  requireAdmin(actor);
  assertDeliveryCriteria(query.criteria);

  const totals = await countHits(db, actor, query);
  return new Map([...totals].map(([id, total]) => [id, Math.min(upTo, total)]));
};
