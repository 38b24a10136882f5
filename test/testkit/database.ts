import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, describe, inject } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/data/connect.js';

export type Engine = Database['kind'];

declare module 'vitest' {
  export interface ProvidedContext {
    /** The database of the test project. */
    engine: Engine;
  }
}

/** The rows of a new database: none, or the demo world of `DEMO_DAY` or of today. */
export type Template = 'empty' | 'demo' | 'today';

export type TestDatabase = { url: string; drop(): Promise<void> };

/** An empty database on the PostgreSQL server of this run. */
export const createDatabase = (): Promise<TestDatabase> => createFrom('template1');

/** A database on the PostgreSQL server of this run that already has all tables. */
export const createMigratedDatabase = async (world: Template = 'empty'): Promise<TestDatabase> => {
  const template = inject('postgres').templates[world];
  if (template === undefined) throw new Error('Only the test project e2e has this template.');
  return createFrom(template);
};

/** A packed embedded database that already has all tables. */
export const embeddedTemplate = (world: Template = 'empty'): Blob => {
  const file = world === 'today' ? undefined : inject('embeddedTemplates')[world];
  if (file === undefined) throw new Error('This test project has no such template.');
  return new Blob([readFileSync(file)]);
};

/** Creates the folder of an embedded database: from a template, which takes a tenth of the time of a first start. */
export const createEmbeddedFolder = async (dataDir: string, world: Template): Promise<void> => {
  const database = await openDatabase({ dataDir, embeddedTemplate: embeddedTemplate(world) });
  await database.close();
};

/** Opens its own database with all tables; it is closed and removed after the suite. */
export type OpenDatabase = (
  options?: Omit<DatabaseOptions, 'dataDir'> & { world?: Template },
) => Promise<Database>;

/** How often a random check runs: as often as given on PostgreSQL, a quarter of it on the slower embedded database. */
export const rounds = (count: number): number =>
  inject('engine') === 'embedded' ? Math.ceil(count / 4) : count;

/** Registers a suite only in the test project of an engine: `contract` has PostgreSQL, `engines` the embedded database. */
export const describeOn = (engine: Engine, name: string, define: () => void): void => {
  if (inject('engine') === engine) describe(name, define);
};

/** Runs a suite on the database engine of the test project. */
export const describeWithDatabase = (
  name: string,
  define: (open: OpenDatabase, kind: Engine) => void,
): void => {
  describe(name, () => {
    const kind = inject('engine');
    const cleanUps: (() => Promise<void>)[] = [];
    afterAll(async () => {
      for (const cleanUp of cleanUps.reverse()) await cleanUp();
    });

    const open: OpenDatabase = async ({ world = 'empty', ...options } = {}) => {
      if (kind === 'embedded') {
        const database = await openDatabase({
          dataDir: 'memory://',
          embeddedTemplate: embeddedTemplate(world),
          ...options,
        });
        cleanUps.push(database.close);
        return database;
      }
      const { url, drop } = await createMigratedDatabase(world);
      cleanUps.push(drop);
      const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url, ...options });
      cleanUps.push(database.close);
      return database;
    };
    define(open, kind);
  });
};

const createFrom = async (template: string): Promise<TestDatabase> => {
  const { adminUrl, prefix } = inject('postgres');
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  await runAsAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);

  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => runAsAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
};

const runAsAdmin = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};
