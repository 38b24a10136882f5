import { type Db, Prisma } from '../../../data/db.js';
import { matchingEvents } from '../../../data/events/event-conditions.sql.js';
import { EVENT_COLUMNS, type EventRow } from '../../../data/events/event-rows.sql.js';
import { groupBy, indexBy } from '../../../data/grouping.js';
import { milliseconds } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
import { BadDataError } from '../../errors.js';
import type { EventLogCache } from '../../events/event-log-cache.js';
import { callerOf, type ScanLimiter } from '../../scan-limiter.js';
import { BACKFILL_TYPES, MAX_LATER_EVENTS } from './backfill.js';
import { SWITCHING_GENERAL_TYPES } from './enabled-state.js';
import { type FeatureAsOf, featureAsOf } from './feature-as-of.js';
import { createHistoryBudget, type HistoryBudget } from './history-budget.js';
import { readHistories } from './read-history.js';
import { UNTAGGING_TYPES } from './replay-tags.js';

/** Maximum number of events replayed for one feature, the newest before the timestamp. */
const MAX_REPLAYED = 5_000;

/** Limits the events read for one request; each can be replayed for several timestamps. */
export const createReplayBudget = (): HistoryBudget =>
  createHistoryBudget({ field: 'asOf', requested: 'timestamps', read: 20_000, walked: 200_000 });

/** A feature and a timestamp. */
export type AsOfQuery = { name: string; time: Date };

const faultOf = ({ time }: AsOfQuery): BadDataError | null => {
  if (time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999) {
    return BadDataError.of({ message: `'time' must be in the years 1 to 9999.` });
  }
  if (time.getTime() > Date.now()) {
    return BadDataError.of({
      message: `'time' must not be in the future.`,
    });
  }
  return null;
};

type Read = EventRow & { createdAt: number | Date | null };
type Later = Read & { key: number };
type EnvironmentKey = { featureName: string; environment: string };

const parse = (row: unknown): EventRow => {
  const { key: _, createdAt, ...event } = row as Later;
  return { ...event, createdAt: createdAt === null ? null : new Date(createdAt) };
};

/** Timestamps have millisecond precision, so each includes all events of its millisecond. */
const endOf = (time: Date): number => time.getTime() + 1;

/** History of features up to the last of their timestamps, and the events right after it. */
const readPasts = async (
  db: Db,
  actor: Actor,
  queriesOf: ReadonlyMap<string, readonly AsOfQuery[]>,
  budget: HistoryBudget,
) => {
  const names = [...queriesOf.keys()];
  const ends = [...queriesOf.values()].map((queries) =>
    Math.max(...queries.map(({ time }) => endOf(time))),
  );
  const visible = matchingEvents(actor, {});
  const ownerRows = Prisma.sql`unnest(${names.map((_, key) => key)}::int[], ${names}::text[],
    ${ends.map((end) => new Date(end).toISOString())}::timestamptz[]) as owner(key, name, until)`;
  const laterOf = (which: Prisma.Sql, limit: number) => Prisma.sql`
    select owner.key, page.* from ${ownerRows}
    cross join lateral (
      select ${EVENT_COLUMNS} from events e
      where e.feature_name = owner.name and ${visible} and e.created_at >= owner.until and ${which}
      order by e.id limit ${limit}
    ) page`;
  const { lists, historyOf } = await readHistories(db, actor, {
    owners: names.map((name) => ({ name, limit: MAX_REPLAYED })),
    ownerRows,
    columns: EVENT_COLUMNS,
    own: Prisma.sql`(e.created_at < owner.until or e.created_at is null)`,
    general: Prisma.sql`true`,
    generalTypes: [...SWITCHING_GENERAL_TYPES, ...UNTAGGING_TYPES, 'features-imported'],
    beside: {
      next: laterOf(Prisma.sql`true`, 1),
      later: laterOf(Prisma.sql`e.type = any(${BACKFILL_TYPES}::text[])`, MAX_LATER_EVENTS),
      // In the order of environments.
      places: Prisma.sql`select t.feature_name as "featureName", t.environment from feature_environments t
        join environments known on known.name = t.environment
        where t.feature_name = any(${names}::text[]) order by known.sort_order, known.name`,
      began: Prisma.sql`select ${milliseconds(Prisma.sql`e.created_at`)} as time from events e
        where ${visible} and e.created_at is not null order by e.created_at limit 1`,
    },
    parse,
    budget,
  });

  const nextOf = indexBy(lists['next'] as Later[], ({ key }) => key);
  const laterByKey = groupBy(lists['later'] as Later[], ({ key }) => key);
  const environmentsOf = groupBy(
    lists['places'] as EnvironmentKey[],
    ({ featureName }) => featureName,
  );
  const [began] = lists['began'] as { time: number }[];
  return names.map((name, key) => ({
    name,
    end: ends[key],
    /** Built on demand: building many at once would duplicate all events. */
    read: async () => {
      const { events, isCut } = await historyOf(key);
      const beyond = [nextOf.get(key) ?? [], laterByKey.get(key) ?? []].flat().map(parse);
      const known = new Map([...events, ...beyond].map((event) => [event.id, event]));
      return {
        events: [...known.values()].sort((one, other) => one.id - other.id),
        isCut,
        began: began?.time ?? null,
        environments: (environmentsOf.get(name) ?? []).map(({ environment }) => environment),
      };
    },
  }));
};

/** Answers what one statement can, and returns the rest. */
const replaySome = async (
  db: Db,
  limiter: ScanLimiter,
  actor: Actor,
  queries: readonly AsOfQuery[],
  budget: HistoryBudget,
) => {
  const queriesOf = groupBy(queries, ({ name }) => name);
  const replayed: [AsOfQuery, FeatureAsOf][] = [];
  const open: AsOfQuery[] = [];
  const pasts = await limiter.run(callerOf(actor), (turn) =>
    turn(() => readPasts(db, actor, queriesOf, budget)),
  );
  for (const { name, end, read } of pasts) {
    const past = await read();
    for (const query of queriesOf.get(name) ?? []) {
      // A truncated history lacks events that earlier timestamps need.
      if (past.isCut && endOf(query.time) !== end) {
        open.push(query);
        continue;
      }
      await budget.walk(past.events.length);
      replayed.push([query, await featureAsOf({ time: query.time, ...past })]);
    }
  }
  return { replayed, open };
};

/** Features at timestamps, each read once for all its timestamps; rejected ones map to their error. */
export const listFeaturesAsOf = async (
  db: Db,
  { limiter }: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  { queries, budget }: { queries: readonly AsOfQuery[]; budget: HistoryBudget },
): Promise<ReadonlyMap<AsOfQuery, FeatureAsOf | BadDataError>> => {
  const results = new Map<AsOfQuery, FeatureAsOf | BadDataError>();
  for (const query of queries) {
    const fault = faultOf(query);
    if (fault) results.set(query, fault);
  }

  return budget.inTurn(async () => {
    let remaining = queries.filter((query) => !results.has(query));
    while (remaining.length > 0) {
      const { replayed, open } = await replaySome(db, limiter, actor, remaining, budget);
      for (const [query, state] of replayed) results.set(query, state);
      remaining = open;
    }
    return results;
  });
};
