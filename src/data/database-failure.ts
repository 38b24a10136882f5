import { LayoutError } from './layout/layout-error.js';
import {
  ConnectionDroppedError,
  NoConnectionError,
  ReadOnlyServerError,
  StaleStatementError,
  StatementDeadlineError,
} from './pool/pool-errors.js';
import { ResultTooLargeError } from './work/byte-budget.js';

/** Database failures that are reported to callers specifically. */
export type DatabaseFailure =
  | 'timeout'
  | 'overloaded'
  | 'disk-full'
  /** Rolled back because of a conflict with other work. Retrying may succeed. */
  | 'conflict'
  | 'unique-violation'
  | 'foreign-key-violation'
  | 'invalid-text'
  /** The result exceeds the size limit of one response. */
  | 'too-much'
  /** A table or column that this version of the layout lacks. */
  | 'unknown-object'
  | 'privilege';

const BY_SQL_STATE: Readonly<Record<string, DatabaseFailure>> = {
  '57014': 'timeout',
  '53100': 'disk-full',
  '53300': 'overloaded',
  '57P01': 'overloaded',
  '57P02': 'overloaded',
  '57P03': 'overloaded',
  '57P04': 'overloaded',
  '57P05': 'overloaded',
  '08000': 'overloaded',
  '08001': 'overloaded',
  '08003': 'overloaded',
  '08006': 'overloaded',
  // On a replica, also a query cancelled by a recovery conflict.
  '40001': 'conflict',
  '40P01': 'conflict',
  '55P03': 'conflict',
  '23503': 'foreign-key-violation',
  '23505': 'unique-violation',
  '22021': 'invalid-text',
  // A text of more than 1 GB, which PostgreSQL can't build.
  '54000': 'too-much',
  '22P05': 'invalid-text',
  '42P01': 'unknown-object',
  '42703': 'unknown-object',
  '3F000': 'unknown-object',
  '42501': 'privilege',
  // If the gateway was started on a primary, the pool turns this into a ReadOnlyServerError.
  '25006': 'privilege',
};

const BY_PRISMA_CODE: Readonly<Record<string, DatabaseFailure>> = {
  P1001: 'overloaded',
  P1002: 'overloaded',
  P1008: 'overloaded',
  P1017: 'overloaded',
  P2002: 'unique-violation',
  P2003: 'foreign-key-violation',
  P2021: 'unknown-object',
  P2022: 'unknown-object',
  P2024: 'overloaded',
  P2034: 'conflict',
  P2037: 'overloaded',
};

const BY_SOCKET_CODE: Readonly<Record<string, DatabaseFailure>> = {
  ECONNREFUSED: 'overloaded',
  ECONNRESET: 'overloaded',
  EHOSTUNREACH: 'overloaded',
  ENOTFOUND: 'overloaded',
  EPIPE: 'overloaded',
  ETIMEDOUT: 'overloaded',
};

// Connection errors have no SQLSTATE; the driver reports a kind instead.
const BY_DRIVER_KIND: Readonly<Record<string, DatabaseFailure>> = {
  ConnectionClosed: 'overloaded',
  DatabaseNotReachable: 'overloaded',
  SocketTimeout: 'overloaded',
};

// The pool and the embedded database throw these without a code, and Prisma passes them through.
const WITHOUT_CODE =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Client was closed|Client has encountered a connection error|Cannot use a pool after calling end|PGlite is closed)/;

// No free connection, a dropped one, one with outdated statements, or a new one that differs from what startup found.
const UNFIT_CONNECTION = [
  StaleStatementError,
  NoConnectionError,
  ConnectionDroppedError,
  ReadOnlyServerError,
  LayoutError,
];

const DENIED = /^permission denied for ((?:table|view|sequence|schema) \S+)$/;

/** Classifies what Prisma throws over either driver. Null if the caller can't do anything about it. */
export const databaseFailure = (error: unknown): DatabaseFailure | null => {
  if (!isRecord(error)) return null;
  if (error instanceof ResultTooLargeError) return 'too-much';
  if (error instanceof StatementDeadlineError) return 'timeout';
  if (UNFIT_CONNECTION.some((kind) => error instanceof kind)) return 'overloaded';
  const { code, message, meta } = error;

  // Errors on COMMIT are raw driver errors, not wrapped by Prisma.
  const driverFailure = fromDriver(isRecord(meta) ? meta['driverAdapterError'] : error);
  if (driverFailure) return driverFailure;
  if (code === 'P2028') return transactionFailure(meta);
  if (typeof code === 'string') {
    const failure = BY_PRISMA_CODE[code] ?? BY_SQL_STATE[code] ?? BY_SOCKET_CODE[code];
    if (failure) return failure;
  }
  return typeof message === 'string' && WITHOUT_CODE.test(message) ? 'overloaded' : null;
};

/** Reported when a session ends, possibly after its work was committed. */
const SESSION_ENDED: readonly string[] = ['57P01', '57P02', '57P04', '57P05'];
/** Raised before anything was sent. */
const NOT_SENT: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'P1001', 'P2024', 'P2028'];
const NEVER_CONNECTED =
  /^(timeout exceeded when trying to connect|Cannot use a pool after calling end)/;

/** Whether work that failed during COMMIT may have been committed anyway. */
export const mayHaveCommitted = (error: unknown): boolean => {
  if (!isRecord(error)) return true;
  if (error instanceof NoConnectionError) return false;
  const { code, message, meta } = error;
  const state = sqlStateOf(isRecord(meta) ? meta['driverAdapterError'] : error);
  if (state !== undefined) return SESSION_ENDED.includes(state) || state.startsWith('08');
  if (typeof code === 'string' && NOT_SENT.includes(code)) return false;
  return !(typeof message === 'string' && NEVER_CONNECTED.test(message));
};

/** The table or other object that the user has no privilege on. Recognizes English server messages only. */
export const deniedObject = (error: unknown): string | null => {
  const driverError = isRecord(error) && isRecord(error['meta']) ? error['meta'] : {};
  const { driverAdapterError } = driverError as { driverAdapterError?: unknown };
  const cause = isRecord(driverAdapterError) ? driverAdapterError['cause'] : undefined;
  const message = isRecord(cause) ? cause['originalMessage'] : undefined;
  return typeof message === 'string' ? (DENIED.exec(message)?.[1] ?? null) : null;
};

/** P2028 has two causes: the transaction got no connection, or it exceeded its timeout. */
const transactionFailure = (meta: unknown): DatabaseFailure =>
  isRecord(meta) && 'timeout' in meta ? 'timeout' : 'overloaded';

const sqlStateOf = (driverError: unknown): string | undefined => {
  const cause = isRecord(driverError) ? driverError['cause'] : undefined;
  const code = isRecord(cause) ? cause['originalCode'] : undefined;
  return typeof code === 'string' ? code : undefined;
};

const fromDriver = (driverError: unknown): DatabaseFailure | null => {
  const cause = isRecord(driverError) ? driverError['cause'] : undefined;
  if (!isRecord(cause)) return null;
  const { originalCode, kind } = cause;
  return BY_SQL_STATE[String(originalCode)] ?? BY_DRIVER_KIND[String(kind)] ?? null;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
