import pg from 'pg';

export type Row = Record<string, unknown>;

/** A session of ours on one of the databases; the standstill of background work does not hold it. */
export type Sql = {
  query<Result extends Row = Row>(text: string, values?: unknown[]): Promise<Result[]>;
  /** The only row there must be. */
  one<Result extends Row = Row>(text: string, values?: unknown[]): Promise<Result>;
  /** Inserts rows given as objects; columns the table lacks are left out. */
  insert(table: string, rows: readonly Row[]): Promise<void>;
  close(): Promise<void>;
};

const columnsByTable = async (client: pg.Client) => {
  const { rows } = await client.query<{ table_name: string; columns: string[] }>(
    `select table_name, array_agg(column_name::text) as columns from information_schema.columns
     where table_schema = current_schema() group by table_name`,
  );
  return new Map(rows.map((row) => [row.table_name, new Set(row.columns)]));
};

export const openSql = async (url: string): Promise<Sql> => {
  const client = new pg.Client({ connectionString: url, application_name: 'flaggraph-parity' });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`set parity.is_ours = 'on'`);
  let columns: Awaited<ReturnType<typeof columnsByTable>> | undefined;

  const query: Sql['query'] = async <Result extends Row>(text: string, values?: unknown[]) => {
    const { rows } = await client.query<Result>(text, values);
    return rows;
  };
  return {
    query,
    one: async <Result extends Row>(text: string, values?: unknown[]) => {
      const [row, ...others] = await query<Result>(text, values);
      if (!row || others.length > 0) throw new Error(`not exactly one row: ${text}`);
      return row;
    },
    insert: async (table, rows) => {
      columns ??= await columnsByTable(client);
      const known = columns.get(table);
      if (!known) throw new Error(`there is no table ${table}`);
      // A column no row of a group has keeps its default.
      const groups = new Map<string, Row[]>();
      for (const row of rows) {
        const names = Object.keys(row).filter((name) => known.has(name));
        const group = groups.get(names.join(', ')) ?? [];
        groups.set(names.join(', '), [...group, row]);
      }
      for (const [names, group] of groups) {
        // As JSON, which keeps the text of json columns as it is written here.
        await query(
          `insert into ${table} (${names})
           select ${names} from json_populate_recordset(null::${table}, $1::json)`,
          [JSON.stringify(group)],
        );
      }
    },
    close: () => client.end(),
  };
};
