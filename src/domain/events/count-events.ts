import { type Db, Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import { matchingEvents } from './event-query.js';
import { type EventOwner, ownerColumn } from './list-events-of.js';

/** How many events match for each of many features or projects, in one statement. */
export const countEventsOf = async (
  db: Db,
  actor: Actor,
  {
    owner,
    keys,
    criteria,
  }: { owner: EventOwner; keys: readonly string[]; criteria: EventCriteria },
): Promise<ReadonlyMap<string, number>> => {
  assertEventCriteria(criteria);

  const column = ownerColumn(owner);
  const rows = await db.$queryRaw<{ key: string; total: bigint }[]>(Prisma.sql`
    select ${column} as key, count(*) as total from events e
    where ${column} = any(${keys}::text[]) and ${matchingEvents(actor, criteria)} group by 1`);
  return new Map(rows.map(({ key, total }) => [key, Number(total)]));
};
