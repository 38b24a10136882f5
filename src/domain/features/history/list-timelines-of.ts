import { type Db, Prisma } from '../../../data/db.js';
import { milliseconds } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
import { MOST_NAMED, unknownEnvironment } from '../../environments.js';
import { BadDataError, type DomainError, UnstorableTextError } from '../../errors.js';
import { matchingEvents } from '../../events/event-query.js';
import { isStorable } from '../../text.js';
import { type EnabledPeriod, enabledPeriods } from './enabled-periods.js';
import { SWITCHING_GENERAL_TYPES, SWITCHING_TYPES } from './enabled-state.js';
import { createHistoryBudget, type HistoryBudget } from './history-budget.js';
import type { HistoryEvent } from './history-event.js';
import { readHistories } from './read-history.js';

export const DEFAULT_PERIODS = 50;
export const MAX_PERIODS = 1000;

/** So many events are read for one request; most of them are small. */
export const createTimelineBudget = (): HistoryBudget =>
  createHistoryBudget({
    field: 'timeline',
    asked: 'environments',
    read: 200_000,
    walked: 2_000_000,
  });

/** Events that only repeat each other start no period; beyond this many of them, periods are left out. */
const eventsFor = (periods: number): number => 2 * periods + 20;

/** Few payloads tell anything about being on or off, and a feature may have been switched very often. */
const payload = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`case when e.type = 'feature-created' or e.feature_name is null then ${column} end`;

const COLUMNS = Prisma.sql`e.id, e.type, ${milliseconds(Prisma.sql`e.created_at`)} as "createdAt",
  e.project as "projectId", e.environment, e.feature_name as "featureName", e.ip,
  ${payload(Prisma.sql`e.data`)} as data, ${payload(Prisma.sql`e.pre_data`)} as "preData"`;

/** Whose periods are asked for, where, and how many of the last ones. */
export type TimelineQuestion = { name: string; environment: string; last: number };

type Current = { featureName: string; environment: string };

const namesIn = (rows: unknown): string[] => (rows as { name: string }[]).map(({ name }) => name);

const parse = (row: unknown): HistoryEvent => {
  const event = row as HistoryEvent & { createdAt: number | null };
  return { ...event, createdAt: event.createdAt === null ? null : new Date(event.createdAt) };
};

const faultOf = ({ environment, last }: TimelineQuestion): BadDataError | null => {
  if (!isStorable(environment)) {
    return new UnstorableTextError('The environment contains a character that cannot be stored.');
  }
  if (last < 1 || last > MAX_PERIODS) {
    return BadDataError.of({
      message: `'last' must be from 1 to ${MAX_PERIODS}; ${last} is not.`,
    });
  }
  return null;
};

const read = (
  db: Db,
  actor: Actor,
  questions: readonly TimelineQuestion[],
  budget: HistoryBudget,
) => {
  const names = questions.map(({ name }) => name);
  const places = questions.map(({ environment }) => environment);
  const environments = [...new Set(places)];
  return readHistories(db, actor, {
    owners: questions.map(({ name, last }) => ({ name, limit: eventsFor(last) })),
    ownerRows: Prisma.sql`unnest(${names.map((_, key) => key)}::int[], ${names}::text[],
      ${places}::text[]) as owner(key, name, environment)`,
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
      present: Prisma.sql`select t.name from environments t order by t.sort_order, t.name limit ${MOST_NAMED + 1}`,
    },
    parse,
    budget,
  });
};

/** When features were on in environments and when not; the last periods, oldest first, and refusals in their place. */
export const listTimelinesOf = async (
  db: Db,
  actor: Actor,
  { questions, budget }: { questions: readonly TimelineQuestion[]; budget: HistoryBudget },
): Promise<ReadonlyMap<TimelineQuestion, EnabledPeriod[] | DomainError>> => {
  const told = new Map<TimelineQuestion, EnabledPeriod[] | DomainError>();
  for (const question of questions) {
    const fault = faultOf(question);
    if (fault) told.set(question, fault);
  }
  const asked = questions.filter((question) => !told.has(question));
  if (asked.length === 0) return told;

  return budget.inTurn(async () => {
    const { lists, historyOf } = await read(db, actor, asked, budget);
    const known = new Set(namesIn(lists['known']));
    const enabled = new Map<string, Set<string>>();
    for (const { featureName, environment } of lists['enabled'] as Current[]) {
      enabled.set(environment, (enabled.get(environment) ?? new Set()).add(featureName));
    }

    for (const [key, question] of asked.entries()) {
      const { name, environment, last } = question;
      if (!known.has(environment)) {
        told.set(question, unknownEnvironment(environment, namesIn(lists['present'])));
        continue;
      }
      const { events, isCut } = historyOf(key);
      await budget.walk(events.length);
      const isEnabled = enabled.get(environment)?.has(name) ?? false;
      told.set(question, enabledPeriods({ environment, events, isCut, isEnabled }, last));
    }
    return told;
  });
};
