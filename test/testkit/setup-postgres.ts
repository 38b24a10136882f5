import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/data/connect.js';
import { loadDemoData } from '../../src/demo/load-demo-data.js';
import { DEMO_DAY } from './demo-day.js';
import { startPostgres } from './postgres.js';

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: {
      adminUrl: string;
      /** Prefix of the names of all databases of this run. */
      prefix: string;
      /** Databases with all tables, to copy from. */
      templates: { empty: string; demo: string; today?: string };
    };
  }
}

/** Once per run: a PostgreSQL server, and databases to copy from. */
export default async (project: TestProject) => {
  const server = await startPostgres();
  const { adminUrl } = server;
  const prefix = `flaggraph_test_${randomBytes(4).toString('hex')}`;
  const templates = {
    empty: `${prefix}_template`,
    demo: `${prefix}_demo_template`,
    // Only pages in a browser compare the demo world with the clock.
    ...(project.name === 'e2e' && { today: `${prefix}_today_template` }),
  };

  await createTemplate(adminUrl, templates.empty, 'template1');
  await createTemplate(adminUrl, templates.demo, templates.empty, DEMO_DAY);
  if (templates.today) {
    await createTemplate(adminUrl, templates.today, templates.empty, new Date());
  }
  project.provide('postgres', { adminUrl, prefix, templates });

  return async () => {
    if (process.env['DATABASE_URL']) {
      await runAsAdmin(adminUrl, (client) => dropAll(client, prefix));
    }
    await server.stop();
  };
};

const createTemplate = async (adminUrl: string, name: string, from: string, demoDay?: Date) => {
  await runAsAdmin(adminUrl, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${from}`));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const database = await openDatabase({ databaseUrl: url.href, dataDir: 'memory://' });
  if (demoDay) await loadDemoData(database.client, { now: demoDay });
  await database.close();
};

const runAsAdmin = async (url: string, work: (client: pg.Client) => Promise<unknown>) => {
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
