import type { SqlSession } from '../sql-session.js';
import { indexBytes, type TableFacts, textIndexBytes } from './index-size.js';
import {
  createStatement,
  createTextStatement,
  type RecommendedIndex,
  readRecommendedIndexes,
  TEXT_EXTENSION,
  TEXT_INDEX,
} from './recommended-indexes.js';

/**
 * `present` under our name, `equivalent` under another; `invalid` is what an interrupted build leaves behind, `conflict`
 * something else under our name; `inapplicable` where the table or a column of it is not there.
 */
export type IndexState =
  | 'present'
  | 'equivalent'
  | 'missing'
  | 'invalid'
  | 'conflict'
  | 'inapplicable';

export type FoundIndex = {
  name: string;
  table: string;
  columns: readonly string[];
  state: IndexState;
  /** The index that does the work, under whatever name. */
  servedBy: string | null;
  speedsUp: string;
  /** What to run when it is not there. */
  statement: string;
  /** Likely size of a missing index, actual size of one that is there. */
  bytes: number | null;
  /** Who owns the table; only he may make indexes on it. */
  owner: string | null;
  mayCreate: boolean;
};

type IndexRow = {
  name: string;
  table: string;
  keys: string[];
  isPlain: boolean;
  isValid: boolean;
  bytes: number;
  definition: string;
};

// Plain: a B-tree over columns, all rows, with the order and comparison that the columns have by themselves.
const INDEXES = `
  SELECT i.relname::text AS name, t.relname::text AS "table",
    x.indisvalid AND x.indisready AND x.indislive AS "isValid",
    m.amname = 'btree' AND x.indpred IS NULL AND x.indexprs IS NULL AND (
      SELECT bool_and(o.opcdefault AND k.collation IN (0, a.attcollation))
      FROM unnest(x.indkey::int2[], x.indclass::oid[], x.indcollation::oid[])
        AS k (attnum, opclass, collation)
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

type TableRow = TableFacts & { name: string; owner: string; mayCreate: boolean };

// Read forward or backward an index gives the same rows, so directions do not matter behind keys that are equal.
const serves = (row: IndexRow, { table, columns }: Pick<RecommendedIndex, 'table' | 'columns'>) =>
  row.table === table &&
  row.isPlain &&
  row.isValid &&
  columns.every((column, place) => row.keys[place] === column);

const stateOf = (
  index: RecommendedIndex,
  table: TableRow | undefined,
  rows: readonly IndexRow[],
): { state: IndexState; servedBy?: IndexRow } => {
  const named = rows.find((row) => row.name === index.name);
  if (named && serves(named, index)) return { state: 'present', servedBy: named };
  const other = rows.find((row) => serves(row, index));
  if (other) return { state: 'equivalent', servedBy: other };
  if (named) return { state: isLeftover(named, index) ? 'invalid' : 'conflict' };
  const isApplicable = table && index.columns.every((column) => column in table.widths);
  return { state: isApplicable ? 'missing' : 'inapplicable' };
};

const isLeftover = (
  row: IndexRow,
  { table, columns }: Pick<RecommendedIndex, 'table' | 'columns'>,
) => !row.isValid && row.table === table && row.keys.join() === columns.join();

/** Which of our indexes are there, and what the others would take. */
export const readIndexes = async (session: SqlSession, schema: string): Promise<FoundIndex[]> => {
  const { rows } = await session.query<IndexRow>(INDEXES);
  const { rows: tableRows } = await session.query<TableRow>(TABLES);
  const tables = new Map(tableRows.map((row) => [row.name, row]));

  return readRecommendedIndexes().map((index) => {
    const { name, columns, speedsUp } = index;
    const table = tables.get(index.table);
    const { state, servedBy } = stateOf(index, table, rows);
    return {
      name,
      table: index.table,
      columns,
      state,
      servedBy: servedBy?.name ?? null,
      speedsUp,
      statement: createStatement(schema, index),
      bytes: servedBy?.bytes ?? (table ? indexBytes(table, columns) : null),
      owner: table?.owner ?? null,
      mayCreate: table?.mayCreate ?? false,
    };
  });
};

export type TextIndex = FoundIndex & {
  extension: { name: string; isInstalled: boolean; isAvailable: boolean };
};

const EXTENSION = `
  SELECT (SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
          WHERE e.extname = $1) AS "installedIn",
    EXISTS (SELECT FROM pg_available_extensions WHERE name = $1) AS "isAvailable"`;

const coversText = ({ table, isValid, definition }: IndexRow) =>
  table === TEXT_INDEX.table &&
  isValid &&
  !/ WHERE /.test(definition) &&
  TEXT_INDEX.columns.every((column) =>
    new RegExp(`\\(\\(${column}\\)::text\\) (\\S+\\.)?gin_trgm_ops`).test(definition),
  );

/** The optional index for free text, with what it would take. */
export const readTextIndex = async (session: SqlSession, schema: string): Promise<TextIndex> => {
  const { rows } = await session.query<IndexRow>(INDEXES);
  const { rows: tableRows } = await session.query<TableRow>(TABLES);
  const table = tableRows.find(({ name }) => name === TEXT_INDEX.table);
  const [extension] = (
    await session.query<{ installedIn: string | null; isAvailable: boolean }>(EXTENSION, [
      TEXT_EXTENSION,
    ])
  ).rows;
  const installedIn = extension?.installedIn ?? null;

  const named = rows.find(({ name }) => name === TEXT_INDEX.name);
  const servedBy = named && coversText(named) ? named : rows.find(coversText);
  const state: IndexState = servedBy
    ? servedBy === named
      ? 'present'
      : 'equivalent'
    : named
      ? named.isValid
        ? 'conflict'
        : 'invalid'
      : table
        ? 'missing'
        : 'inapplicable';
  return {
    ...TEXT_INDEX,
    state,
    servedBy: servedBy?.name ?? null,
    statement: createTextStatement(schema, installedIn),
    bytes: servedBy?.bytes ?? (table ? textIndexBytes(table, TEXT_INDEX.columns) : null),
    owner: table?.owner ?? null,
    mayCreate: table?.mayCreate ?? false,
    extension: {
      name: TEXT_EXTENSION,
      isInstalled: installedIn !== null,
      isAvailable: extension?.isAvailable ?? false,
    },
  };
};
