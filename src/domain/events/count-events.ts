import { countEachUpTo, countUpTo } from '../../data/count-up-to.js';
import { type Db, Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { assertEventCriteria, type EventCriteria, isHard } from './event-criteria.js';
import { countEvents, matchesOf } from './event-matches.js';
import { matchingEvents } from './event-query.js';
import { NEAR } from './list-events.js';
import { type EventOwner, ownerColumn } from './list-events-of.js';
import type { LogMemory } from './log-memory.js';

/** How many events match, but no more than a bound, which costs less than the exact number where there are many. */
export const countEventsUpTo = async (
  db: Db,
  memory: LogMemory,
  actor: Actor,
  { criteria, upTo }: { criteria: EventCriteria; upTo: number },
): Promise<number> => {
  assertEventCriteria(criteria);

  const needsAll = isHard(criteria);
  if (!memory.knows(matchesOf(db, actor, criteria))) {
    const near = Prisma.sql`and e.id > (select max(id) - ${NEAR}::int from events)`;
    const found = await countUpTo(
      db,
      Prisma.sql`from events e where ${matchingEvents(actor, criteria)} ${needsAll ? near : Prisma.empty}`,
      upTo,
    );
    if (found === upTo || !needsAll) return found;
  }
  return Math.min(upTo, await countEvents(db, memory, actor, criteria));
};

/** How many events match for each of many features or projects, in one statement; where a bound is given, no more than that. */
export const countEventsOf = async (
  db: Db,
  actor: Actor,
  {
    owner,
    keys,
    criteria,
    upTo,
  }: {
    owner: EventOwner;
    keys: readonly string[];
    criteria: EventCriteria;
    upTo?: number | undefined;
  },
): Promise<ReadonlyMap<string, number>> => {
  assertEventCriteria(criteria);

  const column = ownerColumn(owner);
  const matching = matchingEvents(actor, criteria);
  if (upTo !== undefined) {
    const rows = Prisma.sql`from events e where ${column} = owner.key and ${matching}`;
    return countEachUpTo(db, { keys, type: 'text', rows, upTo });
  }
  const rows = await db.$queryRaw<{ key: string; total: bigint }[]>(Prisma.sql`
    select ${column} as key, count(*) as total from events e
    where ${column} = any(${keys}::text[]) and ${matching} group by 1`);
  return new Map(rows.map(({ key, total }) => [key, Number(total)]));
};
