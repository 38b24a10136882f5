import type { Db } from '../../../data/db.js';
import { matchingEvents } from '../../../data/events/event-conditions.sql.js';
import { readTimelineLists } from '../../../data/features/timelines.sql.js';
import type { Actor } from '../../actor.js';
import { MAX_NAMED_ENVIRONMENTS, unknownEnvironment } from '../../environments.js';
import { BadDataError, type DomainError, UnstorableTextError } from '../../errors.js';
import type { EventLogCache } from '../../events/event-log-cache.js';
import { callerOf } from '../../scan-limiter.js';
import { isStorable } from '../../text.js';
import { type EnabledPeriod, enabledPeriods } from './enabled-periods.js';
import { SWITCHING_GENERAL_TYPES, SWITCHING_TYPES } from './enabled-state.js';
import { historiesIn } from './histories.js';
import { createHistoryBudget, type HistoryBudget } from './history-budget.js';

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

/** A feature, an environment, and how many of the last periods to return. */
export type TimelineQuery = { name: string; environment: string; last: number };

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

const read = async (
  db: Db,
  actor: Actor,
  queries: readonly TimelineQuery[],
  budget: HistoryBudget,
) => {
  const owners = queries.map(({ last, ...owner }) => ({ ...owner, limit: eventsFor(last) }));
  const lists = await readTimelineLists(db, {
    owners,
    visible: matchingEvents(actor, {}),
    ownTypes: SWITCHING_TYPES,
    generalTypes: SWITCHING_GENERAL_TYPES,
    maxOwn: budget.left,
    maxPresent: MAX_NAMED_ENVIRONMENTS + 1,
  });
  return { lists, historyOf: await historiesIn(lists, owners, budget) };
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
    const known = new Set(lists.known.map(({ name }) => name));
    const present = lists.present.map(({ name }) => name);
    const enabled = new Map<string, Set<string>>();
    for (const { featureName, environment } of lists.enabled) {
      enabled.set(environment, (enabled.get(environment) ?? new Set()).add(featureName));
    }

    for (const [key, query] of requested.entries()) {
      const { name, environment, last } = query;
      if (!known.has(environment)) {
        results.set(query, unknownEnvironment(environment, present));
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
