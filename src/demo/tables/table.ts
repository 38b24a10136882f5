import type { Db } from '../../data/db.js';
import type { Json } from '../history/event-draft.js';

/** Rows of one table in the words of its columns; all rows name the same columns. */
export type Table = {
  name: string;
  rows: readonly Readonly<Record<string, Json | Date>>[];
};

/** Inserts a whole table with one statement, whatever its size; row by row it would take the embedded database seconds. */
export const insertTable = async (db: Db, { name, rows }: Table): Promise<void> => {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  await db.$executeRawUnsafe(
    `insert into ${name} (${columns}) select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
    JSON.stringify(rows),
  );
};
