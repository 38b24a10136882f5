import { type Db, Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import type { OffsetPage } from '../paging.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import { type Matches, matchesOf, withinMatches } from './event-matches.js';
import { EVENT_COLUMNS, type EventRow, matchingEvents, parseEvents } from './event-query.js';
import { type Known, type LogMemory, MARK, newerThan } from './log-memory.js';

/** There are fewer ids than that. */
const MAX_OFFSET = 2 ** 31 - 1;
/** So many matches of a text are sorted rather than looked for along the log, newest first. */
const FEW = 10_000;
/** From here on it pays to walk an index up to the page and to read rows for the page alone. */
const FAR = 1_000;

/** Of a text the planner knows too little to choose well: where it is rare, walking the log means reading most of it. */
export const isRareText = ({ text }: EventCriteria, known: Known<Matches>): boolean =>
  text !== undefined && known.upTo !== null && known.value.count <= FEW;

const selectPage = (
  matching: Prisma.Sql,
  isRare: boolean,
  { limit, offset }: OffsetPage,
): Prisma.Sql => {
  const page = Prisma.sql`order by id desc limit ${limit} offset ${Math.min(offset, MAX_OFFSET)}`;
  const among = (ids: Prisma.Sql) =>
    Prisma.sql`select ${EVENT_COLUMNS} from events e where e.id in (${ids}) order by e.id desc`;

  if (isRare) {
    return among(
      Prisma.sql`with found as materialized (select e.id from events e where ${matching}) select id from found ${page}`,
    );
  }
  return offset >= FAR
    ? among(Prisma.sql`select e.id from events e where ${matching} ${page}`)
    : Prisma.sql`select ${EVENT_COLUMNS} from events e where ${matching} ${page}`;
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
    const matching = matchingEvents(actor, criteria);
    // A page behind the last match is empty without a walk to its end.
    const onPage = Prisma.sql`${matching} and ${withinMatches(known, Prisma.sql`newer.newest`)}
      and newer.count + ${known.value.count} > ${page.offset}`;
    const [found] = await db.$queryRaw<[Found]>(Prisma.sql`
      with newer as materialized (
        select count(*) as count, max(e.id) as newest from events e
        where ${matching} and ${newerThan(known)}
      )
      select newer.count, ${MARK} as mark, (
        select json_agg(page)::text from (
          ${selectPage(onPage, isRareText(criteria, known), page)}
        ) page
      ) as rows from newer`);
    const total = known.value.count + Number(found.count);
    return { mark: found.mark, answer: { events: parseEvents(found.rows), total } };
  });
};
