import pg from 'pg';

export type Row = Record<string, unknown>;

/** A connection to one of the databases, exempt from the blocking of background writes. */
export type Sql = {
  query<Result extends Row = Row>(text: string, values?: unknown[]): Promise<Result[]>;
  /** Returns the only row; throws if there is not exactly one. */
  one<Result extends Row = Row>(text: string, values?: unknown[]): Promise<Result>;
  /** Inserts rows given as objects; ignores columns that the table lacks. */
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
      if (!row || others.length > 0) throw new Error(`expected exactly one row: ${text}`);
      return row;
    },
    insert: async (table, rows) => {
      columns ??= await columnsByTable(client);
      const known = columns.get(table);
      if (!known) throw new Error(`table ${table} does not exist`);
      // Columns missing in all rows of a group keep their default.
      const groups = new Map<string, Row[]>();
      for (const row of rows) {
        const names = Object.keys(row).filter((name) => known.has(name));
        const group = groups.get(names.join(', ')) ?? [];
        groups.set(names.join(', '), [...group, row]);
      }
      for (const [names, group] of groups) {
        // JSON preserves the text of json columns.
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
