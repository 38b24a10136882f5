import { type Db, Prisma } from '../../data/db.js';
import { milliseconds, readRows } from '../../data/read-rows.js';
import type { Actor } from '../actor.js';
import { shownDeliveries } from './integration-event-query.js';
import { requireAdmin } from './require-admin.js';

export type StateCount = { state: string; count: number };

/** Details of failed deliveries, their count, and the ID of the last one. */
export type Failure = { stateDetails: string; count: number; last: bigint };

/** Statistics of the deliveries on record for one integration. */
export type IntegrationStats = {
  /** Timestamp of the oldest delivery. */
  since: Date | null;
  deliveries: number;
  succeeded: number;
  failed: number;
  byState: StateCount[];
  /** Delivery IDs. */
  lastSuccess: bigint | null;
  lastFailure: bigint | null;
  commonestFailure: Failure | null;
};

/** The only state without trouble; the database has no list of the others. */
const SUCCESS = 'success';

type StateRow = StateCount & { last: string; since: number };
type StatsRow = {
  integrationId: number;
  states: StateRow[];
  commonestFailure: { stateDetails: string; count: number; last: string } | null;
};

const sum = (states: readonly StateCount[]): number =>
  states.reduce((total, { count }) => total + count, 0);

const newestOf = (states: readonly StateRow[]): bigint | null =>
  states
    .map(({ last }) => BigInt(last))
    .reduce<bigint | null>((newest, id) => (newest === null || id > newest ? id : newest), null);

const toStats = ({
  states,
  commonestFailure,
}: Omit<StatsRow, 'integrationId'>): IntegrationStats => {
  const successes = states.filter(({ state }) => state === SUCCESS);
  const failures = states.filter(({ state }) => state !== SUCCESS);
  return {
    since: states.length === 0 ? null : new Date(Math.min(...states.map(({ since }) => since))),
    deliveries: sum(states),
    succeeded: sum(successes),
    failed: sum(failures),
    byState: states.map(({ state, count }) => ({ state, count })),
    lastSuccess: newestOf(successes),
    lastFailure: newestOf(failures),
    commonestFailure: commonestFailure && {
      ...commonestFailure,
      last: BigInt(commonestFailure.last),
    },
  };
};

export const NO_DELIVERIES: IntegrationStats = toStats({ states: [], commonestFailure: null });

/** Delivery statistics per integration, in one statement; integrations without deliveries are missing. */
export const listIntegrationStats = async (
  db: Db,
  actor: Actor,
  integrationIds: readonly number[],
): Promise<ReadonlyMap<number, IntegrationStats>> => {
  requireAdmin(actor);

  const rows = await readRows<StatsRow>(
    db,
    Prisma.sql`
    with kept as (
      select d.integration_id as owner, d.state, d.state_details as details, count(*) as count,
        max(d.id) as last, min(d.created_at) as since
      from integration_events d
      where d.integration_id = any(${integrationIds}::int[]) and ${shownDeliveries(actor)} group by 1, 2, 3
    ), states as (
      select owner, state, sum(count) as count, max(last) as last, min(since) as since
      from kept group by 1, 2
    ), failures as (
      select owner, details, sum(count) as count, max(last) as last
      from kept where state <> ${SUCCESS} group by 1, 2
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

  return new Map(rows.map((row) => [row.integrationId, toStats(row)]));
};
