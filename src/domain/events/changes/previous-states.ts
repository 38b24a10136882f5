import { type Db, Prisma } from '../../../data/db.js';
import { readRows } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
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

const selectPrevious = (actor: Actor, scope: Scope, sought: readonly Sought[]): Prisma.Sql => {
  const text = Prisma.sql`e.data::text`;
  const things = sought.map(({ eventId, subject }) => ({ eventId, ...subject }));
  // The inner select is fenced off, so that an index on the owner or on the type leads to the few candidates.
  return Prisma.sql`
    select sought."eventId", previous.type, previous.data as state
    from jsonb_to_recordset((${JSON.stringify(things)}::text)::jsonb)
      as sought("eventId" int, owner text, environment text, key text, value jsonb, tellers text[])
    cross join lateral (
      select candidate.* from (
        select e.id, e.type, e.data from events e
        where ${OWNER[scope]} and e.id < sought."eventId" and ${matchingEvents(actor, {})}
          and case
            when e.type = any(${ENDS[scope]}::text[]) then true
            when sought.environment is not null and e.environment is distinct from sought.environment then false
            when sought.key is null then true
            when e.data is null or not ${isReadable(text)} then false
            else (${readPayload(text)}) -> sought.key = sought.value
          end
          and e.type = any(sought.tellers || ${ENDS[scope]}::text[])
        offset 0
      ) candidate order by candidate.id desc limit 1
    ) previous`;
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

  const rows = await readRows<PreviousState & { eventId: number }>(
    db,
    Prisma.join(selects, ' union all '),
  );
  const ends = Object.values(ENDS).flat();
  const found = rows.filter(({ type, state }) => !ends.includes(type) && state !== null);
  return new Map(found.map(({ eventId, ...state }) => [eventId, state]));
};
