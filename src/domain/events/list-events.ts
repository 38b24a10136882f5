import { type Db, Prisma } from '../../data/db.js';
import { rowsOf } from '../../data/read-rows.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import {
  assertEventCriteria,
  type EventCriteria,
  isHard,
  readsPayloads,
} from './event-criteria.js';
import { fewMatches, matchesOf, newerMatches, withinMatches } from './event-matches.js';
import {
  type EventRow,
  eventColumns,
  matchingEvents,
  parseEvents,
  readEvents,
} from './event-query.js';
import type { LogMemory } from './log-memory.js';
import { LOG_MARK } from './settled-log.js';

/** Bounds and order of a keyset page over events aliased `e`, newest id first, one row more than asked. */
export const eventPage = (page: KeysetPage<number>): { bounds: Prisma.Sql; order: Prisma.Sql } => ({
  bounds: Prisma.sql`${page.after === undefined ? Prisma.empty : Prisma.sql`and e.id < ${page.after}`}
    ${page.before === undefined ? Prisma.empty : Prisma.sql`and e.id > ${page.before}`}`,
  order: Prisma.sql`order by e.id ${page.backward ? Prisma.sql`asc` : Prisma.sql`desc`} limit ${page.limit + 1}`,
});

/** What many events hold is found among so many ids already; only for the rest is all of the log looked at. */
export const NEAR = 20_000;

type EventPage = {
  criteria: EventCriteria;
  page: KeysetPage<number>;
  /** Whether anybody looks at what was recorded along with the events. */
  hasPayload?: boolean;
};

/** The page of matching events next to a known id, newest first; counts nothing that an index finds. */
export const listEvents = async (
  db: Db,
  memory: LogMemory,
  actor: Actor,
  { criteria, page, hasPayload = true }: EventPage,
): Promise<Slice<EventRow>> => {
  assertEventCriteria(criteria);

  const matching = matchingEvents(actor, criteria);
  const columns = eventColumns(hasPayload);
  const { bounds, order } = eventPage(page);
  if (!isHard(criteria)) {
    const rows = await readEvents(
      db,
      Prisma.sql`select ${columns} from events e where ${matching} ${bounds} ${order}`,
    );
    return sliceOf(rows, page);
  }

  const question = matchesOf(db, actor, criteria);
  if (readsPayloads(criteria) && !page.backward && !memory.knows(question)) {
    const from =
      page.after === undefined
        ? Prisma.sql`(select max(id) - ${NEAR}::int from events)`
        : page.after - NEAR;
    const rows = await readEvents(
      db,
      Prisma.sql`select ${columns} from events e
        where ${matching} and e.id > ${from} ${bounds} ${order}`,
    );
    if (rows.length > page.limit) return sliceOf(rows, page);
  }

  return memory.ask(question, async (known) => {
    const few = fewMatches(known);
    const select = few
      ? Prisma.sql`select ${columns} from events e
          where e.id in (select e.id from events e where e.id in ${few} ${bounds} ${order})
            and ${matching} ${order}`
      : Prisma.sql`select ${columns} from events e
          where ${matching} and ${withinMatches(known)} ${bounds} ${order}`;
    const [found] = await db.$queryRaw<[{ mark: string; rows: string | null }]>(Prisma.sql`
      ${newerMatches(actor, criteria, known)}
      select ${LOG_MARK} as mark, ${rowsOf(select)} as rows from newer`);
    return { mark: found.mark, answer: sliceOf<EventRow>(parseEvents(found.rows), page) };
  });
};
