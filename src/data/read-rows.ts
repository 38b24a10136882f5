import { type Db, Prisma } from './db.js';
import { countPackedRows } from './tally.js';
import { tellable } from './tellable-times.js';

/** A moment as milliseconds, the way `readRows` carries it. */
export const milliseconds = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`floor(extract(epoch from ${tellable(column)}) * 1000)`;

/** A text of more than half a gigabyte ends the process, from inside the driver; long before that, memory is short. */
const MOST_BYTES = 100_000_000;
const TOO_LONG = 'too long';

/** More was asked for than one answer of the database may hold. */
export class TooMuchError extends Error {
  constructor() {
    super(`the rows take more than ${MOST_BYTES} bytes`);
  }
}

/** A JSON text, unless it is too long. */
const bounded = (json: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(select case when octet_length(made.json) > ${MOST_BYTES} then ${Prisma.raw(`'${TOO_LONG}'`)} else made.json end
    from (select ${json} as json offset 0) made)`;

/** The rows of a select as one JSON text; null where there are none. */
export const rowsOf = (select: Prisma.Sql): Prisma.Sql =>
  bounded(Prisma.sql`(select json_agg(page)::text from (${select}) page)`);

export const readJson = async (db: Db, select: Prisma.Sql): Promise<string | null> => {
  const [answer] = await db.$queryRaw<[{ rows: string | null }]>(
    Prisma.sql`select ${rowsOf(select)} as rows`,
  );
  return answer.rows;
};

/** How a JSON text becomes what it says; there are readers that keep more of it than `JSON.parse` does. */
type Parse = (json: string) => unknown;

const parseBounded = (json: string, parse: Parse): unknown => {
  if (json === TOO_LONG) throw new TooMuchError();
  return parse(json);
};

export const parseRows = <Row>(json: string | null, parse: Parse = JSON.parse): Row[] => {
  const rows = json === null ? [] : (parseBounded(json, parse) as Row[]);
  countPackedRows(rows.length);
  return rows;
};

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
  return bounded(Prisma.sql`json_build_object(${Prisma.join(parts)})::text`);
};

export const parseLists = <Lists extends { [Name in keyof Lists]: readonly unknown[] }>(
  json: string,
  parse: Parse = JSON.parse,
): Lists => {
  const lists = parseBounded(json, parse) as Lists;
  const sizes = Object.values<readonly unknown[]>(lists).map(({ length }) => length);
  countPackedRows(sizes.reduce((sum, size) => sum + size, 0));
  return lists;
};

/** Several selects in one statement. */
export const readLists = async <Lists extends Record<string, object[]>>(
  db: Db,
  selects: { [Name in keyof Lists]: Prisma.Sql },
): Promise<Lists> => {
  const [answer] = await db.$queryRaw<[{ lists: string }]>(
    Prisma.sql`select ${listsOf(selects)} as lists`,
  );
  return parseLists<Lists>(answer.lists);
};
