import { type Db, Prisma } from '../../../data/db.js';
import { matchingEvents } from '../../../data/events/event-conditions.sql.js';
import { isReadable, readPayload } from '../../../data/events/readable-payload.sql.js';
import { parseExactly } from '../../../data/parse-exactly.js';
import { parseRows, readJson } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
import { DELETION_TYPES, type Scope, type Subject, type SubjectRule } from './event-subjects.js';
import { spansBefore } from './look-back.js';

/** An object, and the event before which its state is needed. */
export type StateLookup = { eventId: number; subject: Subject };

/** A recorded state, and the type of the event that records it. */
export type PreviousState = { type: string; state: unknown };

/** Maximum number of events read per feature and in total, newest first. */
const MAX_EVENTS_PER_FEATURE = 2_000;
const MAX_EVENTS_OF_FEATURES = 50_000;

const columns = (owner: Prisma.Sql) =>
  Prisma.sql`e.id, e.type, e.environment, e.data, ${owner} as owner`;

const eventsOfFeatures = (lookups: readonly StateLookup[], isRecording: Prisma.Sql): Prisma.Sql => {
  const newestOf = new Map<string, number>();
  for (const { eventId, subject } of lookups) {
    if (subject.owner === null) continue;
    newestOf.set(subject.owner, Math.max(eventId, newestOf.get(subject.owner) ?? 0));
  }
  return Prisma.sql`
    select e.* from unnest(${[...newestOf.keys()]}::text[], ${[...newestOf.values()]}::int[]) as feature (name, newest)
    cross join lateral (
      select ${columns(Prisma.sql`e.feature_name`)} from events e
      where e.feature_name = feature.name and e.id <= feature.newest and ${isRecording}
      order by e.id desc limit ${MAX_EVENTS_PER_FEATURE}::int
    ) e order by e.id desc limit ${MAX_EVENTS_OF_FEATURES}::int`;
};

/** Searches each span separately: a plain join could read the log once per span. */
const eventsNear = (
  lookups: readonly StateLookup[],
  isRecording: Prisma.Sql,
  owner: Prisma.Sql,
): Prisma.Sql => {
  const spans = spansBefore(lookups.map(({ eventId }) => eventId));
  return Prisma.sql`
    select e.* from unnest(${spans.map(({ low }) => low)}::int[], ${spans.map(({ high }) => high)}::int[]) as span (low, high)
    cross join lateral (
      select ${columns(owner)} from events e
      where e.id between span.low and span.high and ${isRecording} offset 0
    ) e`;
};

/** Events that may contain the previous state; states recorded before them count as unknown. */
const EVENTS_ABOUT: Readonly<
  Record<Scope, (lookups: readonly StateLookup[], isRecording: Prisma.Sql) => Prisma.Sql>
> = {
  feature: eventsOfFeatures,
  project: (lookups, isRecording) => {
    const owners = [...new Set(lookups.flatMap(({ subject }) => subject.owner ?? []))];
    const isOwned = Prisma.sql`e.project = any(${owners}::text[])`;
    return eventsNear(lookups, Prisma.sql`${isOwned} and ${isRecording}`, Prisma.sql`e.project`);
  },
  installation: (lookups, isRecording) => eventsNear(lookups, isRecording, Prisma.sql`''::text`),
};

/** Event types that record a state or a deletion, each with its rule. */
const recordingTypesOf = (scope: Scope, lookups: readonly StateLookup[]) => {
  const rules: readonly SubjectRule[] = [...new Set(lookups.map(({ subject }) => subject.rule))];
  const recordingTypes = rules.flatMap(
    ({ recordingTypes, key = null, isPerEnvironment = false }, kind) =>
      recordingTypes.map((type) => ({ type, kind, key, isPerEnvironment })),
  );
  return [...recordingTypes, ...DELETION_TYPES[scope].map((type) => ({ type, kind: null }))];
};

/** Each event is in the sequence of its own object, so its predecessor contains the previous state. */
const selectPrevious = (
  actor: Actor,
  scope: Scope,
  lookups: readonly StateLookup[],
): Prisma.Sql => {
  const recordingTypes = recordingTypesOf(scope, lookups);
  const eventIds = lookups.map(({ eventId }) => eventId);
  const isRecording = Prisma.sql`e.type = any(${recordingTypes.map(({ type }) => type)}::text[]) and ${matchingEvents(actor, {})}`;
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
        from (${EVENTS_ABOUT[scope](lookups, isRecording)}) e
        join jsonb_to_recordset((${JSON.stringify(recordingTypes)}::text)::jsonb) as teller
          (type text, kind int, key text, "isPerEnvironment" boolean) on teller.type = e.type
        where teller.kind is null or e.data is not null or e.id = any(${eventIds}::int[])
        offset 0
      ) recorded offset 0
    ) line join events e on e.id = line.previous
    where line.id = any(${eventIds}::int[]) and (key is null or value is not null)
      and (ended is null or ended < previous) and e.data is not null`;
};

const SCOPES: readonly Scope[] = ['feature', 'project', 'installation'];

/** Reads, in one statement, the last state before each event that the actor may see. */
export const listPreviousStates = async (
  db: Db,
  actor: Actor,
  lookups: readonly StateLookup[],
): Promise<ReadonlyMap<number, PreviousState>> => {
  const selects = SCOPES.flatMap((scope) => {
    const inScope = lookups.filter(({ subject }) => subject.rule.scope === scope);
    return inScope.length > 0 ? [selectPrevious(actor, scope, inScope)] : [];
  });
  if (selects.length === 0) return new Map();

  const json = await readJson(db, Prisma.join(selects, ' union all '));
  const rows = await parseRows<PreviousState & { eventId: number }>(json, parseExactly);
  const found = rows.filter(({ state }) => state !== null);
  return new Map(found.map(({ eventId, ...state }) => [eventId, state]));
};
