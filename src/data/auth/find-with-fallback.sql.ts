import { databaseFailure } from '../database-failure.js';
import { type Db, Prisma } from '../db.js';

/** A single-row select on a table or column that only some Unleash versions have. */
export type Lookup = {
  select: Prisma.Sql;
  /** SQL condition: this version has the table or column. */
  presence: Prisma.Sql;
};

/** Known missing objects, so that statements don't fail on them every time. */
export type MissingObjects = Set<'selector' | 'secret'>;

type Kind = 'selector' | 'secret';

const isUnknownObject = (error: unknown) => databaseFailure(error) === 'unknown-object';

export const findRow = async <Row>(db: Db, { select }: Lookup): Promise<Row | undefined> => {
  const [row] = await db.$queryRaw<Row[]>(select);
  return row;
};

/** Reads with the present way, and checks in the same statement whether an upgrade has added the other. */
const findWhileMissing = async <Row>(
  db: Db,
  missingLookup: Lookup,
  presentLookup: Lookup,
): Promise<{ isBack: boolean; row: Row | undefined }> => {
  const [found] = await db.$queryRaw<[Row & { isBack: boolean; isFound: boolean | null }]>(
    Prisma.sql`select ${missingLookup.presence} as "isBack", found.* from (select) one left join lateral
      (select true as "isFound", way.* from (${presentLookup.select}) way) found on true`,
  );
  return { isBack: found.isBack, row: found.isFound ? found : undefined };
};

/** Finds the row the first way, or the second way if this Unleash version lacks the first. */
export const findWithFallback = async <Row>(
  db: Db,
  lookups: Readonly<Record<Kind, Lookup>>,
  first: Kind,
  missing: MissingObjects,
): Promise<{ lookup: Kind; row: Row | undefined }> => {
  const second = first === 'secret' ? 'selector' : 'secret';
  if (missing.has(first)) {
    const found = await findWhileMissing<Row>(db, lookups[first], lookups[second]).catch(
      (error: unknown) => {
        if (isUnknownObject(error)) return null;
        throw error;
      },
    );
    if (found && !found.isBack) return { lookup: second, row: found.row };
    missing.delete(first);
  }
  try {
    return { lookup: first, row: await findRow<Row>(db, lookups[first]) };
  } catch (error) {
    if (!isUnknownObject(error)) throw error;
    missing.add(first);
    return { lookup: second, row: await findRow<Row>(db, lookups[second]) };
  }
};
