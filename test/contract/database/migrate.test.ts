import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { LayoutError } from '../../../src/data/layout/layout-error.js';
import { migrate } from '../../../src/data/layout/migrate.js';
import { type Migration, readMigrations } from '../../../src/data/layout/migrations-folder.js';
import { pgSession, type SqlSession } from '../../../src/data/sql-session.js';
import {
  createDatabase,
  createMigratedDatabase,
  type TestDatabase,
} from '../../testkit/database.js';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const temporary = async (database: Promise<TestDatabase>): Promise<string> => {
  const { url, drop } = await database;
  cleanUps.push(drop);
  return url;
};

const open = async (databaseUrl: string, options = {}): Promise<Database> => {
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl, ...options });
  cleanUps.push(database.close);
  return database;
};

const session = async (connectionString: string): Promise<SqlSession> => {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  cleanUps.push(() => client.end());
  return pgSession(client);
};

const values = async (sql: SqlSession, query: string): Promise<unknown[]> => {
  const { rows } = await sql.query<Record<string, unknown>>(query);
  return rows.map((row) => Object.values(row)[0]);
};

const TABLES = `SELECT relname FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') ORDER BY 1`;
const NAMES =
  'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1';
const FIRST = '20260101000000_admin_layout';

const breaking = (sql: string): Migration => ({
  name: '20990101000000_odd',
  sql,
  checksum: 'f'.repeat(64),
});

describe('an empty database', () => {
  test('gets its tables on the first start and is unchanged by the second', async () => {
    const url = await temporary(createDatabase());
    const messages: string[] = [];
    const first = await open(url, { onProgress: (message: string) => messages.push(message) });
    expect(first).toMatchObject({ kind: 'postgres', ownership: 'flaggraph', isNew: true });
    expect(messages).toEqual(readMigrations().map(({ name }) => `Applying migration ${name}`));

    const second = await open(url);
    expect(second).toMatchObject({ ownership: 'flaggraph', isNew: false });
    const sql = await session(url);
    expect(await values(sql, NAMES)).toEqual(readMigrations().map(({ name }) => name));
  });

  test('is migrated exactly once by processes that start concurrently', async () => {
    const url = await temporary(createDatabase());
    const databases = await Promise.all([1, 2, 3, 4].map(() => open(url)));
    expect(databases.filter((database) => database.isNew)).toHaveLength(1);
    const sql = await session(url);
    expect(await values(sql, 'SELECT count(*)::int FROM _prisma_migrations')).toEqual([
      readMigrations().length,
    ]);
    expect(await values(sql, 'SELECT count(*)::int FROM roles')).toEqual([5]);
  });

  test('stays empty when migrations are disabled', async () => {
    const url = await temporary(createDatabase());
    await expect(open(url, { migrate: false })).rejects.toThrow(
      new RegExp(`lacks ${readMigrations().length} migration.*${FIRST}`),
    );
    expect(await values(await session(url), TABLES)).toEqual([]);
  });

  test('stays empty when it should be the database of Unleash', async () => {
    const url = await temporary(createDatabase());
    await expect(open(url, { isUnleashExpected: true })).rejects.toThrow(/start Unleash first/);
    expect(await values(await session(url), TABLES)).toEqual([]);
  });

  test('counts as empty when only an extension has created a table', async () => {
    const url = await temporary(createDatabase());
    const sql = await session(url);
    await sql.exec('CREATE TABLE shipped (id integer); ALTER EXTENSION plpgsql ADD TABLE shipped');
    expect(await open(url)).toMatchObject({ isNew: true });
  });
});

describe('a failing migration', () => {
  test('leaves only its error, and the next start reports the migration, the error and the fix', async () => {
    const url = await temporary(createMigratedDatabase());
    const sql = await session(url);
    const migrations = [
      ...readMigrations(),
      breaking('CREATE TABLE half (id integer); SELECT 1 / 0;'),
    ];
    await expect(migrate(sql, { migrations })).rejects.toThrow('division by zero');
    expect(await values(sql, "SELECT to_regclass('half')")).toEqual([null]);

    const error = await migrate(sql, { migrations }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(LayoutError);
    const { message } = error as LayoutError;
    expect(message).toContain('20990101000000_odd');
    expect(message).toContain('division by zero');
    const repair = /UPDATE .*? IS NULL;/.exec(message)?.[0] ?? '';
    await sql.exec(repair);
    const repaired = [...readMigrations(), breaking('CREATE TABLE half (id integer);')];
    expect(await migrate(sql, { migrations: repaired })).toMatchObject({
      applied: ['20990101000000_odd'],
      isNew: false,
    });
  });

  test('leaves nothing when its session is terminated, so the next start repeats it', async () => {
    const url = await temporary(createDatabase());
    const [layout] = readMigrations();
    const terminating = `${layout?.sql}; SELECT pg_terminate_backend(pg_backend_pid());`;
    const migrations = [{ name: FIRST, sql: terminating, checksum: 'f'.repeat(64) }];
    await expect(migrate(await session(url), { migrations })).rejects.toThrow(LayoutError);
    expect(await open(url)).toMatchObject({ isNew: true });
  });

  test('that is recorded as unfinished stops the start', async () => {
    const url = await temporary(createMigratedDatabase());
    const sql = await session(url);
    await sql.exec(
      `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${FIRST}'`,
    );
    await expect(open(url)).rejects.toThrow(`Migration ${FIRST} was started on this database`);
  });
});

test('a migration whose file changed after it was applied stops the start', async () => {
  const url = await temporary(createMigratedDatabase());
  const sql = await session(url);
  await sql.exec(
    `UPDATE _prisma_migrations SET checksum = 'another' WHERE migration_name = '${FIRST}'`,
  );
  await expect(open(url)).rejects.toThrow(`applied migration was changed: ${FIRST}.`);
});

describe('a database of another application', () => {
  test('is rejected when its tables have no known migration history, and stays unchanged', async () => {
    const url = await temporary(createDatabase());
    const sql = await session(url);
    await sql.exec('CREATE TABLE invoices (id integer)');
    await expect(open(url)).rejects.toThrow(/neither of the gateway nor of Unleash/);
    expect(await values(sql, TABLES)).toEqual(['invoices']);
  });

  test('is rejected when another Prisma application migrates it', async () => {
    const url = await temporary(createMigratedDatabase());
    const sql = await session(url);
    await sql.exec("UPDATE _prisma_migrations SET migration_name = 'init' || migration_name");
    await expect(open(url)).rejects.toThrow(/neither of the gateway nor of Unleash/);
  });

  test('is never migrated when it has the migration table of Unleash', async () => {
    const url = await temporary(createDatabase());
    const sql = await session(url);
    await sql.exec('CREATE TABLE migrations (id serial, name varchar(255), run_on timestamp)');
    await expect(open(url)).rejects.toThrow(/table "migrations".*table events/);
    expect(await values(sql, TABLES)).toEqual(['migrations']);
  });
});

test('migrations create tables in the schema of the database URL', async () => {
  const url = new URL(await temporary(createDatabase()));
  const sql = await session(url.href);
  await sql.exec('CREATE SCHEMA flags');
  url.searchParams.set('schema', 'flags');
  const { client } = await open(url.href);
  expect(await client.role.count()).toBe(5);
  expect(await client.$queryRaw`SELECT count(*)::int FROM roles`).toEqual([{ count: 5 }]);
  expect(await values(sql, TABLES)).toEqual([]);
});
