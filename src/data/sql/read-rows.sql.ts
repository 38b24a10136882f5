import { type Db, Prisma } from '../db.js';
import { parseInSlices } from '../json/parse-in-slices.js';
import { ResultTooLargeError } from '../work/byte-budget.js';
import { countJsonRows, currentWork } from '../work/work.js';
import { clampTimestamp } from './clamp-timestamps.sql.js';

/** A timestamp in milliseconds, as `readRows` transfers it. */
export const milliseconds = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`floor(extract(epoch from ${clampTimestamp(column)}) * 1000)`;

/** Sorts below every timestamp: the earliest that JavaScript can represent. */
export const LOWEST = -8_640_000_000_000_000n;

/** A text of more than 0.5 GB crashes the process inside the driver, and memory runs short long before that. */
const MAX_BYTES = 100_000_000;
const TOO_LONG = 'too long';

/** Size limit of one statement's result; lower if the request's own limit is. */
const maxBytes = (): number => Math.min(MAX_BYTES, currentWork()?.budget?.maxPerWork ?? MAX_BYTES);

/** A JSON text, or a marker if it is too long. */
const bounded = (json: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(select case when octet_length(made.json) > ${maxBytes()} then ${Prisma.raw(`'${TOO_LONG}'`)} else made.json end
    from (select ${json} as json offset 0) made)`;

/** The rows of a select as one JSON text. Null if there are none. */
export const rowsOf = (select: Prisma.Sql): Prisma.Sql =>
  bounded(Prisma.sql`(select json_agg(page)::text from (${select}) page)`);

export const readJson = async (db: Db, select: Prisma.Sql): Promise<string | null> => {
  const [result] = await db.$queryRaw<[{ rows: string | null }]>(
    Prisma.sql`select ${rowsOf(select)} as rows`,
  );
  return result.rows;
};

/** Custom parsers keep more of the JSON text than `JSON.parse` does. */
type Parse = (json: string) => unknown;

const assertComplete = (json: string | null): void => {
  if (json === TOO_LONG) throw new ResultTooLargeError(maxBytes());
};

const parseList = async (json: string | null, parse: Parse): Promise<unknown[]> => {
  assertComplete(json);
  return json === null ? [] : parseInSlices(json, parse);
};

/** The rows of `rowsOf`. */
export const parseRows = async <Row>(
  json: string | null,
  parse: Parse = JSON.parse,
): Promise<Row[]> => {
  const rows = (await parseList(json, parse)) as Row[];
  countJsonRows(rows.length);
  return rows;
};

/**
 * Reads the rows of a select as one JSON value: parsing it costs a fraction of mapping each column of each row.
 * Timestamps arrive as milliseconds. Select values that don't fit a JavaScript number as text.
 */
export const readRows = async <Row>(db: Db, select: Prisma.Sql): Promise<Row[]> =>
  parseRows(await readJson(db, select));

const countLists = (lists: object): void => {
  const sizes = Object.values<readonly unknown[]>(lists as Record<string, unknown[]>);
  countJsonRows(sizes.reduce((sum, { length }) => sum + length, 0));
};

/** Combines selects into one row with a column per name. For lists that may be long. */
export const listColumns = (selects: Readonly<Record<string, Prisma.Sql>>): Prisma.Sql =>
  Prisma.join(
    Object.entries(selects).map(
      ([name, select]) => Prisma.sql`${rowsOf(select)} as ${Prisma.raw(`"${name}"`)}`,
    ),
  );

export const parseListColumns = async <Lists extends Record<string, unknown[]>>(
  columns: Readonly<Record<string, string | null>>,
  parse: Parse,
): Promise<Lists> => {
  const lists: Record<string, unknown[]> = {};
  for (const [name, json] of Object.entries(columns)) lists[name] = await parseList(json, parse);
  countLists(lists);
  return lists as Lists;
};

/** Combines selects into one JSON object with a list of rows per name. */
export const listsOf = (selects: Readonly<Record<string, Prisma.Sql>>): Prisma.Sql => {
  const parts = Object.entries(selects).map(
    ([name, select]) =>
      Prisma.sql`${Prisma.raw(`'${name}'`)}, (select coalesce(json_agg(part), '[]') from (${select}) part)`,
  );
  return bounded(Prisma.sql`json_build_object(${Prisma.join(parts)})::text`);
};

export const parseLists = <Lists extends { [Name in keyof Lists]: readonly unknown[] }>(
  json: string,
): Lists => {
  assertComplete(json);
  const lists = JSON.parse(json) as Lists;
  countLists(lists);
  return lists;
};

/** Runs several selects in one statement. */
export const readLists = async <Lists extends Record<string, object[]>>(
  db: Db,
  selects: { [Name in keyof Lists]: Prisma.Sql },
): Promise<Lists> => {
  const [result] = await db.$queryRaw<[{ lists: string }]>(
    Prisma.sql`select ${listsOf(selects)} as lists`,
  );
  return parseLists<Lists>(result.lists);
};
