import { type Db, Prisma } from '../../../data/db.js';
import { milliseconds } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
import { BadDataError, NotFoundError } from '../../errors.js';
import { matchingEvents } from '../../events/event-query.js';
import { assertText } from '../../text.js';
import { type EnabledPeriod, enabledPeriods } from './enabled-periods.js';
import { SWITCHING_GENERAL_TYPES, SWITCHING_TYPES } from './enabled-state.js';
import type { HistoryEvent } from './history-event.js';
import { readHistories } from './read-history.js';

export const DEFAULT_PERIODS = 50;
export const MAX_PERIODS = 1000;

/** Events that only repeat each other start no period; beyond this many of them, periods are left out. */
const eventsFor = (periods: number): number => 2 * periods + 20;

/** Few payloads tell anything about being on or off, and a feature may have been switched very often. */
const COLUMNS = Prisma.sql`e.id, e.type, ${milliseconds(Prisma.sql`e.created_at`)} as "createdAt",
  e.project as "projectId", e.environment, e.feature_name as "featureName", e.ip,
  case when e.type <> all(array['feature-environment-enabled', 'feature-environment-disabled']) then e.data end as data`;

type Current = { featureName: string; enabled: boolean };

const parse = (row: unknown): HistoryEvent => {
  const event = row as HistoryEvent & { createdAt: number | null };
  return { ...event, createdAt: event.createdAt === null ? null : new Date(event.createdAt) };
};

/** For each of many features, when it was on in an environment and when not; the last periods, oldest first. */
export const listTimelinesOf = async (
  db: Db,
  actor: Actor,
  {
    names,
    environment,
    last,
  }: {
    names: readonly string[];
    environment: string;
    last: number;
  },
): Promise<ReadonlyMap<string, EnabledPeriod[]>> => {
  assertText('The environment', environment);
  if (last < 1 || last > MAX_PERIODS) {
    throw BadDataError.of({ message: `'last' must be from 1 to ${MAX_PERIODS}; ${last} is not.` });
  }

  const { lists, histories } = await readHistories(db, actor, {
    names,
    columns: COLUMNS,
    own: Prisma.sql`e.type = any(${SWITCHING_TYPES}::text[])
      and (e.environment is null or e.environment = ${environment})`,
    limit: eventsFor(last),
    general: Prisma.sql`(e.type <> 'project-environment-removed' or e.environment = ${environment})`,
    generalTypes: SWITCHING_GENERAL_TYPES,
    beside: {
      current: Prisma.sql`select t.feature_name as "featureName", t.enabled from feature_environments t
        where t.environment = ${environment} and t.feature_name = any(${names}::text[])`,
      mentions: Prisma.sql`select 1 where exists (select from environments t where t.name = ${environment})
        or exists (select from events e where e.environment = ${environment} and ${matchingEvents(actor, {})})`,
    },
    parse,
  });
  if (lists['mentions']?.length === 0) throw NotFoundError.of('Environment', environment);

  const enabled = new Set(
    (lists['current'] as Current[]).flatMap((row) => (row.enabled ? [row.featureName] : [])),
  );
  return new Map(
    [...histories].map(([name, { events, isCut }]) => [
      name,
      enabledPeriods({ environment, events, isCut, isEnabled: enabled.has(name) }, last),
    ]),
  );
};
