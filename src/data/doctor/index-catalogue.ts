import type { SqlSession } from '../sql-session.js';
import type { TableFacts } from './index-size.js';

/** An index as listed in the system catalog. */
export type IndexRow = {
  name: string;
  table: string;
  /** Key columns in order, without expressions. */
  keys: string[];
  /** A B-tree on columns only, over all rows, with the columns' default operator classes and collations. */
  isPlain: boolean;
  /** Complete and up to date with the table. */
  isValid: boolean;
  bytes: number;
  definition: string;
};

export type TableRow = TableFacts & {
  name: string;
  owner: string;
  /** Whether the database user may create indexes on it. */
  mayCreate: boolean;
};

export type IndexCatalogue = {
  indexes: readonly IndexRow[];
  tables: ReadonlyMap<string, TableRow>;
};

const INDEXES = `
  SELECT i.relname::text AS name, t.relname::text AS "table",
    x.indisvalid AND x.indisready AND x.indislive AS "isValid",
    m.amname = 'btree' AND x.indpred IS NULL AND x.indexprs IS NULL AND (
      SELECT bool_and(o.opcdefault AND k.comparison IN (0, a.attcollation))
      FROM unnest(x.indkey::int2[], x.indclass::oid[], x.indcollation::oid[])
        AS k (attnum, opclass, comparison)
      JOIN pg_opclass o ON o.oid = k.opclass
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum) AS "isPlain",
    ARRAY(
      SELECT a.attname::text
      FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k (attnum, place)
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
      WHERE k.place <= x.indnkeyatts ORDER BY k.place) AS keys,
    pg_relation_size(i.oid)::float8 AS bytes, pg_get_indexdef(i.oid) AS definition
  FROM pg_index x
  JOIN pg_class i ON i.oid = x.indexrelid
  JOIN pg_class t ON t.oid = x.indrelid
  JOIN pg_am m ON m.oid = i.relam
  WHERE t.relnamespace = quote_ident(current_schema())::regnamespace`;

const TABLES = `
  SELECT c.relname::text AS name, pg_get_userbyid(c.relowner)::text AS owner,
    pg_has_role(c.relowner, 'USAGE') AND has_schema_privilege(c.relnamespace, 'CREATE')
      AS "mayCreate",
    c.reltuples::float8 AS rows, pg_relation_size(c.oid)::float8 AS bytes,
    (SELECT json_object_agg(a.attname, coalesce(s.avg_width, nullif(a.attlen, -1)))
     FROM pg_attribute a
     LEFT JOIN pg_stats s ON s.schemaname = current_schema() AND s.tablename = c.relname
       AND s.attname = a.attname
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS widths
  FROM pg_class c
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p')`;

/** All indexes and tables of the schema, with the facts to assess and to size an index. */
export const readIndexCatalogue = async (session: SqlSession): Promise<IndexCatalogue> => {
  const { rows: indexes } = await session.query<IndexRow>(INDEXES);
  const { rows: tables } = await session.query<TableRow>(TABLES);
  return { indexes, tables: new Map(tables.map((table) => [table.name, table])) };
};
