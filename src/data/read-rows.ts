import { type Db, Prisma } from './db.js';
import { tellable } from './tellable-times.js';

/** A moment as milliseconds, the way `readRows` carries it. */
export const milliseconds = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`floor(extract(epoch from ${tellable(column)}) * 1000)`;

/** The rows of a select as one JSON text; null where there are none. */
export const readJson = async (db: Db, select: Prisma.Sql): Promise<string | null> => {
  const [answer] = await db.$queryRaw<[{ rows: string | null }]>(
    Prisma.sql`select json_agg(page)::text as rows from (${select}) page`,
  );
  return answer.rows;
};

export const parseRows = <Row>(json: string | null): Row[] =>
  json === null ? [] : JSON.parse(json);

/**
 * The rows of a select, read as one JSON value: parsing that costs a fraction of what mapping each column of each row
 * does. Times come as milliseconds, and what does not fit a JavaScript number must be selected as text.
 */
export const readRows = async <Row>(db: Db, select: Prisma.Sql): Promise<Row[]> =>
  parseRows(await readJson(db, select));

/** Selects as one JSON object that has a list of rows under each name. */
export const listsOf = (selects: Readonly<Record<string, Prisma.Sql>>): Prisma.Sql => {
  const parts = Object.entries(selects).map(
    ([name, select]) =>
      Prisma.sql`${Prisma.raw(`'${name}'`)}, (select coalesce(json_agg(part), '[]') from (${select}) part)`,
  );
  return Prisma.sql`json_build_object(${Prisma.join(parts)})::text`;
};

/** Several selects in one statement. */
export const readLists = async <Lists extends Record<string, object[]>>(
  db: Db,
  selects: { [Name in keyof Lists]: Prisma.Sql },
): Promise<Lists> => {
  const [answer] = await db.$queryRaw<[{ lists: string }]>(
    Prisma.sql`select ${listsOf(selects)} as lists`,
  );
  return JSON.parse(answer.lists);
};
