import { type Db, Prisma } from '../db.js';

/** Counts rows up to a limit. Rows beyond it are not read. */
export const countUpTo = async (db: Db, rows: Prisma.Sql, upTo: number): Promise<number> => {
  const [{ total }] = await db.$queryRaw<[{ total: bigint }]>(
    Prisma.sql`select count(*) as total from (select ${rows} limit ${upTo}) found`,
  );
  return Number(total);
};

/** Counts the rows of many owners in one statement, all or up to `upTo`. `rows` must refer to the owner as `owner.key`. */
export const countEachUpTo = async <Key extends string | number>(
  db: Db,
  {
    keys,
    type,
    rows,
    upTo,
  }: { keys: readonly Key[]; type: 'int' | 'text'; rows: Prisma.Sql; upTo?: number | undefined },
): Promise<ReadonlyMap<Key, number>> => {
  const counts = await db.$queryRaw<{ key: Key; total: bigint }[]>(Prisma.sql`
    select owner.key, counted.total from unnest(${keys}::${Prisma.raw(type)}[]) as owner(key)
    cross join lateral (select count(*) as total from (
      select ${rows} ${upTo === undefined ? Prisma.empty : Prisma.sql`limit ${upTo}`}) found) counted`);
  return new Map(counts.map(({ key, total }) => [key, Number(total)]));
};
