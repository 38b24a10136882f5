import { groupBy } from '../grouping.js';
import type { SqlSession } from '../sql-session.js';
import type { FoundColumn, TableOf } from './layout.js';
import { missingOf, readColumns } from './layout.js';
import {
  OPERATIONS,
  type OperationName,
  type OptionalRequirement,
  REQUIREMENTS,
  type TableColumns,
} from './requirements.js';

type ColumnRight = 'SELECT' | 'INSERT' | 'UPDATE';
export type Right = ColumnRight | 'USAGE';

/** A privilege the database user lacks: USAGE on a sequence, any other on a table or its columns. */
export type MissingRight = {
  right: Right;
  name: string;
  /** Empty if none of the needed columns is granted. */
  columns: readonly string[];
  /** Granting these columns is sufficient. */
  needed: readonly string[];
};

export type OperationAccess = {
  /** Missing tables. */
  tables: string[];
  /** Missing columns, qualified with the table: `events.data`. */
  columns: string[];
  rights: MissingRight[];
  /** The operation writes, but the database is read-only. */
  isWriteBlocked: boolean;
  /** The database user can't insert into any table that this operation writes. */
  isRoleReadOnly: boolean;
};

export type Access = {
  /** The database user. */
  role: string;
  schema: string;
  isReplica: boolean;
  /** Sessions are read-only, because of a replica or a setting. */
  isReadOnly: boolean;
  operations: Record<OperationName, OperationAccess>;
};

type QuerySession = Pick<SqlSession, 'query'>;
type SessionFacts = Omit<Access, 'operations'>;

const SESSION = `
  SELECT current_user::text AS role, current_schema()::text AS schema,
    pg_is_in_recovery() AS "isReplica",
    current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;

/** The sequence that generates a table's IDs. */
export type FoundSequence = {
  table: string;
  name: string;
  mayDraw: boolean;
  /** IDs that a session reserves at a time. */
  cache: number;
};

const SEQUENCES = `
  SELECT t.relname::text AS "table", s.relname::text AS name, q.seqcache::float8 AS cache,
    has_sequence_privilege(s.oid, 'USAGE, UPDATE') AS "mayDraw"
  FROM pg_attrdef d
  JOIN pg_class t ON t.oid = d.adrelid
  JOIN pg_depend p ON p.classid = 'pg_attrdef'::regclass AND p.objid = d.oid
    AND p.refclassid = 'pg_class'::regclass
  JOIN pg_sequence q ON q.seqrelid = p.refobjid
  JOIN pg_class s ON s.oid = q.seqrelid
  WHERE t.relnamespace = quote_ident(current_schema())::regnamespace`;

export const readSequences = async (session: QuerySession): Promise<FoundSequence[]> =>
  (await session.query<FoundSequence>(SEQUENCES)).rows;

/** What each operation lacks in this database for the current user. `further` adds needs per operation. */
export const readAccess = async (
  session: QuerySession,
  tableOf: TableOf,
  further: Partial<Record<OperationName, readonly OptionalRequirement[]>> = {},
): Promise<Access> => {
  const [sessionFacts] = (await session.query<SessionFacts>(SESSION)).rows;
  const columns = await readColumns(session);
  const sequences = await readSequences(session);
  if (!sessionFacts) throw new Error('The database did not report the current user.');

  const checkOperation = (operation: OperationName): OperationAccess => {
    const requirements = REQUIREMENTS[operation];
    const read = requirements.reads.map(tableOf);
    const inserted = requirements.inserts;
    const optional = [...requirements.ifPresent, ...(further[operation] ?? [])];
    const absences = read.map((required) => ({
      ...required,
      absent: missingOf(columns, required),
    }));
    const lacked = (right: ColumnRight, tables: readonly TableColumns[]) =>
      byTable([...tables, ...usedOf(columns, optional, right)]).flatMap((table) =>
        lackedOn(columns, table, right),
      );
    const unreadable = lacked('SELECT', read);
    return {
      tables: absences.filter(({ absent }) => absent.isTableMissing).map(({ table }) => table),
      columns: absences.flatMap(({ table, absent }) =>
        absent.columns.map((column) => `${table}.${column}`),
      ),
      rights: [
        ...unreadable,
        ...lacked('INSERT', inserted),
        ...lacked('UPDATE', []),
        ...inserted.flatMap(({ table }) => unusableSequences(sequences, table)),
      ],
      isWriteBlocked: sessionFacts.isReadOnly && inserted.length > 0,
      isRoleReadOnly:
        inserted.length > 0 &&
        unreadable.length === 0 &&
        inserted.every((required) => lackedOn(columns, required, 'INSERT').length > 0),
    };
  };
  const operations = Object.fromEntries(OPERATIONS.map((name) => [name, checkOperation(name)]));
  return { ...sessionFacts, operations: operations as Access['operations'] };
};

export const isPossible = (access: OperationAccess): boolean =>
  !access.isWriteBlocked &&
  access.tables.length + access.columns.length + access.rights.length === 0;

/** Reports the whole table if none of the needed columns is granted, else the columns that are not. */
const lackedOn = (
  found: readonly FoundColumn[],
  { table, columns }: TableColumns,
  right: ColumnRight,
): MissingRight[] => {
  const rows = found.filter((row) => row.table === table && columns.includes(row.column));
  const closed = rows.filter((row) => !row[right]).map((row) => row.column);
  if (closed.length === 0) return [];
  const isWhole = closed.length === rows.length;
  return [{ right, name: table, columns: isWhole ? [] : closed, needed: closed }];
};

/** The optional needs of a privilege that apply to this Unleash version. */
const usedOf = (
  found: readonly FoundColumn[],
  requirements: readonly OptionalRequirement[],
  right: ColumnRight,
): OptionalRequirement[] =>
  requirements.filter(
    ({ rights, onlyWith }) =>
      rights.includes(right) &&
      (onlyWith === undefined ||
        found.some(({ table, column }) => `${table}.${column}` === onlyWith)),
  );

/** Merges the entries of each table. */
const byTable = (tables: readonly TableColumns[]): TableColumns[] =>
  [...groupBy(tables, ({ table }) => table)].map(([table, parts]) => ({
    table,
    columns: [...new Set(parts.flatMap(({ columns }) => columns))],
  }));

const unusableSequences = (sequences: readonly FoundSequence[], table: string): MissingRight[] =>
  sequences
    .filter((sequence) => sequence.table === table && !sequence.mayDraw)
    .map(({ name }) => ({ right: 'USAGE', name, columns: [], needed: [] }));
