import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const LIMIT_MS = 150_000;

/** Waits until a database has nothing more to do for those whose callers have gone. */
export const untilIdle = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const deadline = Date.now() + LIMIT_MS;
    for (;;) {
      const { rows } = await client.query<{ busy: number }>(
        `select count(*)::int as busy from pg_stat_activity
         where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
      );
      if (rows[0]?.busy === 0 || Date.now() > deadline) return;
      await delay(50);
    }
  } finally {
    await client.end();
  }
};
