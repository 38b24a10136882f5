import { openSql } from '../../../parity/src/world/sql.js';

/** Moves the log so that it ends now: the console shows the activity of the last months. */
export const shiftEvents = async (databaseUrl: string): Promise<void> => {
  const sql = await openSql(databaseUrl);
  try {
    await sql.query(
      `update events set created_at = created_at + (select now() - max(created_at) from events)
       where (select max(created_at) from events) < now() - interval '1 day'`,
    );
    await sql.query('vacuum (analyze) events');
  } finally {
    await sql.close();
  }
};
