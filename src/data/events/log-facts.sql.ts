import { type Db, Prisma } from '../db.js';

/** Unleash fills in the authors of old events later. */
export const hasAllAuthors = async (db: Db): Promise<boolean> => {
  const [{ hasAll }] = await db.$queryRaw<[{ hasAll: boolean }]>(
    Prisma.sql`select not exists (select from events where created_by_user_id is null) as "hasAll"`,
  );
  return hasAll;
};

/** Any GIN or GiST index counts as a text index; the recommended one is of this kind. */
export const hasTextIndex = async (db: Db): Promise<boolean> => {
  const [{ has }] = await db.$queryRaw<[{ has: boolean }]>(Prisma.sql`
    select exists (
      select from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
      where i.indrelid = 'events'::regclass and i.indisvalid and a.amname in ('gin', 'gist')
    ) as has`);
  return has;
};
