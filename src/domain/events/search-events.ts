import { type Db, Prisma } from '../../data/db.js';
import { rowsOf } from '../../data/read-rows.js';
import type { Actor } from '../actor.js';
import type { OffsetPage } from '../paging.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import {
  fewMatches,
  type Matches,
  matchesOf,
  newerMatches,
  withinMatches,
} from './event-matches.js';
import { EVENT_COLUMNS, type EventRow, matchingEvents, parseEvents } from './event-query.js';
import type { Known, LogMemory } from './log-memory.js';
import { LOG_MARK } from './settled-log.js';

/** There are fewer ids than that. */
const MAX_OFFSET = 2 ** 31 - 1;
/** From here on it pays to walk an index up to the page and to read rows for the page alone. */
const FAR = 1_000;

const selectPage = (
  matching: Prisma.Sql,
  known: Known<Matches>,
  { limit, offset }: OffsetPage,
): Prisma.Sql => {
  const page = Prisma.sql`order by id desc limit ${limit} offset ${Math.min(offset, MAX_OFFSET)}`;
  const among = (ids: Prisma.Sql, further = Prisma.empty) =>
    Prisma.sql`select ${EVENT_COLUMNS} from events e where e.id in (${ids}) ${further} order by e.id desc`;

  const few = fewMatches(known);
  if (few) {
    const found = Prisma.sql`select id from events where id in ${few} ${page}`;
    return among(found, Prisma.sql`and ${matching}`);
  }
  // A page behind the last match is empty without a walk to its end.
  const onPage = Prisma.sql`where ${matching} and ${withinMatches(known)}
    and newer.count + ${known.value.count} > ${offset} ${page}`;
  return offset >= FAR
    ? among(Prisma.sql`select e.id from events e ${onPage}`)
    : Prisma.sql`select ${EVENT_COLUMNS} from events e ${onPage}`;
};

type Found = { count: bigint; mark: string; rows: string | null };

/** The page of matching events at a position, newest id first, with the exact number of all that match. */
export const searchEvents = async (
  db: Db,
  memory: LogMemory,
  actor: Actor,
  { criteria, page }: { criteria: EventCriteria; page: OffsetPage },
): Promise<{ events: EventRow[]; total: number }> => {
  assertEventCriteria(criteria);

  return memory.ask(matchesOf(db, actor, criteria), async (known) => {
    const select = selectPage(matchingEvents(actor, criteria), known, page);
    const [found] = await db.$queryRaw<[Found]>(Prisma.sql`
      ${newerMatches(actor, criteria, known)}
      select newer.count, ${LOG_MARK} as mark, ${rowsOf(select)} as rows from newer`);
    const total = known.value.count + Number(found.count);
    // Numbers beyond a double are rounded, as the original rounds them.
    return { mark: found.mark, answer: { events: parseEvents(found.rows, JSON.parse), total } };
  });
};
