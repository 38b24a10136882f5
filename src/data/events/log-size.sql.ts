import { type Db, Prisma } from '../db.js';

/** Number of events up to two IDs, in one pass over the primary key. */
export const countLog = async (
  db: Db,
  { known, next }: { known: number; next: number },
): Promise<{ known: number; next: number }> => {
  const [counts] = await db.$queryRaw<[{ known: number; next: number }]>(Prisma.sql`
    select count(*) filter (where id <= ${known}::int)::int as known, count(*)::int as next
    from events where id <= ${Math.max(known, next)}::int`);
  return counts;
};
