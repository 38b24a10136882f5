import { type Db, Prisma } from '../db.js';
import { milliseconds, readRows } from '../sql/read-rows.sql.js';
import type { Viewer } from '../viewer.js';
import { shownDeliveries } from './delivery-conditions.sql.js';

/** Deliveries of one state; IDs as text. */
export type StateRow = { state: string; count: number; last: string; since: number };

export type StatsRow = {
  integrationId: number;
  states: StateRow[];
  commonestFailure: { stateDetails: string; count: number; last: string } | null;
};

/** Delivery statistics per integration. Deliveries in any state but `success` failed. */
export const readIntegrationStats = (
  db: Db,
  viewer: Viewer,
  integrationIds: readonly number[],
  success: string,
): Promise<StatsRow[]> =>
  readRows<StatsRow>(
    db,
    Prisma.sql`
    with kept as (
      select d.integration_id as owner, d.state, d.state_details as details, count(*) as count,
        max(d.id) as last, min(d.created_at) as since
      from integration_events d
      where d.integration_id = any(${integrationIds}::int[]) and ${shownDeliveries(viewer)} group by 1, 2, 3
    ), states as (
      select owner, state, sum(count) as count, max(last) as last, min(since) as since
      from kept group by 1, 2
    ), failures as (
      select owner, details, sum(count) as count, max(last) as last
      from kept where state <> ${success} group by 1, 2
    )
    select s.owner as "integrationId", json_agg(
      json_build_object(
        'state', s.state, 'count', s.count, 'last', s.last::text,
        'since', ${milliseconds(Prisma.sql`s.since`)}
      ) order by s.count desc, s.state collate "C"
    ) as states, (
      select json_build_object('stateDetails', f.details, 'count', f.count, 'last', f.last::text)
      from failures f where f.owner = s.owner order by f.count desc, f.last desc limit 1
    ) as "commonestFailure"
    from states s group by s.owner`,
  );
