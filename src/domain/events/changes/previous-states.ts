import { type Db, Prisma } from '../../../data/db.js';
import { readJson } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
import { parseExactly } from '../../parse-exactly.js';
import { matchingEvents } from '../event-query.js';
import { ENDS, type Scope, type Subject } from './event-subjects.js';
import { isReadable, readPayload } from './readable-payload.js';

/** A thing, and the event before which its state is looked for. */
export type Sought = { eventId: number; subject: Subject };

/** A state of a thing, and the type of the event that tells it. */
export type PreviousState = { type: string; state: unknown };

const OWNER: Readonly<Record<Scope, Prisma.Sql>> = {
  feature: Prisma.sql`e.feature_name = sought.owner`,
  project: Prisma.sql`e.project = sought.owner`,
  installation: Prisma.sql`true`,
};

/** A text that every payload with this value holds, to spare reading those that do not. */
const hintOf = (value: unknown): string => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : '';
  return typeof value === 'string' && /^[\w -]+$/.test(value) ? value : '';
};

/** Most things changed not long ago; where no index leads to them, so many ids are looked at one by one first. */
const NEAR = 10_000;

const selectPrevious = (actor: Actor, scope: Scope, sought: readonly Sought[]): Prisma.Sql => {
  const things = sought.map(({ eventId, subject }) => ({
    eventId,
    ...subject,
    tellers: [...subject.tellers, ...ENDS[scope]],
    hint: hintOf(subject.value),
  }));
  const text = Prisma.sql`e.data::text`;
  const isEnd = Prisma.sql`e.type = any(${ENDS[scope]}::text[])`;
  const isCandidate = Prisma.sql`${OWNER[scope]} and e.id < sought."eventId" and e.type = any(sought.tellers)
    and (sought.environment is null or e.environment = sought.environment or ${isEnd})
    and ${matchingEvents(actor, {})}`;
  const isSame = Prisma.sql`case
    when sought.key is null or ${isEnd} then true
    when position(sought.hint in ${text}) = 0 and position(${String.raw`\u`} in ${text}) = 0 then false
    when e.data is null or not ${isReadable(text)} then false
    else (${readPayload(text)}) -> sought.key = sought.value
  end`;
  const near = Prisma.sql`
    select e.id from events e where ${isCandidate} and e.id >= sought."eventId" - ${NEAR}::int and ${isSame}
    order by e.id desc limit 1`;
  // Found by an index on their owner or type; their payloads are read from the newest on until one fits.
  const any = Prisma.sql`
    select e.id from (select e.id from events e where ${isCandidate} order by e.id desc offset 0) candidate
    join events e on e.id = candidate.id where ${isSame} order by candidate.id desc limit 1`;
  return Prisma.sql`
    select sought."eventId", e.type, e.data as state
    from jsonb_to_recordset((${JSON.stringify(things)}::text)::jsonb) as sought
      ("eventId" int, owner text, environment text, key text, value jsonb, hint text, tellers text[])
    cross join lateral (
      select ${scope === 'feature' ? Prisma.sql`(${any})` : Prisma.sql`coalesce((${near}), (${any}))`} as id offset 0
    ) previous join events e on e.id = previous.id`;
};

const SCOPES: readonly Scope[] = ['feature', 'project', 'installation'];

/** The last state of each thing that was recorded before an event and that the actor may see, in one statement. */
export const listPreviousStates = async (
  db: Db,
  actor: Actor,
  sought: readonly Sought[],
): Promise<ReadonlyMap<number, PreviousState>> => {
  const selects = SCOPES.flatMap((scope) => {
    const things = sought.filter(({ subject }) => subject.scope === scope);
    return things.length > 0 ? [selectPrevious(actor, scope, things)] : [];
  });
  if (selects.length === 0) return new Map();

  const json = await readJson(db, Prisma.join(selects, ' union all '));
  const rows = json === null ? [] : parseExactly<(PreviousState & { eventId: number })[]>(json);
  const ends = Object.values(ENDS).flat();
  const found = rows.filter(({ type, state }) => !ends.includes(type) && state !== null);
  return new Map(found.map(({ eventId, ...state }) => [eventId, state]));
};
