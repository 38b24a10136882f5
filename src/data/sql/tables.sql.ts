import { type Db, Prisma } from '../db.js';
import { visitInSlices } from '../work/time-slicer.js';
import { milliseconds, readRows } from './read-rows.sql.js';

type TimesOf<Row> = {
  [Field in keyof Row]-?: Date extends Row[Field] ? Field : never;
}[keyof Row];

/** A table that is read in bulk: the model's field names mapped to columns. */
export type Table<Row> = {
  name: string;
  columns: { [Field in keyof Row]-?: string };
  /** The timestamp fields. */
  times: readonly TimesOf<Row>[];
};

/** The columns of a table aliased `t`. */
export const columnsOf = <Row>({ columns, times }: Table<Row>): Prisma.Sql => {
  const isTime = new Set<PropertyKey>(times);
  const selected = Object.entries<string>(columns).map(([field, column]) => {
    const value = Prisma.raw(`t.${column}`);
    return Prisma.sql`${isTime.has(field) ? milliseconds(value) : value} as ${Prisma.raw(`"${field}"`)}`;
  });
  return Prisma.join(selected);
};

/** Few enough for a fraction of a slice. */
const AT_ONCE = 500;

/** Converts milliseconds in rows read as JSON back to dates. */
export const withTimes = async <Row extends object>(
  { times }: Table<Row>,
  rows: Row[],
): Promise<Row[]> => {
  const convert = (row: Row): void => {
    for (const field of times) {
      if (row[field] !== null) row[field] = new Date(row[field] as number) as Row[typeof field];
    }
  };
  await visitInSlices(rows, convert, AT_ONCE);
  return rows;
};

/** Rows of a `columnsOf` select, plus anything else that it selects. */
export const readTableRows = async <Row extends object, More = unknown>(
  db: Db,
  table: Table<Row>,
  select: Prisma.Sql,
): Promise<(Row & More)[]> => {
  const rows = await readRows<Row & More>(db, select);
  await withTimes<Row>(table, rows);
  return rows;
};

/** Selects the rows of a table, aliased `t`, that match a condition. */
export const selectRows = <Row extends object>(
  table: Table<Row>,
  where: Prisma.Sql,
  order?: Prisma.Sql,
): Prisma.Sql => Prisma.sql`select ${columnsOf(table)} from ${Prisma.raw(table.name)} t where ${where}
  ${order ? Prisma.sql`order by ${order}` : Prisma.empty}`;

export const readTable = <Row extends object>(
  db: Db,
  table: Table<Row>,
  where: Prisma.Sql,
  order?: Prisma.Sql,
): Promise<Row[]> => readTableRows<Row>(db, table, selectRows(table, where, order));
