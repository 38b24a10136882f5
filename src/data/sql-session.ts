import type { PGliteInterface } from '@electric-sql/pglite';
import type pg from 'pg';
import type { Db } from './db.js';

/** One database session, as little of it as laying and checking tables needs. */
export type SqlSession = {
  query<Row>(sql: string, params?: unknown[]): Promise<{ rows: Row[] }>;
  /** Runs a script of many statements; without parameters, so that function bodies survive. */
  exec(sql: string): Promise<void>;
};

export const pgSession = (client: pg.Client): SqlSession => ({
  query: async <Row>(sql: string, params: unknown[] = []) => {
    const { rows } = await client.query(sql, params);
    return { rows: rows as Row[] };
  },
  exec: async (sql) => {
    await client.query(sql);
  },
});

export const pgliteSession = (db: PGliteInterface): SqlSession => ({
  query: async <Row>(sql: string, params: unknown[] = []) => {
    const { rows } = await db.query<Row>(sql, params);
    return { rows };
  },
  exec: async (sql) => {
    await db.exec(sql);
  },
});

/** The same over the client, for questions asked while the gateway runs. */
export const prismaSession = (db: Db): Pick<SqlSession, 'query'> => ({
  query: async <Row>(sql: string, params: unknown[] = []) => ({
    rows: await db.$queryRawUnsafe<Row[]>(sql, ...params),
  }),
});
