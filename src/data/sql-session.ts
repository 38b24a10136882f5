import type pg from 'pg';
import type { Db } from './db.js';

/** The minimal database session that creating and checking tables needs. */
export type SqlSession = {
  query<Row>(sql: string, params?: unknown[]): Promise<{ rows: Row[] }>;
  /** Runs a multi-statement script. Takes no parameters, so that function bodies are left intact. */
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

/** The same on the Prisma client, for queries while the gateway runs. */
export const prismaSession = (db: Db): Pick<SqlSession, 'query'> => ({
  query: async <Row>(sql: string, params: unknown[] = []) => ({
    rows: await db.$queryRawUnsafe<Row[]>(sql, ...params),
  }),
});
