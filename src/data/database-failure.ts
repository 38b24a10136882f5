import { TooMuchError } from './read-rows.js';

/** What went wrong in the database, where a caller can be told more than that something did. */
export type DatabaseFailure =
  | 'timeout'
  | 'overloaded'
  /** Given up in favour of somebody else's work; the same again may well succeed. */
  | 'conflict'
  | 'unique-violation'
  | 'foreign-key-violation'
  | 'invalid-text'
  /** More than one answer may hold. */
  | 'too-much'
  /** A table or column that this version of the layout does not have. */
  | 'unknown-object'
  | 'privilege';

const BY_SQL_STATE: Readonly<Record<string, DatabaseFailure>> = {
  '57014': 'timeout',
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
  // On a replica also what stands in the way of changes that arrive from its primary.
  '40001': 'conflict',
  '40P01': 'conflict',
  '55P03': 'conflict',
  '23503': 'foreign-key-violation',
  '23505': 'unique-violation',
  '22021': 'invalid-text',
  // A text of more than a gigabyte, which PostgreSQL itself cannot make.
  '54000': 'too-much',
  '22P05': 'invalid-text',
  '42P01': 'unknown-object',
  '42703': 'unknown-object',
  '3F000': 'unknown-object',
  '42501': 'privilege',
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

// Trouble on the way to the server has no SQL state; the driver names its kind instead.
const BY_DRIVER_KIND: Readonly<Record<string, DatabaseFailure>> = {
  ConnectionClosed: 'overloaded',
  DatabaseNotReachable: 'overloaded',
  SocketTimeout: 'overloaded',
};

// The pool and the embedded database throw these without any code, and Prisma hands them on as they are.
const WITHOUT_CODE =
  /^(timeout exceeded when trying to connect|Connection terminated|Cannot use a pool after calling end|PGlite is closed)/;

const DENIED = /^permission denied for ((?:table|view|sequence|schema) \S+)$/;

/** Recognises what Prisma throws over either driver; null for everything a caller can do nothing about. */
export const databaseFailure = (error: unknown): DatabaseFailure | null => {
  if (!isRecord(error)) return null;
  if (error instanceof TooMuchError) return 'too-much';
  const { code, message, meta } = error;

  // What a COMMIT meets comes as the driver's error itself, without Prisma's around it.
  const driverFailure = fromDriver(isRecord(meta) ? meta['driverAdapterError'] : error);
  if (driverFailure) return driverFailure;
  if (code === 'P2028') return transactionFailure(meta);
  if (typeof code === 'string') {
    const failure = BY_PRISMA_CODE[code] ?? BY_SQL_STATE[code] ?? BY_SOCKET_CODE[code];
    if (failure) return failure;
  }
  return typeof message === 'string' && WITHOUT_CODE.test(message) ? 'overloaded' : null;
};

/** The table or other object that a user has no right on, as far as the server says so in English. */
export const deniedObject = (error: unknown): string | null => {
  const driverError = isRecord(error) && isRecord(error['meta']) ? error['meta'] : {};
  const { driverAdapterError } = driverError as { driverAdapterError?: unknown };
  const cause = isRecord(driverAdapterError) ? driverAdapterError['cause'] : undefined;
  const message = isRecord(cause) ? cause['originalMessage'] : undefined;
  return typeof message === 'string' ? (DENIED.exec(message)?.[1] ?? null) : null;
};

/** One code for two troubles: a transaction that never got its connection, and one that outlived its time. */
const transactionFailure = (meta: unknown): DatabaseFailure =>
  isRecord(meta) && 'timeout' in meta ? 'timeout' : 'overloaded';

const fromDriver = (driverError: unknown): DatabaseFailure | null => {
  const cause = isRecord(driverError) ? driverError['cause'] : undefined;
  if (!isRecord(cause)) return null;
  const { originalCode, kind } = cause;
  return BY_SQL_STATE[String(originalCode)] ?? BY_DRIVER_KIND[String(kind)] ?? null;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
