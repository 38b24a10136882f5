import { type Db, Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import type { OffsetPage } from '../paging.js';
import { countEvents } from './count-events.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import { EVENT_COLUMNS, type EventRow, matchingEvents } from './event-query.js';

const MAX_OFFSET = 2 ** 53;

/** The page of matching events at a position, newest id first, with the exact number of all that match. */
export const searchEvents = async (
  db: Db,
  actor: Actor,
  { criteria, page }: { criteria: EventCriteria; page: OffsetPage },
): Promise<{ events: EventRow[]; total: number }> => {
  assertEventCriteria(criteria);

  const total = await countEvents(db, actor, criteria);
  if (page.limit === 0 || page.offset >= Math.min(total, MAX_OFFSET)) return { events: [], total };

  const events = await db.$queryRaw<EventRow[]>(Prisma.sql`
    select ${EVENT_COLUMNS} from events e where ${matchingEvents(actor, criteria)}
    order by e.id desc limit ${page.limit} offset ${page.offset}`);
  return { events, total };
};
