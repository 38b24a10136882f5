import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/data/connect.js';
import { type Db, Prisma } from '../../src/data/db.js';
import type { Actor } from '../../src/domain/actor.js';
import type { EventCriteria } from '../../src/domain/events/event-criteria.js';
import { countEvents, matchesOf } from '../../src/domain/events/event-matches.js';
import { createLogMemory } from '../../src/domain/events/log-memory.js';
import { createLogScans } from '../../src/domain/events/log-scans.js';
import { createSettledLog, LOG_MARK } from '../../src/domain/events/settled-log.js';
import { actorWho } from '../testkit/actors.js';
import { createMigratedDatabase, describeOnBothDatabases } from '../testkit/database.js';

const ADMIN = actorWho(true);
const MEMBER = actorWho(false);

const createEventTotals = (db: Db, options?: Parameters<typeof createLogMemory>[1]) => {
  const memory = createLogMemory(db, options);
  return {
    count: (actor: Actor, criteria: EventCriteria) => countEvents(db, memory, actor, criteria),
  };
};

const TYPES = ['feature-created', 'feature-updated', 'feature-archived', 'change-added'];

const addEvents = (db: Db, count: number) =>
  db.$executeRaw(Prisma.sql`
    insert into events (type, created_by, created_by_user_id, project, feature_name, data, created_at)
    select (${TYPES}::text[])[1 + n % 4], 'hand', n % 7, case when n % 5 > 0 then 'p' || n % 3 end,
      'f' || n % 11, json_build_object('n', n), timestamptz '2024-01-01' + n * interval '1 hour'
    from generate_series(1, ${count}::int) n`);

const countPlainly = async (db: Db, condition: Prisma.Sql): Promise<number> => {
  const [row] = await db.$queryRaw<[{ total: bigint }]>(
    Prisma.sql`select count(*) as total from events where ${condition}`,
  );
  return Number(row.total);
};
const countAll = (db: Db) => countPlainly(db, Prisma.sql`true`);

const FILTERS: readonly [EventCriteria, Prisma.Sql][] = [
  [{}, Prisma.sql`true`],
  [
    { types: ['feature-created', 'change-added'] },
    Prisma.sql`type in ('feature-created', 'change-added')`,
  ],
  [{ typesOtherThan: ['feature-created'] }, Prisma.sql`type <> 'feature-created'`],
  [{ projects: ['p1'] }, Prisma.sql`project = 'p1'`],
  [
    { features: ['f3', 'f4'], types: ['feature-updated'] },
    Prisma.sql`feature_name in ('f3', 'f4') and type = 'feature-updated'`,
  ],
  [{ creators: [3] }, Prisma.sql`created_by_user_id = 3`],
  [{ creatorFrom: 2, creatorBefore: 4 }, Prisma.sql`created_by_user_id in (2, 3)`],
  [{ idFrom: 10, idBefore: 90 }, Prisma.sql`id >= 10 and id < 90`],
  [{ ids: [1, 2, 100_000] }, Prisma.sql`id in (1, 2, 100000)`],
  [
    { from: new Date('2024-01-02'), before: new Date('2024-01-03') },
    Prisma.sql`created_at >= '2024-01-02T00:00Z' and created_at < '2024-01-03T00:00Z'`,
  ],
  [{ text: '"n" : 1' }, Prisma.sql`data::text like '%"n" : 1%'`],
  [{ types: ['never-seen'] }, Prisma.sql`false`],
  [{ creatorNames: ['hand'] }, Prisma.sql`created_by = 'hand'`],
  [{ not: { projects: ['p1'] } }, Prisma.sql`project is distinct from 'p1'`],
  [
    { or: [{ text: '"n" : 1' }, { creators: [3] }], not: { and: [{ features: ['f3'] }, {}] } },
    Prisma.sql`(data::text like '%"n" : 1%' or created_by_user_id = 3) and feature_name is distinct from 'f3'`,
  ],
  [{ and: [{ idFrom: 10 }, { not: { idFrom: 90 } }] }, Prisma.sql`id >= 10 and id < 90`],
  [{ or: [] }, Prisma.sql`false`],
];

describeOnBothDatabases('remembered totals', (open) => {
  test('are those of a plain count, for every filter and every caller, while the log grows', async () => {
    const { client } = await open();
    const totals = createEventTotals(client);
    for (const added of [0, 500, 1, 1_200, 40, 2_500]) {
      await addEvents(client, added);
      for (const [criteria, condition] of FILTERS) {
        const visible = Prisma.sql`${condition} and project is not null`;
        const [all, some] = [
          await countPlainly(client, condition),
          await countPlainly(client, visible),
        ];
        for (const _time of [1, 2]) {
          expect(await totals.count(ADMIN, criteria)).toBe(all);
          expect(await totals.count(MEMBER, criteria)).toBe(some);
        }
      }
    }
  });

  test('are counted over newer events only once they are known', async () => {
    const statements: string[] = [];
    const { client } = await open({ onQuery: (sql) => statements.push(sql) });
    await addEvents(client, 300);
    const totals = createEventTotals(client);
    await totals.count(ADMIN, {});
    statements.length = 0;
    expect(await totals.count(ADMIN, {})).toBe(300);
    expect(statements).toHaveLength(1);
    expect(statements[0]).toContain('e.id > ');
  });

  test('are not remembered while authors may still be filled in, wherever an author is asked for', async () => {
    const { client } = await open();
    await addEvents(client, 70);
    const changed =
      await client.$executeRaw`update events set created_by_user_id = null where id % 2 = 0`;
    expect(changed).toBeGreaterThan(0);
    const totals = createEventTotals(client);
    const criteria: EventCriteria = { or: [{ not: { creators: [3] } }] };
    const expected = () => countPlainly(client, Prisma.sql`created_by_user_id is distinct from 3`);
    expect(await totals.count(ADMIN, criteria)).toBe(await expected());
    await client.$executeRaw`update events set created_by_user_id = 3 where created_by_user_id is null`;
    expect(await totals.count(ADMIN, criteria)).toBe(await expected());
  });

  test('of a text are read in portions where no index can find all matches', async () => {
    const { client } = await open();
    const needsScan = (criteria: EventCriteria) => matchesOf(client, ADMIN, criteria).needsScan?.();
    expect(await needsScan({ text: 'word' })).toBe(true);
    await client.$executeRaw`create index on events using gin ((data::jsonb))`;
    expect(await needsScan({ text: 'word' })).toBe(false);
    expect(await needsScan({ and: [{ text: 'word' }], not: { text: 'other' } })).toBe(false);
    expect(await needsScan({ text: 'wo', and: [{ text: 'rd' }] })).toBe(true);
    expect(await needsScan({ or: [{ text: 'word' }, { ids: [1] }] })).toBe(true);
    expect(await needsScan({ not: { text: 'word' } })).toBe(true);
    expect(await needsScan({ not: { ids: [1] } })).toBeUndefined();
  });

  test('are verified now and then, against rows changed by hand', async () => {
    const { client } = await open();
    await addEvents(client, 400);
    let time = Date.now();
    const totals = createEventTotals(client, { now: () => time });
    const criteria = { projects: ['p2'] };
    const before = await totals.count(ADMIN, criteria);
    await client.$executeRaw`update events set project = 'elsewhere' where id = (select min(id) from events where project = 'p2')`;

    time += 61_000;
    await totals.count(ADMIN, criteria);
    await expect.poll(() => totals.count(ADMIN, criteria)).toBe(before - 1);
  });

  test('a verification that fails is not tried again with every request', async () => {
    const { client } = await open();
    await addEvents(client, 10);
    let time = Date.now();
    const memory = createLogMemory(client, { now: () => time });
    let reads = 0;
    const question = {
      key: 'fails later',
      read: async () => {
        reads += 1;
        if (reads > 1) throw new Error('too slow');
        return 7;
      },
      merge: (older: number, newer: number) => older + newer,
      nothing: 0,
    };
    const ask = () =>
      memory.ask(question, async ({ value }) => {
        const [{ mark }] = await client.$queryRaw<[{ mark: string }]>(
          Prisma.sql`select ${LOG_MARK} as mark`,
        );
        return { mark, answer: value };
      });
    expect(await ask()).toBe(7);
    time += 61_000;
    expect(await ask()).toBe(7);
    await expect.poll(() => reads).toBe(2);
    expect([await ask(), await ask()]).toEqual([7, 7]);
    expect(reads).toBe(2);
  });

  test('are forgotten when they weigh too much together, first those nobody asked for any more', async () => {
    const { client } = await open();
    await addEvents(client, 10);
    const memory = createLogMemory(client);
    const question = (key: string) => ({
      key,
      read: async () => 1,
      merge: (older: number, newer: number) => older + newer,
      nothing: 0,
      weigh: () => 60_000,
    });
    const ask = (key: string) =>
      memory.ask(question(key), async ({ value }) => {
        const [{ mark }] = await client.$queryRaw<[{ mark: string }]>(
          Prisma.sql`select ${LOG_MARK} as mark`,
        );
        return { mark, answer: value };
      });
    for (const key of ['a', 'b', 'c', 'a', 'd']) expect(await ask(key)).toBe(1);
    expect(['a', 'b', 'c', 'd'].filter((key) => memory.knows({ key }))).toEqual(['a', 'c', 'd']);
  });

  test('start anew when the log was emptied', async () => {
    const { client } = await open();
    await addEvents(client, 200);
    const totals = createEventTotals(client);
    expect(await totals.count(ADMIN, {})).toBe(200);
    await client.$executeRaw`truncate events`;
    await addEvents(client, 7);
    expect(await totals.count(ADMIN, {})).toBe(7);
  });
});

describe('on a server with other writers', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  const openPostgres = async (): Promise<{ url: string; db: Database['client'] }> => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
    cleanUps.push(database.close);
    return { url, db: database.client };
  };
  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    cleanUps.push(() => client.end());
    return client;
  };

  /** Draws an id, and commits it a little later, when others have committed larger ones. */
  const writeSlowly = async (client: pg.Client, hasEnded: () => boolean, seed: number) => {
    for (let turn = 0; !hasEnded(); turn++) {
      await client.query('begin');
      await client.query(
        `insert into events (type, created_by, project) values ('feature-created', 'w', 'p')`,
      );
      await delay((turn * 7 + seed * 13) % 23);
      await client.query((turn + seed) % 5 === 0 ? 'rollback' : 'commit');
    }
  };

  /** What one might do without thinking of those who have not committed yet. */
  const createNaiveTotals = (db: Db) => {
    let known: { upTo: number; count: number } | undefined;
    return async (): Promise<number> => {
      const [{ last }] = await db.$queryRaw<
        [{ last: number }]
      >`select coalesce(max(id), 0) as last from events`;
      known = {
        upTo: last,
        count:
          (known?.count ?? 0) +
          (await countPlainly(db, Prisma.sql`id > ${known?.upTo ?? 0} and id <= ${last}`)),
      };
      return known.count + (await countPlainly(db, Prisma.sql`id > ${known.upTo}`));
    };
  };

  test('totals stay exact while transactions commit late and out of order, where a naive memory errs', async () => {
    const { url, db } = await openPostgres();
    await addEvents(db, 100);
    let hasEnded = false;
    const writers = [1, 2, 3, 4].map(async (seed) =>
      writeSlowly(await connect(url), () => hasEnded, seed),
    );

    // A clock that races makes it move its bound on, and verify, as often as it can.
    let time = 0;
    const totals = createEventTotals(db, { now: () => (time += 2_000), worthMoving: 1 });
    const naive = createNaiveTotals(db);
    let asked = 0;
    let naiveErrors = 0;
    const wrong: string[] = [];
    const begun = Date.now();
    while (Date.now() - begun < 4_000 || asked < 20 || naiveErrors === 0) {
      const least = await countAll(db);
      const [total, careless] = [await totals.count(ADMIN, {}), await naive()];
      const most = await countAll(db);
      asked++;
      if (total < least || total > most) wrong.push(`${total} is not in ${least} to ${most}`);
      if (careless < least) naiveErrors++;
    }
    hasEnded = true;
    await Promise.all(writers);
    expect(wrong).toEqual([]);
    expect(await totals.count(ADMIN, {})).toBe(await countAll(db));
  });

  test('events that somebody deletes are no longer counted once the server tells of them', async () => {
    const { url, db } = await openPostgres();
    await addEvents(db, 300);
    const totals = createEventTotals(db);
    expect(await totals.count(ADMIN, {})).toBe(300);
    const other = await connect(url);
    await other.query('delete from events where id in (select id from events limit 10)');
    await other.end();
    await expect.poll(() => totals.count(ADMIN, {})).toBe(290);
  });

  test('the log is settled up to what was there when the last writer began', async () => {
    const { url, db } = await openPostgres();
    await addEvents(db, 10);
    const log = createSettledLog(db);
    const { bound } = (await log.look()).settled ?? { bound: 0 };
    const slow = await connect(url);
    await slow.query('begin');
    await slow.query(`insert into events (type, created_by) values ('feature-created', 'slow')`);
    await addEvents(db, 5);
    expect(await log.look()).toMatchObject({ settled: { bound } });
    await addEvents(db, 5);
    expect(await log.look()).toMatchObject({ settled: { bound } });
    await slow.query('commit');
    expect(await log.look()).toMatchObject({ settled: { bound: bound + 6 } });
    expect(await log.look()).toMatchObject({ settled: { bound: bound + 11 } });
  });

  test('nothing is remembered where ids are handed out in portions', async () => {
    const { db } = await openPostgres();
    await db.$executeRaw`alter sequence events_id_seq cache 10`;
    expect(await createSettledLog(db).look()).toMatchObject({ settled: null, seesWriters: false });
    await addEvents(db, 20);
    expect(await createEventTotals(db).count(ADMIN, {})).toBe(20);
  });

  test('a database made anew from a copy is told from the one before', async () => {
    const marks = await Promise.all(
      [await openPostgres(), await openPostgres()].map(({ db }) =>
        db.$queryRaw<[{ mark: string }]>(Prisma.sql`select ${LOG_MARK} as mark`),
      ),
    );
    expect(marks[0]).not.toEqual(marks[1]);
  });

  test('of searches that read all of the log one runs at a time, in the order of their coming', async () => {
    const { db } = await openPostgres();
    const scan = createLogScans(db);
    const done: string[] = [];
    const question = (key: string) => ({
      key,
      read: async () => {
        done.push(`${key} begins`);
        await delay(200);
        done.push(`${key} ends`);
        return 0;
      },
      merge: () => 0,
      nothing: 0,
    });
    await Promise.all(['first', 'second'].map((key) => scan(question(key), 60_000)));
    // Each of them reads two portions.
    expect(done).toEqual(
      ['first', 'first', 'second', 'second'].flatMap((key) => [`${key} begins`, `${key} ends`]),
    );
  });

  test('of searches that read all of the log few wait, and the others are refused', async () => {
    const { db } = await openPostgres();
    await addEvents(db, 20_000);
    const totals = createEventTotals(db);
    const searches = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => totals.count(ADMIN, { text: `"n" : ${n}` })),
    );
    const refused = searches.filter((search) => search.status === 'rejected');
    expect(searches.length - refused.length).toBeGreaterThanOrEqual(5);
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason.name).toBe('OverloadedError');
    expect(await totals.count(ADMIN, { text: '"n" : 7' })).toBe(
      await countPlainly(db, Prisma.sql`data::text ilike '%"n" : 7%'`),
    );
    expect(await totals.count(ADMIN, { text: '"n" : 8', features: ['f8'] })).toBe(
      await countPlainly(db, Prisma.sql`data::text ilike '%"n" : 8%' and feature_name = 'f8'`),
    );
  });
});
