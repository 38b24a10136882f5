import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from '../../test/testkit/postgres.js';

export type Databases = {
  /** Makes an empty database and answers its address. */
  create(label: string): Promise<string>;
  /** Copies a database nobody is connected to; returns the address of the copy. */
  copy(url: string, label: string): Promise<string>;
  /** Drops all databases made here and stops the server if it is ours. */
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

/** A PostgreSQL server for one comparison: the one DATABASE_URL names, else one of our own. */
export const openDatabases = async (): Promise<Databases> => {
  const { adminUrl, stop } = await startPostgres();
  const prefix = `flaggraph_parity_${randomBytes(4).toString('hex')}`;
  const created: string[] = [];
  let count = 0;

  const make = async (label: string, template: string) => {
    const name = `${prefix}_${++count}_${label}`;
    // Not the server's own zone: upstream reads a day in that of its session, which is UTC where it is run as advised.
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
    close: async () => {
      const drops = created.map((name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await administer(adminUrl, ...drops);
      await stop();
    },
  };
};
