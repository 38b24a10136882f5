import { setPriority } from 'node:os';
import { openSql } from '../../../parity/src/world/sql.js';

/** As `nice -n 10`. */
const LOW_PRIORITY = 10;

const lower = (pid: number): void => {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // The server is on another machine, or the session has ended.
  }
};

/** Readers do not run the gateway and its database on their own machine: here, the browser goes first. */
export const yieldToBrowser = async (gatewayPid: number, databaseUrl: string): Promise<void> => {
  const sql = await openSql(databaseUrl);
  try {
    const { pids } = await sql.one<{ pids: number[] }>(
      'select array_agg(pid) as pids from pg_stat_activity where datname = current_database()',
    );
    for (const pid of [gatewayPid, ...pids]) lower(pid);
  } finally {
    await sql.close();
  }
};
