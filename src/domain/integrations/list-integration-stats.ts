import type { Db } from '../../data/db.js';
import {
  readIntegrationStats,
  type StateRow,
  type StatsRow,
} from '../../data/integrations/integration-stats.sql.js';
import type { Actor } from '../actor.js';
import { requireAdmin } from './integration-access.js';

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

  const rows = await readIntegrationStats(db, actor, integrationIds, SUCCESS);
  return new Map(rows.map((row) => [row.integrationId, toStats(row)]));
};
