import type { Sql } from '../world/sql.js';

/** Logs the order in which transactions write rows, and when they commit. */
export type WriteLog = {
  /**
   * Errors in the transactions that created these features, and the longest time from the first event to the commit.
   */
  check(names: readonly string[]): Promise<{ wrong: string[]; slowestMs: number }>;
  remove(): Promise<void>;
};

const TABLES: readonly [table: string, nameColumn: string][] = [
  ['features', 'name'],
  ['feature_environments', 'feature_name'],
  ['feature_strategies', 'feature_name'],
  ['feature_strategy_segment', ''],
  ['dependent_features', 'child'],
  ['events', 'feature_name'],
];

const INSTALL = `
  create table parity_writes (nr bigserial primary key, tx text default pg_current_xact_id()::text,
    at timestamptz default clock_timestamp(), what text, name text);
  create function parity_note() returns trigger language plpgsql as $$
  begin
    insert into parity_writes (what, name) values (tg_argv[0], to_jsonb(new)->>tg_argv[1]);
    return null;
  end $$;
  ${TABLES.map(
    ([table, column]) =>
      `create trigger parity_note after insert on ${table} for each row
         execute function parity_note('${table}', '${column}');`,
  ).join('\n')}
  create constraint trigger parity_commit after insert on events deferrable initially deferred
    for each row execute function parity_note('commit', 'feature_name');`;

const REMOVE = `
  ${TABLES.map(([table]) => `drop trigger parity_note on ${table};`).join('\n')}
  drop trigger parity_commit on events;
  drop function parity_note;
  drop table parity_writes;`;

type Write = { tx: string; what: string; name: string | null; at_ms: number };

const checkTransaction = (name: string, writes: readonly Write[]): string[] => {
  const first = writes.findIndex(({ what }) => what === 'events');
  const after = writes.slice(Math.max(0, first)).map(({ what }) => what);
  const late = after.filter((what) => what !== 'events' && what !== 'commit');
  const lastEvent = after.lastIndexOf('events');
  return [
    ...(first < 0 ? [`${name}: a transaction without events`] : []),
    ...(late.length > 0 ? [`${name}: ${late[0]} is written after an event`] : []),
    ...(after.indexOf('commit') < lastEvent ? [`${name}: an event is written at the commit`] : []),
  ];
};

const msToCommit = (writes: readonly Write[]): number => {
  const first = writes.find(({ what }) => what === 'events');
  const last = writes.at(-1);
  return first && last ? Math.round(last.at_ms - first.at_ms) : 0;
};

export const installWriteLog = async (sql: Sql): Promise<WriteLog> => {
  await sql.query(INSTALL);
  return {
    check: async (names) => {
      const rows = await sql.query<Write>(
        `select tx, what, name, extract(epoch from at)::float8 * 1000 as at_ms from parity_writes
         where tx in (select tx from parity_writes where name = any($1)) order by nr`,
        [names],
      );
      const wrong: string[] = [];
      let slowestMs = 0;
      for (const name of names) {
        const transactions = new Set(rows.filter((row) => row.name === name).map(({ tx }) => tx));
        const [tx] = transactions;
        if (transactions.size !== 1) wrong.push(`${name}: ${transactions.size} transactions`);
        const writes = rows.filter((row) => row.tx === tx);
        wrong.push(...checkTransaction(name, writes));
        slowestMs = Math.max(slowestMs, msToCommit(writes));
      }
      return { wrong, slowestMs };
    },
    remove: async () => {
      await sql.query(REMOVE);
    },
  };
};
