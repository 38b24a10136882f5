import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { type Db, Prisma } from '../../../src/data/db.js';
import { LOG_EPOCH } from '../../../src/data/events/settled-log.sql.js';
import type { Actor } from '../../../src/domain/actor.js';
import type { EventCriteria } from '../../../src/domain/events/event-criteria.js';
import { createEventLogCache } from '../../../src/domain/events/event-log-cache.js';
import { countEvents, matchesOf } from '../../../src/domain/events/event-matches.js';
import { walkLog } from '../../../src/domain/events/log-scans.js';
import { createSettledLog } from '../../../src/domain/events/settled-log.js';
import { createScanLimiter } from '../../../src/domain/scan-limiter.js';
import { userActor } from '../../testkit/actors.js';
import {
  createMigratedDatabase,
  describeOn,
  describeWithDatabase,
} from '../../testkit/database.js';

const ADMIN = userActor(true);
const MEMBER = userActor(false);

const createEventTotals = (db: Db, options?: Parameters<typeof createEventLogCache>[1]) => {
  const cache = createEventLogCache(db, options);
  return {
    count: (actor: Actor, criteria: EventCriteria) => countEvents(db, cache, actor, criteria),
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
/** How many events match each of the filters, for callers with access to all events and to events of projects. */
const countFilters = async (db: Db): Promise<[all: number, ofProjects: number][]> => {
  const counts = FILTERS.map(
    ([, condition]) => Prisma.sql`array[count(*) filter (where ${condition}),
      count(*) filter (where (${condition}) and project is not null)]::int[]`,
  );
  const [row] = await db.$queryRaw<[{ totals: [number, number][] }]>(
    Prisma.sql`select to_json(array[${Prisma.join(counts)}]) as totals from events`,
  );
  return row.totals;
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

describeWithDatabase('cached totals', (open, kind) => {
  test('equal a plain count for every filter and every caller while the log grows', async () => {
    const { client } = await open();
    const totals = createEventTotals(client);
    for (const added of kind === 'embedded' ? [0, 1_700, 40] : [0, 500, 1, 1_200, 40, 2_500]) {
      await addEvents(client, added);
      const expected = await countFilters(client);
      expect(expected).toHaveLength(FILTERS.length);
      for (const [index, [criteria]] of FILTERS.entries()) {
        const [all, some] = expected[index] ?? [];
        for (const _time of [1, 2]) {
          expect(await totals.count(ADMIN, criteria)).toBe(all);
          expect(await totals.count(MEMBER, criteria)).toBe(some);
        }
      }
    }
  });

  test('count only newer events on a cache hit', async () => {
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

  test('are not cached for author filters while author IDs may still be backfilled', async () => {
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

  test('need a scan where no index serves the text or the exclusion', async () => {
    const { client } = await open();
    const needsScan = (criteria: EventCriteria) => matchesOf(client, ADMIN, criteria).needsScan?.();
    expect(await needsScan({ text: 'word' })).toBe(true);
    await client.$executeRaw`create index on events using gin ((data::jsonb))`;
    expect(await needsScan({ text: 'word' })).toBe(false);
    expect(await needsScan({ and: [{ text: 'word' }], not: { text: 'other' } })).toBe(false);
    expect(await needsScan({ text: 'wo', and: [{ text: 'rd' }] })).toBe(true);
    expect(await needsScan({ or: [{ text: 'word' }, { ids: [1] }] })).toBe(true);
    expect(await needsScan({ not: { text: 'word' } })).toBe(true);
    expect(await needsScan({ not: { ids: [1] } })).toBe(true);
  });

  test('are verified periodically, which detects manual changes of rows', async () => {
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

  test('do not retry a failed verification with every request', async () => {
    const { client } = await open();
    await addEvents(client, 10);
    let time = Date.now();
    const cache = createEventLogCache(client, { now: () => time });
    let reads = 0;
    const query = {
      key: 'fails later',
      read: async () => {
        reads += 1;
        if (reads > 1) throw new Error('too slow');
        return 7;
      },
      merge: (older: number, newer: number) => older + newer,
      nothing: 0,
    };
    const read = () =>
      cache.query(query, async ({ value }) => {
        const [{ mark }] = await client.$queryRaw<[{ mark: string }]>(
          Prisma.sql`select ${LOG_EPOCH} as mark`,
        );
        return { mark, result: value };
      });
    expect(await read()).toBe(7);
    time += 61_000;
    expect(await read()).toBe(7);
    await expect.poll(() => reads).toBe(2);
    expect([await read(), await read()]).toEqual([7, 7]);
    expect(reads).toBe(2);
  });

  test('are evicted above the memory limit, least recently used first', async () => {
    const { client } = await open();
    await addEvents(client, 10);
    const cache = createEventLogCache(client);
    const queryOf = (key: string) => ({
      key,
      read: async () => 1,
      merge: (older: number, newer: number) => older + newer,
      nothing: 0,
      weigh: () => 60_000,
    });
    const read = (key: string) =>
      cache.query(queryOf(key), async ({ value }) => {
        const [{ mark }] = await client.$queryRaw<[{ mark: string }]>(
          Prisma.sql`select ${LOG_EPOCH} as mark`,
        );
        return { mark, result: value };
      });
    for (const key of ['a', 'b', 'c', 'a', 'd']) expect(await read(key)).toBe(1);
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.has({ key }))).toEqual(['a', 'c', 'd']);
  });

  test('are discarded when the log was emptied', async () => {
    const { client } = await open();
    await addEvents(client, 200);
    const totals = createEventTotals(client);
    expect(await totals.count(ADMIN, {})).toBe(200);
    await client.$executeRaw`truncate events`;
    await addEvents(client, 7);
    expect(await totals.count(ADMIN, {})).toBe(7);
  });
});

describeOn('postgres', 'on a server with concurrent writers', () => {
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

  /** Reserves an ID and commits it later, after others have committed larger IDs. */
  const writeSlowly = async (client: pg.Client, hasEnded: () => boolean, seed: number) => {
    for (let round = 0; !hasEnded(); round++) {
      await client.query('begin');
      await client.query(
        `insert into events (type, created_by, project) values ('feature-created', 'w', 'p')`,
      );
      await delay((round * 7 + seed * 13) % 23);
      await client.query((round + seed) % 5 === 0 ? 'rollback' : 'commit');
    }
  };

  /** Caches by largest ID, ignoring transactions in flight. */
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

  test('totals stay exact while transactions commit late and out of order, unlike those of a naive cache', async () => {
    const { url, db } = await openPostgres();
    await addEvents(db, 100);
    let hasEnded = false;
    const writers = [1, 2, 3, 4].map(async (seed) =>
      writeSlowly(await connect(url), () => hasEnded, seed),
    );

    // A fast clock makes it advance its watermark, and verify, as often as possible.
    let time = 0;
    const totals = createEventTotals(db, { now: () => (time += 2_000), advanceAfter: 1 });
    const readNaive = createNaiveTotals(db);
    let reads = 0;
    let naiveErrors = 0;
    const wrong: string[] = [];
    const startedAt = Date.now();
    while (Date.now() - startedAt < 4_000 || reads < 20 || naiveErrors === 0) {
      const min = await countAll(db);
      const [total, naiveTotal] = [await totals.count(ADMIN, {}), await readNaive()];
      const max = await countAll(db);
      reads++;
      if (total < min || total > max) wrong.push(`${total} is not in ${min} to ${max}`);
      if (naiveTotal < min) naiveErrors++;
    }
    hasEnded = true;
    await Promise.all(writers);
    expect(wrong).toEqual([]);
    expect(await totals.count(ADMIN, {})).toBe(await countAll(db));
  });

  test('deleted events are no longer counted once the server reports the deletion', async () => {
    const { url, db } = await openPostgres();
    await addEvents(db, 300);
    const totals = createEventTotals(db);
    expect(await totals.count(ADMIN, {})).toBe(300);
    const other = await connect(url);
    await other.query('delete from events where id in (select id from events limit 10)');
    await other.end();
    await expect.poll(() => totals.count(ADMIN, {})).toBe(290);
  });

  test('deleted events are no longer counted after ten seconds, even if they are not reported', async () => {
    const { url, db } = await openPostgres();
    await addEvents(db, 300);
    let time = Date.now();
    const totals = createEventTotals(db, { now: () => time });
    expect(await totals.count(ADMIN, {})).toBe(300);
    expect(await totals.count(ADMIN, { types: ['feature-created'] })).toBe(75);
    const other = await connect(url);
    // The session reports its statistics, then not again within a second, nor within a transaction.
    await other.query('select count(*) from events');
    await other.query('delete from events where id in (select id from events order by id limit 8)');
    await other.query('begin');
    await delay(1_500);
    expect(await totals.count(ADMIN, {})).toBe(300);

    time += 10_000;
    expect(await totals.count(ADMIN, {})).toBe(292);
    expect(await totals.count(ADMIN, { types: ['feature-created'] })).toBe(73);
    await other.end();
  });

  test('the watermark stays below the oldest transaction in flight', async () => {
    const { url, db } = await openPostgres();
    await addEvents(db, 10);
    const log = createSettledLog(db);
    const { bound } = (await log.poll()).settled ?? { bound: 0 };
    const slow = await connect(url);
    await slow.query('begin');
    await slow.query(`insert into events (type, created_by) values ('feature-created', 'slow')`);
    await addEvents(db, 5);
    expect(await log.poll()).toMatchObject({ settled: { bound } });
    await addEvents(db, 5);
    expect(await log.poll()).toMatchObject({ settled: { bound } });
    await slow.query('commit');
    expect(await log.poll()).toMatchObject({ settled: { bound: bound + 6 } });
    expect(await log.poll()).toMatchObject({ settled: { bound: bound + 11 } });
  });

  test('nothing is cached when the ID sequence has a cache', async () => {
    const { db } = await openPostgres();
    await db.$executeRaw`alter sequence events_id_seq cache 10`;
    expect(await createSettledLog(db).poll()).toMatchObject({ settled: null, seesWriters: false });
    await addEvents(db, 20);
    expect(await createEventTotals(db).count(ADMIN, {})).toBe(20);
  });

  test('a database recreated from a template has another fingerprint', async () => {
    const epochs = await Promise.all(
      [await openPostgres(), await openPostgres()].map(({ db }) =>
        db.$queryRaw<[{ mark: string }]>(Prisma.sql`select ${LOG_EPOCH} as mark`),
      ),
    );
    expect(epochs[0]).not.toEqual(epochs[1]);
  });

  test('full scans of one caller run one at a time, in order of arrival', async () => {
    const limiter = createScanLimiter();
    const done: string[] = [];
    const scan = (key: string) =>
      limiter.run(new Set(['caller']), (turn) =>
        walkLog(
          { first: 1, last: 40_000 },
          {
            turn,
            read: async () => {
              done.push(`${key} begins`);
              await delay(150);
              done.push(`${key} ends`);
              return true;
            },
          },
        ),
      );
    await Promise.all(['first', 'second'].map(scan));
    // The number of portions depends on the duration of the previous one.
    const turnsOf = (key: string) => {
      const portions = done.filter((step) => step === `${key} begins`).length;
      expect(portions).toBeGreaterThanOrEqual(2);
      return Array.from({ length: portions }, () => [`${key} begins`, `${key} ends`]).flat();
    };
    expect(done).toEqual([...turnsOf('first'), ...turnsOf('second')]);
  });

  test('the number of waiting full scans is limited, and others are rejected', async () => {
    const { db } = await openPostgres();
    await addEvents(db, 20_000);
    const totals = createEventTotals(db);
    const searches = await Promise.allSettled(
      Array.from({ length: 80 }, (_, n) => totals.count(ADMIN, { text: `"n" : ${n}` })),
    );
    const rejected = searches.filter((search) => search.status === 'rejected');
    expect(searches.length - rejected.length).toBeGreaterThanOrEqual(5);
    expect(rejected.length).toBeGreaterThan(0);
    for (const { reason } of rejected) expect(reason.name).toBe('OverloadedError');
    expect(await totals.count(ADMIN, { text: '"n" : 7' })).toBe(
      await countPlainly(db, Prisma.sql`data::text ilike '%"n" : 7%'`),
    );
    expect(await totals.count(ADMIN, { text: '"n" : 8', features: ['f8'] })).toBe(
      await countPlainly(db, Prisma.sql`data::text ilike '%"n" : 8%' and feature_name = 'f8'`),
    );
  });
});
