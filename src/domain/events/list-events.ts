import { type Db, Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import { EVENT_COLUMNS, type EventRow, matchingEvents } from './event-query.js';

/** Bounds and order of a keyset page over events aliased `e`, newest id first, one row more than asked. */
export const eventPage = (page: KeysetPage<number>): { bounds: Prisma.Sql; order: Prisma.Sql } => ({
  bounds: Prisma.sql`${page.after === undefined ? Prisma.empty : Prisma.sql`and e.id < ${page.after}`}
    ${page.before === undefined ? Prisma.empty : Prisma.sql`and e.id > ${page.before}`}`,
  order: Prisma.sql`order by e.id ${page.backward ? Prisma.sql`asc` : Prisma.sql`desc`} limit ${page.limit + 1}`,
});

/** The page of matching events next to a known id, newest first; counts nothing. */
export const listEvents = async (
  db: Db,
  actor: Actor,
  { criteria, page }: { criteria: EventCriteria; page: KeysetPage<number> },
): Promise<Slice<EventRow>> => {
  assertEventCriteria(criteria);

  const { bounds, order } = eventPage(page);
  const rows = await db.$queryRaw<EventRow[]>(Prisma.sql`
    select ${EVENT_COLUMNS} from events e where ${matchingEvents(actor, criteria)} ${bounds} ${order}`);
  return sliceOf(rows, page);
};
