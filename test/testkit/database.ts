import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, describe, inject } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/data/connect.js';

export type TestDatabase = { url: string; drop(): Promise<void> };

/** An empty database on the PostgreSQL server of this run. */
export const createDatabase = (): Promise<TestDatabase> => createFrom('template1');

/** A database on the PostgreSQL server of this run that already has all tables. */
export const createMigratedDatabase = (): Promise<TestDatabase> =>
  createFrom(inject('postgres').template);

/** A packed embedded database that already has all tables. */
export const embeddedTemplate = (): Blob => new Blob([readFileSync(inject('embeddedTemplate'))]);

/** Opens a database of its own with all tables in it; it is closed and removed after the suite. */
export type OpenDatabase = (options?: Omit<DatabaseOptions, 'dataDir'>) => Promise<Database>;

/** Runs a suite twice: on PostgreSQL and on the embedded database. */
export const describeOnBothDatabases = (
  name: string,
  define: (open: OpenDatabase, kind: Database['kind']) => void,
): void => {
  for (const kind of ['postgres', 'embedded'] as const) {
    describe(`${name} (${kind})`, () => {
      const cleanUps: (() => Promise<void>)[] = [];
      afterAll(async () => {
        for (const cleanUp of cleanUps.reverse()) await cleanUp();
      });

      const open: OpenDatabase = async (options = {}) => {
        if (kind === 'embedded') {
          const template = embeddedTemplate();
          const database = await openDatabase({
            dataDir: 'memory://',
            embeddedTemplate: template,
            ...options,
          });
          cleanUps.push(database.close);
          return database;
        }
        const { url, drop } = await createMigratedDatabase();
        cleanUps.push(drop);
        const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url, ...options });
        cleanUps.push(database.close);
        return database;
      };
      define(open, kind);
    });
  }
};

const createFrom = async (template: string): Promise<TestDatabase> => {
  const { adminUrl, prefix } = inject('postgres');
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  await administer(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);

  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => administer(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
};

const administer = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};
