import { type Db, Prisma, type Sql } from '../db.js';

/** Inclusive. */
export type IdRange = { first: number; last: number };

/** Common matches are found among this many IDs; only the others require searching the whole log. */
const RECENT_ID_RANGE = 20_000;

/** Ranges are conditions on events (alias `e`). */
export const WHOLE_LOG = Prisma.sql`true`;

export const idsWithin = ({ first, last }: IdRange): Sql =>
  Prisma.sql`e.id >= ${first} and e.id <= ${last}`;

export const idsUpTo = (last: number): Sql => Prisma.sql`e.id <= ${last}`;

/** Null: from the start of the log. */
export const idsAfter = (id: number | null): Sql =>
  id === null ? WHOLE_LOG : Prisma.sql`e.id > ${id}`;

/** The newest events, or the newest before an ID. */
export const recentIds = (before?: number): Sql =>
  before === undefined
    ? Prisma.sql`e.id > (select max(id) - ${RECENT_ID_RANGE}::int from events)`
    : Prisma.sql`e.id > ${before - RECENT_ID_RANGE}`;

/** The IDs of all events, or of a time range: IDs and timestamps need not be in the same order. Empty without events. */
export const readIdRange = async (db: Db, times?: { from: Date; to: Date }): Promise<IdRange> => {
  const within = times
    ? Prisma.sql`where created_at >= ${times.from} and created_at < ${times.to}`
    : Prisma.empty;
  const [range] = await db.$queryRaw<[IdRange]>(
    Prisma.sql`select coalesce(min(id), 1) as first, coalesce(max(id), 0) as last from events ${within}`,
  );
  return range;
};
