import type { FoundColumn, MappedTable, TableOf } from './layout.js';
import { missingOf, readColumns } from './layout.js';
import { NEEDS, OPERATIONS, type OperationName, type OptionalNeed } from './needs.js';
import type { SqlSession } from './sql-session.js';

export type Right = 'SELECT' | 'INSERT' | 'UPDATE' | 'USAGE';

/** A right that the user of the database lacks: USAGE on a sequence, any other on a table or on columns of it. */
export type MissingRight = {
  right: Right;
  name: string;
  /** Empty: the whole table. */
  columns: readonly string[];
};

export type OperationAccess = {
  /** Tables that are not there. */
  tables: string[];
  /** Columns that are not there, with their tables: `events.data`. */
  columns: string[];
  rights: MissingRight[];
  /** The database takes no writes, and this operation is one. */
  isWriteRefused: boolean;
  /** The user of the database may add rows to none of the tables that this operation writes. */
  isRoleReadOnly: boolean;
};

export type Access = {
  /** The user of the database. */
  role: string;
  schema: string;
  /** The server is a replica: it follows another one and takes no writes. */
  isReplica: boolean;
  /** Sessions are set to reading only, on a replica or by a setting. */
  isReadOnly: boolean;
  operations: Record<OperationName, OperationAccess>;
};

type Asker = Pick<SqlSession, 'query'>;
type SessionFacts = Omit<Access, 'operations'>;

const SESSION = `
  SELECT current_user::text AS role, current_schema()::text AS schema,
    pg_is_in_recovery() AS "isReplica",
    current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;

/** Where the rows of a table get their numbers. */
export type FoundSequence = {
  table: string;
  name: string;
  mayDraw: boolean;
  /** How many numbers a session takes at a time. */
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

export const readSequences = async (session: Asker): Promise<FoundSequence[]> =>
  (await session.query<FoundSequence>(SEQUENCES)).rows;

/** What each operation lacks in this database, for the user who asks; some need more than usual. */
export const readAccess = async (
  session: Asker,
  tableOf: TableOf,
  further: Partial<Record<OperationName, readonly OptionalNeed[]>> = {},
): Promise<Access> => {
  const [facts] = (await session.query<SessionFacts>(SESSION)).rows;
  const columns = await readColumns(session);
  const sequences = await readSequences(session);
  if (!facts) throw new Error('The database does not tell who asks it.');

  const judge = (operation: OperationName): OperationAccess => {
    const needs = NEEDS[operation];
    const read = needs.reads.map(tableOf);
    const inserted = needs.inserts.map(tableOf);
    const absences = read.map((wanted) => ({ ...wanted, absent: missingOf(columns, wanted) }));
    return {
      tables: absences.filter(({ absent }) => absent.isTableMissing).map(({ table }) => table),
      columns: absences.flatMap(({ table, absent }) =>
        absent.columns.map((column) => `${table}.${column}`),
      ),
      rights: [
        ...read.flatMap((wanted) => lackedOn(columns, wanted, 'SELECT')),
        ...inserted.flatMap((wanted) => lackedOn(columns, wanted, 'INSERT')),
        ...inserted.flatMap(({ table }) => undrawable(sequences, table)),
        ...[...needs.ifPresent, ...(further[operation] ?? [])].flatMap((need) =>
          lackedIfPresent(columns, need),
        ),
      ],
      isWriteRefused: facts.isReadOnly && inserted.length > 0,
      isRoleReadOnly:
        inserted.length > 0 &&
        inserted.every((wanted) => lackedOn(columns, wanted, 'INSERT').length > 0),
    };
  };
  const operations = Object.fromEntries(OPERATIONS.map((name) => [name, judge(name)]));
  return { ...facts, operations: operations as Access['operations'] };
};

export const isPossible = (access: OperationAccess): boolean =>
  !access.isWriteRefused &&
  access.tables.length + access.columns.length + access.rights.length === 0;

/** The whole table where no column is open, else the columns that are closed. */
const lackedOn = (
  found: readonly FoundColumn[],
  { table, columns }: MappedTable,
  right: 'SELECT' | 'INSERT' | 'UPDATE',
): MissingRight[] => {
  const wanted = found.filter((row) => row.table === table && columns.includes(row.column));
  const closed = wanted.filter((row) => !row[right]).map((row) => row.column);
  if (closed.length === 0) return [];
  return [{ right, name: table, columns: closed.length === wanted.length ? [] : closed }];
};

const lackedIfPresent = (
  found: readonly FoundColumn[],
  { rights, ...wanted }: OptionalNeed,
): MissingRight[] => rights.flatMap((right) => lackedOn(found, wanted, right));

const undrawable = (sequences: readonly FoundSequence[], table: string): MissingRight[] =>
  sequences
    .filter((sequence) => sequence.table === table && !sequence.mayDraw)
    .map(({ name }) => ({ right: 'USAGE', name, columns: [] }));
