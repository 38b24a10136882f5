import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { DatabaseTimes } from './database-times.js';
import type { LayoutError } from './layout/layout-error.js';
import type { SqlSession } from './sql-session.js';

/** Open connections, idle ones among them, and callers waiting for one. */
export type PoolState = { open: number; idle: number; waiting: number };

/** A connection to a database whose contents are still unknown. */
export type Connection = {
  kind: 'embedded' | 'postgres';
  /** Display location of the database, without user and password. */
  place: string;
  /** The schema that holds, or will hold, the tables. */
  schema: string;
  adapter: SqlDriverAdapterFactory;
  /** Runs `work` on an exclusive session without a statement timeout. */
  withSession<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result>;
  /** Warnings about the connection for the operator, one sentence each. */
  warnings?: readonly string[];
  /** A connection pooler is in between: session state does not persist. */
  isPooled?: boolean;
  /** Runs on a connection reserved for probes. Absent for the embedded database. */
  probe?<Result>(query: (session: SqlSession) => Promise<Result>): Promise<Result>;
  /** The server's default time zone. The gateway's own sessions use UTC. */
  serverTimeZone(): Promise<string>;
  /** Absent for the embedded database. */
  pool?: () => PoolState;
  /** Closes all connections, even those in use: their statements fail. Absent for the embedded database. */
  dropAll?: (reason: string) => void;
  /** Statements cancelled because no caller waited for them any more. */
  cancelledCount?: () => number;
  /** Reports the duration of statements, and of waits for a connection. */
  observe: DatabaseTimes['observe'];
  /** Resolves when this process has lost the database permanently. Absent where that can't happen. */
  lost?: Promise<LayoutError>;
  /** Completes within seconds, whatever the database does. */
  close(): Promise<void>;
};
