import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { cpuMsOf } from './process-usage.js';

const LIMIT_MS = 150_000;
const WINDOW_MS = 100;
/** An idle process still runs its timers. */
const AT_REST_MS = 20;
const QUIET_WINDOWS = 3;

const isDatabaseBusy = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query<{ busy: number }>(
    `select count(*)::int as busy from pg_stat_activity
     where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
  );
  return rows[0]?.busy !== 0;
};

/**
 * Waits until a contender and its database have finished work for disconnected clients; otherwise the next contender
 * would share the CPU with that work.
 */
export const untilIdle = async (databaseUrl: string, pid: number): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const deadline = Date.now() + LIMIT_MS;
    let quiet = 0;
    while (quiet < QUIET_WINDOWS && Date.now() < deadline) {
      const before = cpuMsOf(pid) ?? 0;
      await delay(WINDOW_MS);
      const used = (cpuMsOf(pid) ?? 0) - before;
      const isBusy = used > AT_REST_MS || (await isDatabaseBusy(client));
      quiet = isBusy ? 0 : quiet + 1;
    }
  } finally {
    await client.end();
  }
};
