import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from '../../test/testkit/postgres.js';

export type Databases = {
  /** Creates an empty database and returns its URL. */
  create(label: string): Promise<string>;
  /** Copies a database without connections; returns the URL of the copy. */
  copy(url: string, label: string): Promise<string>;
  /** Calls `make` only the first time for a key, such as for a database to copy from; returns its result. */
  once<Result>(key: string, make: () => Promise<Result>): Promise<Result>;
  /** Drops all databases created here, and stops the server if this process started it. */
  close(): Promise<void>;
};

const nameOf = (url: string) => new URL(url).pathname.slice(1);

const administer = async (adminUrl: string, ...statements: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

/** A PostgreSQL server for the comparison: the one at DATABASE_URL, or a temporary one. */
export const openDatabases = async (): Promise<Databases> => {
  const { adminUrl, stop } = await startPostgres();
  const prefix = `flaggraph_parity_${randomBytes(4).toString('hex')}`;
  const created: string[] = [];
  const made = new Map<string, Promise<unknown>>();
  let count = 0;

  const make = async (label: string, template: string) => {
    const name = `${prefix}_${++count}_${label}`;
    // UTC instead of the server's time zone: upstream parses dates in its session's zone, which is UTC when run as
    // recommended.
    await administer(
      adminUrl,
      `CREATE DATABASE ${name} TEMPLATE ${template}`,
      `ALTER DATABASE ${name} SET timezone = 'UTC'`,
    );
    created.push(name);
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    return url.href;
  };

  return {
    create: (label) => make(label, 'template0'),
    copy: (url, label) => make(label, nameOf(url)),
    once: <Result>(key: string, makeOnce: () => Promise<Result>) => {
      const result = (made.get(key) as Promise<Result> | undefined) ?? makeOnce();
      made.set(key, result);
      return result;
    },
    close: async () => {
      const drops = created.map((name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await administer(adminUrl, ...drops);
      await stop();
    },
  };
};
