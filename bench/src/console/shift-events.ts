import { openSql } from '../../../parity/src/world/sql.js';
import { withoutIndexes } from '../world/fill-world.js';

/** Moves the log so that it ends now: the console shows the activity of the last months. */
export const shiftEvents = async (databaseUrl: string): Promise<void> => {
  const sql = await openSql(databaseUrl);
  try {
    const { days } = await sql.one<{ days: number }>(
      'select extract(day from now() - max(created_at))::int as days from events',
    );
    if (days === 0) return;
    await withoutIndexes(sql, async () => {
      await sql.query(`update events set created_at = created_at + ${days} * interval '1 day'`);
    });
    await sql.query('vacuum (full, analyze) events');
  } finally {
    await sql.close();
  }
};
