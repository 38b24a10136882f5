import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase } from '../../../src/data/connect.js';
import { databaseFailure } from '../../../src/data/database-failure.js';
import type { Db } from '../../../src/data/db.js';
import { createWork, runAs, runUncancelled } from '../../../src/data/work/work.js';
import { createMigratedDatabase } from '../../testkit/database.js';
import { type NetworkProxy, startNetworkProxy } from '../../testkit/network-proxy.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

type World = { url: string; database: Database; proxy: NetworkProxy; observer: pg.Client };

const open = async (options: Partial<DatabaseOptions> = {}): Promise<World> => {
  const { url, drop } = await createMigratedDatabase();
  cleanUps.push(drop);
  const proxy = await startNetworkProxy(url);
  cleanUps.push(proxy.close);
  const observer = new pg.Client({ connectionString: url });
  await observer.connect();
  cleanUps.push(() => observer.end());
  const database = await openDatabase({
    dataDir: 'memory://',
    databaseUrl: proxy.url,
    ...options,
  });
  cleanUps.push(database.close);
  return { url, database, proxy, observer };
};

const countSleepers = async (observer: pg.Client): Promise<number> => {
  const { rows } = await observer.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()",
  );
  return rows[0]?.count ?? 0;
};

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => databaseFailure(error) ?? (error as Error).name,
  );

const sleep = (db: Db, seconds = 60) => db.$queryRaw`SELECT pg_sleep(${seconds})::text`;

/** Runs work of a caller that can disconnect. Prisma sends nothing until it is awaited, so that happens inside. */
const asCaller = (run: () => Promise<unknown>) => {
  const controller = new AbortController();
  const outcome = outcomeOf(runAs(createWork(controller.signal), async () => run()));
  return { leave: () => controller.abort(), outcome };
};

const timed = async <Result>(work: Promise<Result>) => {
  const startedAt = performance.now();
  const result = await work;
  return { result, ms: performance.now() - startedAt };
};

describe('cancellation', () => {
  test('cancels the statement on the server and rejects at once', async () => {
    const { database, observer } = await open();
    const caller = asCaller(() => sleep(database.client));
    await expect.poll(() => countSleepers(observer)).toBe(1);
    caller.leave();
    const { result, ms } = await timed(caller.outcome);
    expect(result).toBe('CancelledError');
    expect(ms).toBeLessThan(500);
    await expect.poll(() => countSleepers(observer)).toBe(0);
    expect(database.cancelledCount()).toBe(1);
  });

  test('cancels a statement inside a transaction, which is rolled back', async () => {
    const { database, observer } = await open({ poolSize: 1 });
    const { client } = database;
    const caller = asCaller(() =>
      client.$transaction(async (tx) => {
        await tx.project.create({ data: { id: 'left', name: 'left' } });
        await sleep(tx);
      }),
    );
    await expect.poll(() => countSleepers(observer)).toBe(1);
    caller.leave();
    expect(await caller.outcome).toBe('CancelledError');
    expect(await client.project.findUnique({ where: { id: 'left' } })).toBeNull();
    const { rows } = await observer.query(
      "select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
    );
    expect(rows).toEqual([]);
  });

  test('leaves no transaction open when its caller disconnects between statements', async () => {
    const { database } = await open({ poolSize: 1 });
    const { client } = database;
    const caller = asCaller(() =>
      client.$transaction(async (tx) => {
        await tx.project.create({ data: { id: 'left', name: 'left' } });
        caller.leave();
        await tx.project.create({ data: { id: 'later', name: 'later' } });
      }),
    );
    expect(await caller.outcome).toBe('CancelledError');
    expect(await client.project.count({ where: { id: { in: ['left', 'later'] } } })).toBe(0);
  });

  test('never affects the next statement on the connection', async () => {
    const { database } = await open({ poolSize: 2 });
    const { client } = database;
    const others: Promise<string>[] = [];
    for (let round = 0; round < 60; round += 1) {
      const caller = asCaller(() => sleep(client, 0.004));
      others.push(outcomeOf(sleep(client, 0.003)));
      await delay(round % 10);
      caller.leave();
      expect(['done', 'CancelledError']).toContain(await caller.outcome);
    }
    expect(new Set(await Promise.all(others))).toEqual(new Set(['done']));
  });

  test('stops waiting for a connection', async () => {
    const { database, observer } = await open({ poolSize: 1 });
    const holder = asCaller(() => sleep(database.client));
    await expect.poll(() => countSleepers(observer)).toBe(1);
    const waiting = asCaller(() => database.client.project.findMany());
    await delay(50);
    waiting.leave();
    const { result, ms } = await timed(waiting.outcome);
    expect(result).toBe('CancelledError');
    expect(ms).toBeLessThan(500);
    holder.leave();
    expect(await outcomeOf(database.client.project.findMany())).toBe('done');
  });

  test('skips statements that must not be interrupted', async () => {
    const { database, observer } = await open();
    const caller = asCaller(() => runUncancelled(async () => sleep(database.client, 1)));
    await expect.poll(() => countSleepers(observer)).toBe(1);
    caller.leave();
    expect(await caller.outcome).toBe('done');
    expect(database.cancelledCount()).toBe(0);
  });
});

describe('a caller with many statements', () => {
  const asOwner = (owner: string, run: () => Promise<unknown>) =>
    outcomeOf(runAs(createWork(undefined, { owner }), async () => run()));

  test('uses at most half of the connections and does not delay others', async () => {
    const { database, observer } = await open({ poolSize: 4 });
    const many = Array.from({ length: 40 }, () =>
      asOwner('many', () => sleep(database.client, 0.3)),
    );
    await expect.poll(() => countSleepers(observer)).toBe(2);
    expect(database.pool?.()).toMatchObject({ waiting: 38 });

    const other = () => database.client.project.findMany();
    for (let round = 0; round < 5; round += 1) {
      const { result, ms } = await timed(asOwner('other', other));
      expect(result).toBe('done');
      expect(ms).toBeLessThan(250);
    }
    expect(await countSleepers(observer)).toBeLessThanOrEqual(2);
    // The last of them would wait for 6 s.
    expect((await Promise.all(many)).toSorted()).toEqual(
      expect.arrayContaining(['done', 'overloaded']),
    );
    expect(database.pool?.()).toMatchObject({ waiting: 0 });
  });

  test('is rejected when thousands of its statements are queued', async () => {
    const { database } = await open({ poolSize: 1 });
    const controller = new AbortController();
    const request = () =>
      outcomeOf(
        runAs(createWork(controller.signal, { owner: 'many' }), async () => sleep(database.client)),
      );
    const requests = Array.from({ length: 2_001 }, request);
    expect(await request()).toBe('overloaded');
    controller.abort();
    expect(new Set(await Promise.all(requests))).toEqual(new Set(['CancelledError']));
  });
});

describe('connections terminated by the server', () => {
  test('are not reused while they are closing', async () => {
    const { database, proxy, observer } = await open({ poolSize: 1 });
    const { client } = database;
    await client.project.findMany();
    proxy.closeLate(500);
    const cut = outcomeOf(sleep(client));
    await expect.poll(() => countSleepers(observer)).toBe(1);
    await observer.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep%' and pid <> pg_backend_pid()",
    );
    expect(await cut).toBe('overloaded');
    expect(await outcomeOf(client.project.findMany())).toBe('done');
  });
});

describe('unresponsive connections', () => {
  test('fail within the statement timeout plus 2 s, and leave the pool', async () => {
    const { database, proxy } = await open({ poolSize: 4, statementTimeoutMs: 1_000 });
    const { client } = database;
    await Promise.all(Array.from({ length: 4 }, () => sleep(client, 0.1)));
    expect(database.pool?.()).toMatchObject({ open: 4, idle: 4 });

    proxy.freeze();
    const { result, ms } = await timed(outcomeOf(client.project.findMany()));
    expect(result).toBe('timeout');
    expect(ms).toBeLessThan(4_000);
    // One unresponsive connection was enough: the other three are not tried.
    const all = await Promise.all(
      Array.from({ length: 8 }, () => timed(outcomeOf(client.project.findMany()))),
    );
    expect(all.map(({ result: outcome }) => outcome)).toEqual(Array(8).fill('done'));
    expect(Math.max(...all.map(({ ms: time }) => time))).toBeLessThan(1_000);
    expect(proxy.openCount()).toBe(database.pool?.().open);
  });

  test('fail inside transactions, also at BEGIN and COMMIT', async () => {
    const { database, proxy } = await open({ poolSize: 2, statementTimeoutMs: 500 });
    const { client } = database;
    const inTransaction = outcomeOf(
      client.$transaction(
        async (tx) => {
          await tx.project.findMany();
          proxy.freeze();
          await tx.project.findMany();
        },
        { timeout: 60_000 },
      ),
    );
    expect(await inTransaction).toBe('timeout');

    const atCommit = client.$transaction(
      async (tx) => {
        await tx.project.findMany();
        proxy.freeze();
      },
      { timeout: 60_000 },
    );
    expect(await outcomeOf(atCommit)).toBe('timeout');

    await client.project.findMany();
    proxy.freeze();
    const atBegin = client.$transaction((tx) => tx.project.findMany(), { maxWait: 60_000 });
    expect(await outcomeOf(atBegin)).toBe('timeout');
    expect(await outcomeOf(client.project.findMany())).toBe('done');
  });

  test('do not delay closing, nor do transactions that never end', async () => {
    const { database, proxy } = await open({ statementTimeoutMs: 60_000 });
    const { client } = database;
    const running = outcomeOf(sleep(client));
    let isOpen = false;
    const hanging = client.$transaction(
      async (tx) => {
        await tx.project.findMany();
        isOpen = true;
        await new Promise(() => undefined);
      },
      { timeout: 60_000 },
    );
    hanging.catch(() => undefined);
    await expect.poll(() => isOpen).toBe(true);
    proxy.freeze();
    const { ms } = await timed(database.close());
    expect(ms).toBeLessThan(4_000);
    expect(await running).toBe('overloaded');
  });
});

describe('a primary that becomes read-only', () => {
  const demote = async ({ observer }: World) => {
    const { rows } = await observer.query<{ name: string }>('select current_database() as name');
    await observer.query(`ALTER DATABASE ${rows[0]?.name} SET default_transaction_read_only = on`);
  };

  test('is rejected by new connections', async () => {
    const world = await open({ poolSize: 1 });
    const { client } = world.database;
    await demote(world);
    await world.observer.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'flaggraph' and datname = current_database()",
    );
    await expect.poll(() => outcomeOf(client.project.findMany())).toBe('overloaded');
    await expect(world.database.ping(5_000)).rejects.toThrow('read-only');
  });

  test('is rejected by open connections from the first statement that detects it', async () => {
    const world = await open({ poolSize: 2 });
    const { client } = world.database;
    await Promise.all([sleep(client, 0.05), sleep(client, 0.05)]);
    await expect(
      client.$queryRaw`SELECT set_config('default_transaction_read_only', 'on', false)`,
    ).rejects.toThrow('read-only');
    // Both connections are closed, and new ones are not read-only.
    expect(await outcomeOf(client.project.create({ data: { id: 'new', name: 'new' } }))).toBe(
      'done',
    );
  });

  test('is served for reads if it was read-only when the gateway started', async () => {
    const world = await open();
    await demote(world);
    const later = await openDatabase({ dataDir: 'memory://', databaseUrl: world.url });
    cleanUps.push(later.close);
    expect(await outcomeOf(later.client.project.findMany())).toBe('done');
    const write = later.client.project.create({ data: { id: 'new', name: 'new' } });
    expect(await outcomeOf(write)).toBe('privilege');
  });
});

describe('prepared statements', () => {
  const readValue = (db: Db) =>
    db.$queryRaw`SELECT value FROM changing WHERE id = ${1} /* as long as the statements of a page, which are prepared once they were sent often */`;
  const readTimes = async (db: Db, count: number) => {
    for (let sent = 0; sent < count; sent += 1) await readValue(db);
  };
  const namesOf = async (db: Db) => {
    const rows = await db.$queryRaw<{ name: string }[]>`SELECT name FROM pg_prepared_statements`;
    return rows.map(({ name }) => name);
  };

  test('names statements that are sent often, and plans them for their values', async () => {
    const { database, observer } = await open({ poolSize: 1 });
    await observer.query('create table changing as select 1 as id, 7 as value');

    await readTimes(database.client, 9);
    const before = await namesOf(database.client);
    await readTimes(database.client, 9);
    const after = await namesOf(database.client);

    expect(before).toEqual([]);
    expect(after).toEqual([expect.stringMatching(/^flaggraph_/)]);
    const [mode] = await database.client.$queryRaw<unknown[]>`SHOW plan_cache_mode`;
    expect(mode).toEqual({ plan_cache_mode: 'force_custom_plan' });
  });

  test('are prepared again when a migration changes the type of a column', async () => {
    const { database, observer } = await open({ poolSize: 3 });
    await observer.query('create table changing as select 1 as id, 7 as value');
    await Promise.all([1, 2, 3].map(() => readTimes(database.client, 20)));

    await observer.query("alter table changing alter column value type text using 'seven'");
    const results = await Promise.all([1, 2, 3, 4].map(() => readValue(database.client)));

    expect(results.flat()).toEqual([1, 2, 3, 4].map(() => ({ value: 'seven' })));
  });

  test('fail a transaction with a retryable error when a migration changes a column', async () => {
    const { database, observer } = await open({ poolSize: 1 });
    await observer.query('create table changing as select 1 as id, 7 as value');
    await readTimes(database.client, 20);
    await observer.query("alter table changing alter column value type text using 'seven'");

    const failed = await outcomeOf(database.client.$transaction((db) => readValue(db)));
    const retried = await outcomeOf(database.client.$transaction((db) => readValue(db)));

    expect([failed, retried]).toEqual(['overloaded', 'done']);
  });
});
