import type { PrismaPg } from '@prisma/adapter-pg';
import type { PrismaPGlite } from 'pglite-prisma-adapter';
import type { SqlSession } from './sql-session.js';

/** Connections held to a server, those of them that nobody uses, and callers who wait for one. */
export type PoolState = { open: number; idle: number; waiting: number };

/** A way to a database, before anything is known about what it holds. */
export type Connection = {
  kind: 'embedded' | 'postgres';
  /** Where the database is, in words fit to be shown: without user and password. */
  place: string;
  /** The one schema that holds, or will hold, the tables. */
  schema: string;
  adapter: PrismaPg | PrismaPGlite;
  /** Lends a session of its own, free of any time limit, for the time of `work`. */
  withSession<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result>;
  /** The zone that sessions have unless they ask for UTC, as ours do. */
  serverTimeZone(): Promise<string>;
  /** Absent where there are no connections to share. */
  pool?: () => PoolState;
  close(): Promise<void>;
};
