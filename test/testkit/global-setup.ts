import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/data/connect.js';
import { provideEmbeddedTemplate } from './embedded-template.js';
import { startPostgres } from './postgres.js';

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: {
      adminUrl: string;
      /** Start of the name of every database of this run. */
      prefix: string;
      /** A database with all tables, to copy from. */
      template: string;
    };
    /** File with a packed embedded database that has all tables. */
    embeddedTemplate: string;
  }
}

/** Once per run: a server, a database to copy from, and the same for the embedded database. */
export default async (project: TestProject) => {
  const server = await startPostgres();
  const { adminUrl } = server;
  const prefix = `flaggraph_test_${randomBytes(4).toString('hex')}`;
  const template = `${prefix}_template`;

  await administer(adminUrl, (client) => client.query(`CREATE DATABASE ${template}`));
  const url = new URL(adminUrl);
  url.pathname = `/${template}`;
  const database = await openDatabase({ databaseUrl: url.href, dataDir: 'memory://' });
  await database.close();

  project.provide('postgres', { adminUrl, prefix, template });
  project.provide('embeddedTemplate', await provideEmbeddedTemplate());

  return async () => {
    if (process.env['DATABASE_URL']) {
      await administer(adminUrl, (client) => dropAll(client, prefix));
    }
    await server.stop();
  };
};

const administer = async (url: string, work: (client: pg.Client) => Promise<unknown>) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
};

const dropAll = async (client: pg.Client, prefix: string) => {
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [prefix],
  );
  for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
};
