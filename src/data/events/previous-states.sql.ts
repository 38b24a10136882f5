import { type Db, Prisma, type Sql } from '../db.js';
import { parseExactly } from '../json/parse-exactly.js';
import { parseRows, readJson } from '../sql/read-rows.sql.js';
import { isReadable, readPayload } from './readable-payload.sql.js';

/** A range of event IDs. */
export type Span = { low: number; high: number };

/** Events that may contain the previous state; states recorded before them count as unknown. */
export type StateSource =
  /** Features, each with its newest event that matters. */
  | { scope: 'feature'; newestOf: ReadonlyMap<string, number> }
  | { scope: 'project'; projects: readonly string[]; spans: readonly Span[] }
  | { scope: 'installation'; spans: readonly Span[] };

/** An event type that records a state, or a deletion if it has no kind. */
export type RecordingType = {
  type: string;
  kind: number | null;
  /** The payload field that identifies the object among its kind. */
  key?: string | null;
  isPerEnvironment?: boolean;
};

export type StateSearch = {
  eventIds: readonly number[];
  source: StateSource;
  recordingTypes: readonly RecordingType[];
};

/** A recorded state, and the type of the event that records it. */
export type PreviousState = { type: string; state: unknown };

/** Maximum number of events read per feature and in total, newest first. */
const MAX_EVENTS_PER_FEATURE = 2_000;
const MAX_EVENTS_OF_FEATURES = 50_000;

const columns = (owner: Sql) => Prisma.sql`e.id, e.type, e.environment, e.data, ${owner} as owner`;

const eventsOfFeatures = (newestOf: ReadonlyMap<string, number>, isRecording: Sql) => Prisma.sql`
    select e.* from unnest(${[...newestOf.keys()]}::text[], ${[...newestOf.values()]}::int[]) as feature (name, newest)
    cross join lateral (
      select ${columns(Prisma.sql`e.feature_name`)} from events e
      where e.feature_name = feature.name and e.id <= feature.newest and ${isRecording}
      order by e.id desc limit ${MAX_EVENTS_PER_FEATURE}::int
    ) e order by e.id desc limit ${MAX_EVENTS_OF_FEATURES}::int`;

/** Searches each span separately: a plain join could read the log once per span. */
const eventsNear = (spans: readonly Span[], isRecording: Sql, owner: Sql) => Prisma.sql`
    select e.* from unnest(${spans.map(({ low }) => low)}::int[], ${spans.map(({ high }) => high)}::int[]) as span (low, high)
    cross join lateral (
      select ${columns(owner)} from events e
      where e.id between span.low and span.high and ${isRecording} offset 0
    ) e`;

const eventsOf = (source: StateSource, isRecording: Sql): Sql => {
  if (source.scope === 'feature') return eventsOfFeatures(source.newestOf, isRecording);
  if (source.scope === 'installation') {
    return eventsNear(source.spans, isRecording, Prisma.sql`''::text`);
  }
  const isOwned = Prisma.sql`e.project = any(${source.projects}::text[])`;
  const isOwnRecording = Prisma.sql`${isOwned} and ${isRecording}`;
  return eventsNear(source.spans, isOwnRecording, Prisma.sql`e.project`);
};

/** Each event is in the sequence of its own object, so its predecessor contains the previous state. */
const selectPrevious = (visible: Sql, { eventIds, source, recordingTypes }: StateSearch): Sql => {
  const isRecording = Prisma.sql`e.type = any(${recordingTypes.map(({ type }) => type)}::text[]) and ${visible}`;
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
        from (${eventsOf(source, isRecording)}) e
        join jsonb_to_recordset((${JSON.stringify(recordingTypes)}::text)::jsonb) as teller
          (type text, kind int, key text, "isPerEnvironment" boolean) on teller.type = e.type
        where teller.kind is null or e.data is not null or e.id = any(${eventIds}::int[])
        offset 0
      ) recorded offset 0
    ) line join events e on e.id = line.previous
    where line.id = any(${eventIds}::int[]) and (key is null or value is not null)
      and (ended is null or ended < previous) and e.data is not null`;
};

/** Reads, in one statement, the last visible state before each event. */
export const readPreviousStates = async (
  db: Db,
  visible: Sql,
  searches: readonly StateSearch[],
): Promise<(PreviousState & { eventId: number })[]> => {
  const selects = searches.map((search) => selectPrevious(visible, search));
  return parseRows(await readJson(db, Prisma.join(selects, ' union all ')), parseExactly);
};
