import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { databaseFailure } from '../../../src/data/database-failure.js';
import type { Db } from '../../../src/data/db.js';
import {
  createMigratedDatabase,
  describeOn,
  describeWithDatabase,
} from '../../testkit/database.js';

const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => expect.fail('the statement went through'),
    (reason: unknown) => reason,
  );
  return databaseFailure(error);
};

/** Outside and inside a transaction. */
const failuresOf = async ({ client }: Database, work: (db: Db) => Promise<unknown>) => [
  await failureOf(work(client)),
  await failureOf(client.$transaction((tx) => work(tx))),
];

const countSleepers = async (db: Db): Promise<number> => {
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'PgSleep'`;
  return row.count;
};

describeWithDatabase('a failing statement', (open, kind) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });

  test('that repeats a key is reported as a unique violation', async () => {
    const model = (db: Db) => db.project.create({ data: { id: 'default', name: 'again' } });
    const raw = (db: Db) =>
      db.$executeRaw`INSERT INTO projects (id, name) VALUES ('default', 'again')`;
    expect(await failuresOf(database, model)).toEqual(['unique-violation', 'unique-violation']);
    expect(await failuresOf(database, raw)).toEqual(['unique-violation', 'unique-violation']);
  });

  test('that contains a NUL byte is reported as invalid text', async () => {
    const model = (db: Db) => db.project.findFirst({ where: { id: 'a\0b' } });
    const raw = (db: Db) => db.$queryRaw`SELECT ${'a\0b'}::text`;
    const json = (db: Db) =>
      db.event.create({ data: { type: 't', createdBy: 'ada', preData: { key: 'a\0b' } } });
    expect(await failuresOf(database, model)).toEqual(['invalid-text', 'invalid-text']);
    expect(await failuresOf(database, raw)).toEqual(['invalid-text', 'invalid-text']);
    expect(await failuresOf(database, json)).toEqual(['invalid-text', 'invalid-text']);
  });

  // A gateway started on a primary treats a rejected write as a failover, and tries another connection.
  const readOnlyFailure = kind === 'postgres' ? 'overloaded' : 'privilege';
  test(`that writes in a read-only transaction is reported as ${readOnlyFailure}`, async () => {
    const { client } = database;
    const inReadOnly = (work: (db: Db) => Promise<unknown>) =>
      client.$transaction(async (tx) => {
        await tx.$executeRaw`SET TRANSACTION READ ONLY`;
        await work(tx);
      });
    expect(await failureOf(inReadOnly((db) => db.project.deleteMany()))).toBe(readOnlyFailure);
    expect(await failureOf(inReadOnly((db) => db.$executeRaw`DELETE FROM projects`))).toBe(
      readOnlyFailure,
    );
  });

  test('without privileges is reported as a privilege failure', async () => {
    const { client } = database;
    const role = `visitor_${kind}_${process.pid}`;
    await client.$executeRawUnsafe(`CREATE ROLE ${role}`);
    const asVisitor = (work: (db: Db) => Promise<unknown>) =>
      client.$transaction(async (tx) => {
        await tx.$executeRawUnsafe(`SET LOCAL ROLE ${role}`);
        await work(tx);
      });
    expect(await failureOf(asVisitor((db) => db.project.findMany()))).toBe('privilege');
    expect(await failureOf(asVisitor((db) => db.$queryRaw`SELECT * FROM projects`))).toBe(
      'privilege',
    );
    await client.$executeRawUnsafe(`DROP ROLE ${role}`);
  });

  test('on a missing table or column is reported as such', async () => {
    const { client } = database;
    expect(await failureOf(client.$queryRaw`SELECT * FROM nowhere`)).toBe('unknown-object');
    expect(await failureOf(client.$queryRaw`SELECT nothing FROM projects`)).toBe('unknown-object');
  });

  test('with any other error has no category', async () => {
    const { client } = database;
    expect(await failureOf(client.$queryRaw`SELECT 1 / 0`)).toBeNull();
    expect(
      await failureOf(client.project.findUniqueOrThrow({ where: { id: 'ghost' } })),
    ).toBeNull();
  });

  test('in a transaction over its time limit is reported as a timeout', async () => {
    const { client } = database;
    const slow = client.$transaction(
      async (tx) => {
        await delay(300);
        await tx.project.findMany();
      },
      { timeout: 50 },
    );
    expect(await failureOf(slow)).toBe('timeout');
  });

  test('on a closed database is reported as overload', async () => {
    const { client, close } = database;
    await close();
    expect(await failureOf(client.project.findMany())).toBe('overloaded');
  });
});

describeOn('postgres', 'PostgreSQL under stress', () => {
  const cleanUps: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  const open = async (options = {}, change = (url: string) => url): Promise<Database> => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const database = await openDatabase({
      dataDir: 'memory://',
      databaseUrl: change(url),
      ...options,
    });
    cleanUps.push(database.close);
    return database;
  };

  test('reports a statement over the time limit as a timeout', async () => {
    const database = await open({ statementTimeoutMs: 200 });
    const { client } = database;
    const raw = (db: Db) => db.$queryRaw`SELECT pg_sleep(5)::text`;
    expect(await failuresOf(database, raw)).toEqual(['timeout', 'timeout']);

    await client.$executeRaw`ALTER TABLE settings RENAME TO kept`;
    await client.$executeRaw`CREATE VIEW settings AS SELECT 'x'::varchar(255) AS name, to_json(pg_sleep(5)::text) AS content`;
    expect(await failuresOf(database, (db) => db.setting.findMany())).toEqual([
      'timeout',
      'timeout',
    ]);
  });

  test('reports a pool without a free connection as overload, within seconds', async () => {
    const database = await open({ poolSize: 1 });
    const { client } = database;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHolding = false;
    const hold = () => {
      isHolding = true;
      return released;
    };
    const holder = client.$transaction(hold, { timeout: 60_000 });
    await expect.poll(() => isHolding).toBe(true);
    const failures = await Promise.all([
      failureOf(client.project.findMany()),
      failureOf(client.$queryRaw`SELECT 1`),
      failureOf(client.$transaction((tx) => tx.project.findMany())),
      failureOf(client.$transaction([client.project.findMany()])),
    ]);
    expect(failures).toEqual(['overloaded', 'overloaded', 'overloaded', 'overloaded']);
    release();
    await holder;
    expect(await client.project.count()).toBe(1);
  });

  test('reports a server without free connections as overload', async () => {
    const role = `crowd_${process.pid}`;
    const admin = await open();
    await admin.client.$executeRawUnsafe(
      `CREATE ROLE ${role} LOGIN PASSWORD 'crowd' CONNECTION LIMIT 1`,
    );
    await admin.client.$executeRawUnsafe(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
    const [{ name } = { name: '' }] = await admin.client.$queryRaw<{ name: string }[]>`
      SELECT current_database()::text AS name`;
    const { client, close } = await open({ migrate: false }, (url) => {
      const limitedUrl = new URL(url);
      limitedUrl.username = role;
      limitedUrl.password = 'crowd';
      limitedUrl.pathname = `/${name}`;
      return limitedUrl.href;
    });
    // Prisma sends nothing until the promise is awaited.
    const busy = client.$queryRaw`SELECT pg_sleep(60)::text`.catch(() => 'ended');
    await expect.poll(() => countSleepers(admin.client)).toBe(1);
    expect(await failureOf(client.project.findMany())).toBe('overloaded');
    await admin.client
      .$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${role}`;
    await busy;
    await close();
    await admin.client.$executeRawUnsafe(`DROP OWNED BY ${role}`);
    await admin.client.$executeRawUnsafe(`DROP ROLE ${role}`);
  });

  test('reports a session terminated by the server as overload', async () => {
    const database = await open();
    const endOwnSession = (db: Db) =>
      db.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())::text`;
    expect(await failuresOf(database, endOwnSession)).toEqual(['overloaded', 'overloaded']);
    const afterwards = database.client.$transaction(async (tx) => {
      await endOwnSession(tx).catch(() => undefined);
      await tx.project.findMany();
    });
    expect(await failureOf(afterwards)).toBe('overloaded');
  });

  test('reports an unreachable server as overload', async () => {
    const sockets = new Set<Socket>();
    let target: URL | undefined;
    const proxy = createServer((socket) => {
      const server = connect(Number(target?.port || 5432), target?.hostname);
      for (const end of [socket, server]) end.on('error', () => undefined);
      sockets.add(socket).add(server);
      socket.pipe(server).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    const { client } = await open({}, (url) => {
      target = new URL(url);
      const through = new URL(url);
      through.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
      return through.href;
    });

    const broken = failureOf(client.$queryRaw`SELECT pg_sleep(60)::text`);
    const { client: other } = await open({}, () => target?.href ?? '');
    await expect.poll(() => countSleepers(other)).toBe(1);
    proxy.close();
    for (const socket of sockets) socket.destroy();
    expect(await broken).toBe('overloaded');
    expect(await failureOf(client.project.findMany())).toBe('overloaded');
    expect(await failureOf(client.$queryRaw`SELECT 1`)).toBe('overloaded');
    expect(await failureOf(client.$transaction((tx) => tx.project.findMany()))).toBe('overloaded');
  });
});
