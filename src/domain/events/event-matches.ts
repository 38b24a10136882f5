import { createHash } from 'node:crypto';
import { type Db, Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import { matchingEvents } from './event-query.js';
import { type Known, type LogMemory, type LogQuestion, MARK, newerThan } from './log-memory.js';

/** How many events meet the criteria, and between which ids they lie. */
export type Matches = { count: number; oldest: number | null; newest: number | null };

const NOTHING: Matches = { count: 0, oldest: null, newest: null };

const keyOf = ({ seesAllEvents }: Actor, criteria: EventCriteria): string =>
  createHash('sha256')
    .update(JSON.stringify([seesAllEvents, criteria]))
    .digest('base64');

const readsAuthors = ({ creators, creatorFrom, creatorBefore }: EventCriteria): boolean =>
  [creators, creatorFrom, creatorBefore].some((criterion) => criterion !== undefined);

/** What can be remembered of a search: nothing of it depends on the page, nor on who asks beyond what he may see. */
export const matchesOf = (db: Db, actor: Actor, criteria: EventCriteria): LogQuestion<Matches> => ({
  key: keyOf(actor, criteria),
  read: async (range) => {
    const [row] = await db.$queryRaw<
      [Omit<Matches, 'count'> & { count: bigint }]
    >(Prisma.sql`select count(*) as count, min(e.id) as oldest, max(e.id) as newest from events e
      where ${matchingEvents(actor, criteria)} and ${range}`);
    return { ...row, count: Number(row.count) };
  },
  merge: (older, newer) => ({
    count: older.count + newer.count,
    oldest: older.oldest ?? newer.oldest,
    newest: newer.newest ?? older.newest,
  }),
  nothing: NOTHING,
  readsAuthors: readsAuthors(criteria),
});

/** A range of ids that holds every match; `newest` is that of the matches that are newer than what is known. */
export const withinMatches = (known: Known<Matches>, newest: Prisma.Sql): Prisma.Sql => {
  const { value, upTo } = known;
  const first = value.oldest ?? upTo;
  return Prisma.sql`e.id <= coalesce(${newest}, ${value.newest}::int)
    ${first === null ? Prisma.empty : Prisma.sql`and e.id >= ${first}`}`;
};

/** How many events match, exactly. */
export const countEvents = (
  db: Db,
  memory: LogMemory,
  actor: Actor,
  criteria: EventCriteria,
): Promise<number> => {
  assertEventCriteria(criteria);

  return memory.ask(matchesOf(db, actor, criteria), async (known) => {
    const [row] = await db.$queryRaw<[{ count: bigint; mark: string }]>(Prisma.sql`
      select count(*) as count, ${MARK} as mark from events e
      where ${matchingEvents(actor, criteria)} and ${newerThan(known)}`);
    return { mark: row.mark, answer: known.value.count + Number(row.count) };
  });
};
