import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import {
  createMigratedDatabase,
  describeOn,
  describeWithDatabase,
} from '../../testkit/database.js';
import { startNetworkProxy } from '../../testkit/network-proxy.js';

describeWithDatabase('an open database', (open, kind) => {
  const statements: string[] = [];
  let database: Database;
  beforeAll(async () => {
    database = await open({ onQuery: (sql) => statements.push(sql) });
  });

  test('reports each statement of its client, and none of its connection setup', async () => {
    expect(statements).toEqual([]);
    await database.client.project.findMany({ include: { environments: true } });
    await database.client.$queryRaw`SELECT 42`;
    expect(statements).toHaveLength(3);
    expect(statements[0]).toContain('"projects"');
    expect(statements[2]).toContain('SELECT 42');
  });

  test('reads columns without a time zone as UTC, whatever the time zone of the server', async () => {
    const { client } = database;
    await client.$executeRaw`INSERT INTO projects (id, name, created_at) VALUES ('p', 'p', '2026-01-02 03:04:05')`;
    const project = await client.project.findUniqueOrThrow({ where: { id: 'p' } });
    expect(project.createdAt?.toISOString()).toBe('2026-01-02T03:04:05.000Z');
    expect(await client.$queryRaw`SELECT current_setting('timezone') AS zone`).toEqual([
      { zone: 'UTC' },
    ]);

    const before = Date.now();
    const { createdAt } = await client.project.create({ data: { id: 'now', name: 'now' } });
    expect(Math.abs(Number(createdAt) - before)).toBeLessThan(60_000);
  });

  test('rolls back a failed transaction and continues', async () => {
    const { client } = database;
    const attempt = client.$transaction(async (tx) => {
      await tx.project.create({ data: { id: 'kept', name: 'kept' } });
      await tx.project.create({ data: { id: 'default', name: 'taken' } });
    });
    await expect(attempt).rejects.toMatchObject({ code: 'P2002' });
    expect(await client.project.findUnique({ where: { id: 'kept' } })).toBeNull();
    await client.$transaction((tx) => tx.project.create({ data: { id: 'kept', name: 'kept' } }));
    expect(await client.project.findUnique({ where: { id: 'kept' } })).not.toBeNull();
  });

  test.runIf(kind === 'postgres')('sends its application name to the server', async () => {
    const { client } = database;
    expect(
      await client.$queryRaw`SELECT current_setting('application_name') AS name, current_setting('statement_timeout') AS time`,
    ).toEqual([{ name: 'flaggraph', time: '15s' }]);
  });

  test('responds to pings until it is closed, and can be closed twice', async () => {
    await database.ping(5_000);
    await Promise.all([database.close(), database.close()]);
    await expect(database.ping(5_000)).rejects.toThrow();
  });
});

describeOn('postgres', 'a PostgreSQL server', () => {
  const cleanUps: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test('that is unreachable is reported without the password', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const address = free.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    free.close();
    const opening = openDatabase({
      dataDir: 'memory://',
      databaseUrl: `postgresql://ada:secret-word@127.0.0.1:${port}/flags`,
    });
    const error = await opening.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'LayoutError' });
    expect(String(error)).toContain(
      `127.0.0.1:${port}/flags cannot be reached: connect ECONNREFUSED`,
    );
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret-word');
  });

  test('that rejects the password is reported without it', async () => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const wrong = new URL(url);
    wrong.password = 'secret-word';
    const error = await openDatabase({ dataDir: 'memory://', databaseUrl: wrong.href }).then(
      async (database) => database.close(),
      (reason: unknown) => reason,
    );
    // A server set by DATABASE_URL may use trust authentication.
    if (error) expect(String(error)).toMatch(/cannot be reached: password authentication failed/);
    expect(String(error)).not.toContain('secret-word');
  });

  test.each([
    'localhost',
    'mysql://ada:secret-word@localhost/flags',
    'postgresql://a b:secret-word@',
  ])('cannot have the URL %s', async (databaseUrl) => {
    const error = await openDatabase({ dataDir: 'memory://', databaseUrl }).catch(String);
    expect(error).toMatch(/^LayoutError: DATABASE_URL is not a PostgreSQL connection URL/);
    expect(error).not.toContain('secret-word');
  });

  test.each([
    'postgresql://ada:s3cret@p1ece/with#m4rks@localhost/flags',
    'postgresql://ada:s3cret/p1ece@localhost/flags',
    'postgresql://ada:s3cret#p1ece@localhost/flags',
    'postgresql://ada:s3cret?p1ece@localhost/flags',
  ])('with a password that is not percent-encoded is rejected without showing it', async (url) => {
    const error = await openDatabase({ dataDir: 'memory://', databaseUrl: url }).catch(String);
    expect(error).toMatch(/^LayoutError: DATABASE_URL /);
    expect(error).not.toMatch(/s3cret|p1ece|m4rks/);
  });

  test('supports the same TLS modes as other PostgreSQL clients, without warnings', async () => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const warnings: unknown[] = [];
    const note = (warning: Error) => warnings.push(warning.message);
    process.on('warning', note);
    const withMode = new URL(url);
    withMode.searchParams.set('sslmode', 'disable');
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: withMode.href });
    cleanUps.push(database.close);
    withMode.searchParams.set('sslmode', 'require');
    await expect(
      openDatabase({ dataDir: 'memory://', databaseUrl: withMode.href }),
    ).rejects.toThrow(/SSL/);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  test('that misses the deadline of a ping is reported as unresponsive', async () => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const proxy = await startNetworkProxy(url);
    cleanUps.push(proxy.close);
    const { ping, close } = await openDatabase({ dataDir: 'memory://', databaseUrl: proxy.url });
    cleanUps.push(close);
    await ping(5_000);
    proxy.freeze();
    await delay(1_100);
    await expect(ping(100)).rejects.toThrow('did not respond within 100 ms');
    // The silent connection is discarded, and a new one replaces it.
    await expect.poll(() => ping(1_000).then(() => 'answers', String)).toBe('answers');
  });

  test('with a busy pool responds to pings', async () => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const { client, ping, close } = await openDatabase({
      dataDir: 'memory://',
      databaseUrl: url,
      poolSize: 1,
    });
    cleanUps.push(close);
    // Prisma sends nothing until the promise is awaited.
    const busy = client.$queryRaw`SELECT pg_sleep(1)::text`.then(() => 'done');
    await ping(900);
    expect(await busy).toBe('done');
  });

  test('that drops an idle connection does not crash the process', async () => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const { client, close } = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
    cleanUps.push(close);
    const other = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
    cleanUps.push(other.close);
    await other.client.$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await delay(200);
    expect(await client.role.count()).toBe(5);
  });
});
