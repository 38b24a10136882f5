import { type Db, Prisma, type Sql } from '../db.js';
import type { KeysetPage } from '../paging.js';
import { rowsOf } from '../sql/read-rows.sql.js';
import { SERVER_EPOCH } from '../sql/server-epoch.sql.js';
import { fewMatches, type KnownSearch, newerMatches, withinMatches } from './event-matches.sql.js';
import {
  type EventRow,
  eventColumns,
  parseEvents,
  parserFor,
  selectEvents,
} from './event-rows.sql.js';
import { LOG_EPOCH } from './settled-log.sql.js';

/** Keyset page over events (alias `e`), newest first, with one extra row. */
export const eventPage = (page: KeysetPage<number>): { bounds: Sql; order: Sql } => ({
  bounds: Prisma.sql`${page.after === undefined ? Prisma.empty : Prisma.sql`and e.id < ${page.after}`}
    ${page.before === undefined ? Prisma.empty : Prisma.sql`and e.id > ${page.before}`}`,
  order: Prisma.sql`order by e.id ${page.backward ? Prisma.sql`asc` : Prisma.sql`desc`} limit ${page.limit + 1}`,
});

type Found = { mark: string; rows: string | null };

export const readEventPage = async (
  db: Db,
  {
    matching,
    range,
    page,
    hasPayload,
  }: { matching: Sql; range: Sql; page: KeysetPage<number>; hasPayload: boolean },
) => {
  const { bounds, order } = eventPage(page);
  const select = selectEvents(Prisma.sql`select ${eventColumns(hasPayload)} from events e
    where ${matching} and ${range} ${bounds} ${order}`);
  const [{ mark, rows }] = await db.$queryRaw<[Found]>(
    Prisma.sql`select ${SERVER_EPOCH} as mark, ${rowsOf(select)} as rows`,
  );
  return { mark, events: await parseEvents<EventRow>(rows, parserFor(hasPayload)) };
};

/** The same if the matches are known: the page is searched only where they are. */
export const readKnownPage = async (
  db: Db,
  search: KnownSearch,
  { page, hasPayload }: { page: KeysetPage<number>; hasPayload: boolean },
) => {
  const { bounds, order } = eventPage(page);
  const columns = eventColumns(hasPayload);
  const few = fewMatches(search);
  const select = few
    ? Prisma.sql`select ${columns} from events e
        where e.id in (select e.id from events e where e.id in ${few} ${bounds} ${order})
          and ${search.matching} ${order}`
    : Prisma.sql`select ${columns} from events e
        where ${search.matching} and ${withinMatches(search)} ${bounds} ${order}`;
  const [{ mark, rows }] = await db.$queryRaw<[Found]>(Prisma.sql`
    ${newerMatches(search)}
    select ${LOG_EPOCH} as mark, ${rowsOf(selectEvents(select))} as rows from newer`);
  return { mark, events: await parseEvents<EventRow>(rows, parserFor(hasPayload)) };
};

type Part = { matching: Sql; after: number; upTo: number; limit: number; hasPayload: boolean };

/** The next events of a part of the log, oldest first, as JSON. */
export const readNextEvents = async (
  db: Db,
  { matching, after, upTo, limit, hasPayload }: Part,
): Promise<{ server: string; rows: string | null }> => {
  const select = selectEvents(Prisma.sql`select ${eventColumns(hasPayload)} from events e
    where ${matching} and e.id > ${after} and e.id <= ${upTo} order by e.id limit ${limit}`);
  const [found] = await db.$queryRaw<[{ server: string; rows: string | null }]>(
    Prisma.sql`select ${SERVER_EPOCH} as server, ${rowsOf(select)} as rows`,
  );
  return found;
};
