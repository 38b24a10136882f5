import { type Db, Prisma } from '../../../data/db.js';
import { parseRows, readJson } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
import { parseExactly } from '../../parse-exactly.js';
import { matchingEvents } from '../event-query.js';
import { ENDS, type Scope, type Subject, type SubjectRule } from './event-subjects.js';
import { spansBefore } from './look-back.js';
import { isReadable, readPayload } from './readable-payload.js';

/** A thing, and the event before which its state is looked for. */
export type Sought = { eventId: number; subject: Subject };

/** A state of a thing, and the type of the event that tells it. */
export type PreviousState = { type: string; state: unknown };

/** At most so many events are read of one feature and of all of them, the newest. */
const MOST_OF_FEATURE = 2_000;
const MOST_OF_FEATURES = 50_000;

const columns = (owner: Prisma.Sql) =>
  Prisma.sql`e.id, e.type, e.environment, e.data, ${owner} as owner`;

const eventsOfFeatures = (sought: readonly Sought[], isTeller: Prisma.Sql): Prisma.Sql => {
  const newestOf = new Map<string, number>();
  for (const { eventId, subject } of sought) {
    if (subject.owner === null) continue;
    newestOf.set(subject.owner, Math.max(eventId, newestOf.get(subject.owner) ?? 0));
  }
  return Prisma.sql`
    select e.* from unnest(${[...newestOf.keys()]}::text[], ${[...newestOf.values()]}::int[]) as feature (name, newest)
    cross join lateral (
      select ${columns(Prisma.sql`e.feature_name`)} from events e
      where e.feature_name = feature.name and e.id <= feature.newest and ${isTeller}
      order by e.id desc limit ${MOST_OF_FEATURE}::int
    ) e order by e.id desc limit ${MOST_OF_FEATURES}::int`;
};

/** Each span is searched by itself: joined as a whole, it could cost a read of the log for every span. */
const eventsNear = (
  sought: readonly Sought[],
  isTeller: Prisma.Sql,
  owner: Prisma.Sql,
): Prisma.Sql => {
  const spans = spansBefore(sought.map(({ eventId }) => eventId));
  return Prisma.sql`
    select e.* from unnest(${spans.map(({ low }) => low)}::int[], ${spans.map(({ high }) => high)}::int[]) as span (low, high)
    cross join lateral (
      select ${columns(owner)} from events e
      where e.id between span.low and span.high and ${isTeller} offset 0
    ) e`;
};

/** The events that may tell what was before; what older ones recorded counts as unknown. */
const EVENTS_ABOUT: Readonly<
  Record<Scope, (sought: readonly Sought[], isTeller: Prisma.Sql) => Prisma.Sql>
> = {
  feature: eventsOfFeatures,
  project: (sought, isTeller) => {
    const owners = [...new Set(sought.flatMap(({ subject }) => subject.owner ?? []))];
    const isOwned = Prisma.sql`e.project = any(${owners}::text[])`;
    return eventsNear(sought, Prisma.sql`${isOwned} and ${isTeller}`, Prisma.sql`e.project`);
  },
  installation: (sought, isTeller) => eventsNear(sought, isTeller, Prisma.sql`''::text`),
};

/** The types that tell of things or of their end, each with the rule it belongs to. */
const tellersOf = (scope: Scope, sought: readonly Sought[]) => {
  const rules: readonly SubjectRule[] = [...new Set(sought.map(({ subject }) => subject.rule))];
  const tellers = rules.flatMap(({ tellers, key = null, isPerEnvironment = false }, kind) =>
    tellers.map((type) => ({ type, kind, key, isPerEnvironment })),
  );
  return [...tellers, ...ENDS[scope].map((type) => ({ type, kind: null }))];
};

/** Each event sought for is itself one of those about its thing: the state before is told by the one ahead of it. */
const selectPrevious = (actor: Actor, scope: Scope, sought: readonly Sought[]): Prisma.Sql => {
  const tellers = tellersOf(scope, sought);
  const eventIds = sought.map(({ eventId }) => eventId);
  const isTeller = Prisma.sql`e.type = any(${tellers.map(({ type }) => type)}::text[]) and ${matchingEvents(actor, {})}`;
  const text = Prisma.sql`e.data::text`;
  const value = Prisma.sql`case
    when teller.key is null or e.data is null or not ${isReadable(text)} then null
    else (${readPayload(text)}) -> teller.key
  end`;
  return Prisma.sql`
    select line.id as "eventId", e.type, e.data as state
    from (
      select id, key, value,
        lag(id) over (partition by kind, owner, environment, value order by id) as previous,
        max(id) filter (where kind is null) over (partition by owner order by id) as ended
      from (
        select e.id, e.owner, teller.kind, teller.key,
          case when teller."isPerEnvironment" then e.environment end as environment, ${value} as value
        from (${EVENTS_ABOUT[scope](sought, isTeller)}) e
        join jsonb_to_recordset((${JSON.stringify(tellers)}::text)::jsonb) as teller
          (type text, kind int, key text, "isPerEnvironment" boolean) on teller.type = e.type
        where teller.kind is null or e.data is not null or e.id = any(${eventIds}::int[])
        offset 0
      ) told offset 0
    ) line join events e on e.id = line.previous
    where line.id = any(${eventIds}::int[]) and (key is null or value is not null)
      and (ended is null or ended < previous) and e.data is not null`;
};

const SCOPES: readonly Scope[] = ['feature', 'project', 'installation'];

/** The last state of each thing that was recorded before an event and that the actor may see, in one statement. */
export const listPreviousStates = async (
  db: Db,
  actor: Actor,
  sought: readonly Sought[],
): Promise<ReadonlyMap<number, PreviousState>> => {
  const selects = SCOPES.flatMap((scope) => {
    const things = sought.filter(({ subject }) => subject.rule.scope === scope);
    return things.length > 0 ? [selectPrevious(actor, scope, things)] : [];
  });
  if (selects.length === 0) return new Map();

  const json = await readJson(db, Prisma.join(selects, ' union all '));
  const rows = parseRows<PreviousState & { eventId: number }>(json, parseExactly);
  const found = rows.filter(({ state }) => state !== null);
  return new Map(found.map(({ eventId, ...state }) => [eventId, state]));
};
