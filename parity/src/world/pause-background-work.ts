import type { Sql } from './sql.js';

/** Writes by upstream's background jobs, which would make two copies of a database diverge. */
const BACKGROUND_WRITES: readonly [table: string, event: string][] = [
  ['projects', 'update of health, updated_at'],
  ['project_stats', 'insert or update'],
  ['features', 'update of potentially_stale'],
  ['integration_events', 'delete'],
  ['last_seen_at_metrics', 'delete'],
];

/** Blocking this update keeps upstream from announcing events. */
const ANNOUNCEMENTS: readonly [table: string, event: string] = ['events', 'update of announced'];

const hold = async (sql: Sql, [table, event]: readonly [string, string]): Promise<void> => {
  await sql.query(
    `create trigger parity_standstill before ${event} on ${table} for each row execute function parity_skip()`,
  );
};

/** Blocks writes by upstream's background jobs. Writes for requests still happen. */
export const pauseBackgroundWork = async (sql: Sql): Promise<void> => {
  await sql.query(`
    create or replace function parity_skip() returns trigger language plpgsql as $$
    begin
      if current_setting('parity.is_ours', true) = 'on' then
        if tg_op = 'DELETE' then return old; end if;
        return new;
      end if;
      return null;
    end $$`);
  for (const write of BACKGROUND_WRITES) await hold(sql, write);
};

export const pauseAnnouncements = (sql: Sql): Promise<void> => hold(sql, ANNOUNCEMENTS);

export const resumeAnnouncements = async (sql: Sql): Promise<void> => {
  await sql.query('drop trigger parity_standstill on events');
};

export const resumeBackgroundWork = async (sql: Sql): Promise<void> => {
  for (const [table] of BACKGROUND_WRITES) {
    await sql.query(`drop trigger if exists parity_standstill on ${table}`);
  }
};
