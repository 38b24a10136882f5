import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type DatabaseOptions, openDatabase } from '../../../src/data/connect.js';
import { databaseFailure } from '../../../src/data/database-failure.js';
import { createWork, runAs } from '../../../src/data/work/work.js';
import { startGateway } from '../../testkit/app.js';
import { createDatabase, createMigratedDatabase } from '../../testkit/database.js';
import { addAdminToken } from '../../testkit/seeded.js';
import { type PgBouncer, startPgBouncer } from './pgbouncer.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => databaseFailure(error) ?? (error as Error).name,
  );

describe.each(['session', 'transaction'] as const)('PgBouncer in %s mode', (poolMode) => {
  let pgbouncer: PgBouncer;
  beforeAll(async () => {
    pgbouncer = await startPgBouncer(inject('postgres').adminUrl, poolMode);
  });
  afterAll(() => pgbouncer?.stop());

  const connectDirectly = async (url: string) => {
    const observer = new pg.Client({ connectionString: url });
    await observer.connect();
    cleanUps.push(() => observer.end());
    return observer;
  };

  /** A database whose roles have their own settings. */
  const createWorld = async (...settings: string[]) => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const observer = await connectDirectly(url);
    const name = new URL(url).pathname.slice(1);
    for (const setting of settings) await observer.query(`ALTER DATABASE ${name} SET ${setting}`);
    return { url, name, observer, pooledUrl: pgbouncer.urlOf(url) };
  };

  const open = async (databaseUrl: string, options: Partial<DatabaseOptions> = {}) => {
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl, ...options });
    cleanUps.push(database.close);
    return database;
  };

  test('returns correct timestamps, whatever the time zone of the role', async () => {
    const { url, pooledUrl } = await createWorld("timezone = 'Europe/Oslo'");
    const direct = await open(url);
    await addAdminToken(direct.client);
    await direct.client.project.update({
      where: { id: 'default' },
      data: { createdAt: new Date('2026-07-01T12:00:00Z') },
    });
    const database = await open(pooledUrl);
    const reads = await Promise.all(
      Array.from({ length: 20 }, () => database.client.project.findMany()),
    );
    for (const [project] of reads) {
      expect(project?.createdAt?.toISOString()).toBe('2026-07-01T12:00:00.000Z');
    }
    const gateway = await startGateway(database);
    cleanUps.push(gateway.stop);
    expect((await gateway.rest('/api/admin/search/events')).status).toBe(200);
    expect((await gateway.rest('/readyz', { token: null })).status).toBe(200);
  });

  test('cancels statements at the statement timeout, also on the server', async () => {
    const { pooledUrl, observer } = await createWorld();
    const { client } = await open(pooledUrl, { statementTimeoutMs: 500 });
    const startedAt = performance.now();
    expect(await outcomeOf(client.$queryRaw`SELECT pg_sleep(30)::text`)).toBe('timeout');
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    const running = async () =>
      (
        await observer.query(
          "select 1 from pg_stat_activity where datname = current_database() and query like '%pg_sleep(30)%' and state = 'active' and pid <> pg_backend_pid()",
        )
      ).rowCount;
    await expect.poll(running).toBe(0);
    expect(await outcomeOf(client.project.findMany())).toBe('done');
  });

  test('cancels statements of disconnected callers', async () => {
    const { pooledUrl, observer } = await createWorld();
    const { client, cancelledCount } = await open(pooledUrl);
    const controller = new AbortController();
    const caller = outcomeOf(
      runAs(createWork(controller.signal), async () => client.$queryRaw`SELECT pg_sleep(31)::text`),
    );
    const running = async () =>
      (
        await observer.query(
          "select 1 from pg_stat_activity where datname = current_database() and query like '%pg_sleep(31)%' and state = 'active' and pid <> pg_backend_pid()",
        )
      ).rowCount;
    await expect.poll(running).toBe(1);
    controller.abort();
    expect(await caller).toBe('CancelledError');
    await expect.poll(running).toBe(0);
    expect(cancelledCount()).toBe(1);
    expect(await outcomeOf(client.$transaction((tx) => tx.project.findMany()))).toBe('done');
  });

  test('leaves no settings behind in pooled connections', async () => {
    const { pooledUrl, name } = await createWorld("timezone = 'Europe/Oslo'");
    const { client } = await open(pooledUrl);
    await client.project.findMany();
    const other = new pg.Client({ connectionString: pooledUrl });
    await other.connect();
    cleanUps.push(() => other.end());
    const { rows } = await other.query(
      "select current_setting('statement_timeout') as limit, current_setting('search_path') as path",
    );
    expect([name, rows]).toEqual([name, [{ limit: '0', path: '"$user", public' }]]);
  });

  test('stops the start when the search path is wrong, and prints the commands to fix it', async () => {
    const { pooledUrl, name, observer } = await createWorld();
    await observer.query('CREATE SCHEMA flags');
    const named = new URL(pooledUrl);
    named.searchParams.set('schema', 'flags');
    await expect(open(named.href)).rejects.toThrow(
      `ALTER ROLE postgres IN DATABASE ${name} SET search_path = "flags";`,
    );
  });

  test('stops the start of migrations, which need a session', async () => {
    const { url, drop } = await createDatabase();
    cleanUps.push(drop);
    await expect(open(pgbouncer.urlOf(url))).rejects.toThrow(
      'cannot be applied through a connection pooler',
    );
  });
});
