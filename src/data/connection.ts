import type { PrismaPg } from '@prisma/adapter-pg';
import type { PrismaPGlite } from 'pglite-prisma-adapter';
import type { SqlSession } from './sql-session.js';

/** A way to a database, before anything is known about what it holds. */
export type Connection = {
  kind: 'embedded' | 'postgres';
  adapter: PrismaPg | PrismaPGlite;
  /** Lends a session of its own, free of the pool's time limit, for the time of `work`. */
  withSession<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};
