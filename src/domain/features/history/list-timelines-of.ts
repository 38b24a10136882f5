import { type Db, Prisma } from '../../../data/db.js';
import { matchingEvents } from '../../../data/events/event-conditions.sql.js';
import { milliseconds } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
import { MAX_NAMED_ENVIRONMENTS, unknownEnvironment } from '../../environments.js';
import { BadDataError, type DomainError, UnstorableTextError } from '../../errors.js';
import type { EventLogCache } from '../../events/event-log-cache.js';
import { callerOf } from '../../scan-limiter.js';
import { isStorable } from '../../text.js';
import { type EnabledPeriod, enabledPeriods } from './enabled-periods.js';
import { SWITCHING_GENERAL_TYPES, SWITCHING_TYPES } from './enabled-state.js';
import { createHistoryBudget, type HistoryBudget } from './history-budget.js';
import type { HistoryEvent } from './history-event.js';
import { readHistories } from './read-history.js';

export const DEFAULT_PERIODS = 50;
export const MAX_PERIODS = 1000;

/** Limits the events read for one request; most of them are small. */
export const createTimelineBudget = (): HistoryBudget =>
  createHistoryBudget({
    field: 'timeline',
    requested: 'environments',
    read: 200_000,
    walked: 2_000_000,
  });

/** Events that only repeat a state start no period; with more of them than this, periods are omitted. */
const eventsFor = (periods: number): number => 2 * periods + 20;

/** Few payloads matter for this, and a feature may have been switched very often. */
const payload = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`case when e.type = 'feature-created' or e.feature_name is null then ${column} end`;

const COLUMNS = Prisma.sql`e.id, e.type, ${milliseconds(Prisma.sql`e.created_at`)} as "createdAt",
  e.project as "projectId", e.environment, e.feature_name as "featureName", e.ip,
  ${payload(Prisma.sql`e.data`)} as data, ${payload(Prisma.sql`e.pre_data`)} as "preData"`;

/** A feature, an environment, and how many of the last periods to return. */
export type TimelineQuery = { name: string; environment: string; last: number };

type Current = { featureName: string; environment: string };

const namesIn = (rows: unknown): string[] => (rows as { name: string }[]).map(({ name }) => name);

const parse = (row: unknown): HistoryEvent => {
  const event = row as HistoryEvent & { createdAt: number | null };
  return { ...event, createdAt: event.createdAt === null ? null : new Date(event.createdAt) };
};

const faultOf = ({ environment, last }: TimelineQuery): BadDataError | null => {
  if (!isStorable(environment)) {
    return new UnstorableTextError('The environment contains a character that cannot be stored.');
  }
  if (last < 1 || last > MAX_PERIODS) {
    return BadDataError.of({
      message: `'last' must be between 1 and ${MAX_PERIODS} (got ${last}).`,
    });
  }
  return null;
};

const read = (db: Db, actor: Actor, queries: readonly TimelineQuery[], budget: HistoryBudget) => {
  const names = queries.map(({ name }) => name);
  const environmentNames = queries.map(({ environment }) => environment);
  const environments = [...new Set(environmentNames)];
  return readHistories(db, actor, {
    owners: queries.map(({ name, last }) => ({ name, limit: eventsFor(last) })),
    ownerRows: Prisma.sql`unnest(${names.map((_, key) => key)}::int[], ${names}::text[],
      ${environmentNames}::text[]) as owner(key, name, environment)`,
    columns: COLUMNS,
    own: Prisma.sql`e.type = any(${SWITCHING_TYPES}::text[])
      and (e.environment is null or e.environment = owner.environment)`,
    general: Prisma.sql`(e.type <> 'project-environment-removed' or e.environment is null
      or e.environment = any(${environments}::text[]))`,
    generalTypes: SWITCHING_GENERAL_TYPES,
    beside: {
      enabled: Prisma.sql`select t.feature_name as "featureName", t.environment from feature_environments t
        where t.enabled and t.environment = any(${environments}::text[])
          and t.feature_name = any(${[...new Set(names)]}::text[])`,
      known: Prisma.sql`select asked.name from unnest(${environments}::text[]) as asked(name)
        where exists (select from environments t where t.name = asked.name)
          or exists (select from events e where e.environment = asked.name and ${matchingEvents(actor, {})})`,
      present: Prisma.sql`select t.name from environments t order by t.sort_order, t.name limit ${MAX_NAMED_ENVIRONMENTS + 1}`,
    },
    parse,
    budget,
  });
};

/** When features were enabled in environments: the last periods, oldest first; rejected queries map to errors. */
export const listTimelinesOf = async (
  db: Db,
  { limiter }: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  { queries, budget }: { queries: readonly TimelineQuery[]; budget: HistoryBudget },
): Promise<ReadonlyMap<TimelineQuery, EnabledPeriod[] | DomainError>> => {
  const results = new Map<TimelineQuery, EnabledPeriod[] | DomainError>();
  for (const query of queries) {
    const fault = faultOf(query);
    if (fault) results.set(query, fault);
  }
  const requested = queries.filter((query) => !results.has(query));
  if (requested.length === 0) return results;

  return budget.inTurn(async () => {
    const { lists, historyOf } = await limiter.run(callerOf(actor), (turn) =>
      turn(() => read(db, actor, requested, budget)),
    );
    const known = new Set(namesIn(lists['known']));
    const enabled = new Map<string, Set<string>>();
    for (const { featureName, environment } of lists['enabled'] as Current[]) {
      enabled.set(environment, (enabled.get(environment) ?? new Set()).add(featureName));
    }

    for (const [key, query] of requested.entries()) {
      const { name, environment, last } = query;
      if (!known.has(environment)) {
        results.set(query, unknownEnvironment(environment, namesIn(lists['present'])));
        continue;
      }
      const { events, isCut } = await historyOf(key);
      await budget.walk(events.length);
      const isEnabled = enabled.get(environment)?.has(name) ?? false;
      results.set(query, enabledPeriods({ environment, events, isCut, isEnabled }, last));
    }
    return results;
  });
};
