import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { type Db, type Event, Prisma, type PrismaClient } from '../../../src/data/db.js';
import {
  DependencyTable,
  EnvironmentTable,
  FeatureEnvironmentTable,
  FeatureTable,
  FeatureTagTable,
  LastSeenTable,
  LifecycleStageTable,
  ProjectSettingsTable,
  StrategyTable,
} from '../../../src/data/generated/tables.js';
import { readTable } from '../../../src/data/sql/tables.sql.js';
import { Actor } from '../../../src/domain/actor.js';
import type { EventCriteria } from '../../../src/domain/events/event-criteria.js';
import { createEventLogCache } from '../../../src/domain/events/event-log-cache.js';
import { listEvents } from '../../../src/domain/events/list-events.js';
import { searchEvents } from '../../../src/domain/events/search-events.js';
import { wholeLog } from '../../../src/domain/events/whole-log.js';
import { DEFAULT_CLONE_LIMITS } from '../../../src/domain/features/clone-limits.js';
import { inStoredOrder } from '../../../src/domain/features/stored-order.js';
import { createOperations } from '../../../src/domain/operations.js';
import { userActor } from '../../testkit/actors.js';
import { createRandom } from '../../testkit/clone-sources.js';
import {
  createMigratedDatabase,
  describeOn,
  describeWithDatabase,
  rounds,
} from '../../testkit/database.js';

const TYPES = ['feature-created', 'feature-updated', 'feature-archived', 'change-added'];
const WORDS = ['apple', 'Quince', 'pear', 'fig'];
const HOUR_MS = 3_600_000;
const EPOCH = Date.UTC(2024, 0, 1);

/** Events of many types, with gaps between their IDs. */
const addEvents = (db: Db, count: number) =>
  db.$executeRaw(Prisma.sql`
    insert into events (type, created_by, created_by_user_id, project, feature_name, environment, data, created_at)
    select (${TYPES}::text[])[1 + n % 4], 'hand', n % 7, case when n % 5 > 0 then 'p' || n % 3 end,
      'f' || n % 11, case when n % 2 = 0 then 'production' end,
      json_build_object('word', (${WORDS}::text[])[1 + n % 4], 'n', n, 'rare', n % 97 = 0),
      to_timestamp(${EPOCH / 1000}::float8 + 3600 * (n % 500))
    from generate_series(1, ${count}::int) n`);

const skipIds = (db: Db, ids: number) =>
  db.$executeRaw(Prisma.sql`select setval('events_id_seq', nextval('events_id_seq') + ${ids})`);

type Random = ReturnType<typeof createRandom>;

const CRITERIA: readonly ((random: Random) => EventCriteria)[] = [
  () => ({}),
  (random) => ({ types: [TYPES[random.int(0, 3)] ?? ''] }),
  (random) => ({ projects: [`p${random.int(0, 3)}`] }),
  (random) => ({ features: [`f${random.int(0, 11)}`, 'f3'] }),
  (random) => ({ features: [`f${random.int(0, 11)}`] }),
  (random) => ({ creators: [random.int(0, 7)] }),
  () => ({ environments: ['production'] }),
  (random) => ({ from: new Date(EPOCH + random.int(0, 499) * HOUR_MS) }),
  (random) => {
    const from = EPOCH + random.int(0, 499) * HOUR_MS;
    return { from: new Date(from), before: new Date(from + random.int(0, 59) * HOUR_MS) };
  },
  (random) => ({
    text: ['quince', 'FIG', '"rare" : true', 'nowhere', 'a'][random.int(0, 4)] ?? '',
  }),
  (random) => ({ idFrom: random.int(0, 299), idBefore: random.int(0, 899) }),
];

const chooseConditions = (random: Random): EventCriteria => ({
  ...CRITERIA[random.int(0, CRITERIA.length - 1)]?.(random),
  ...(random.int(0, 2) === 0 && CRITERIA[random.int(0, CRITERIA.length - 1)]?.(random)),
});

const chooseCriteria = (random: Random, levels = 2): EventCriteria => ({
  ...(random.int(0, 9) > 0 && chooseConditions(random)),
  ...(levels > 0 && {
    ...(random.chance(0.2) && { and: random.list(2, () => chooseCriteria(random, levels - 1)) }),
    ...(random.chance(0.2) && { or: random.list(3, () => chooseCriteria(random, levels - 1)) }),
    ...(random.chance(0.2) && { not: chooseCriteria(random, levels - 1) }),
  }),
});

/** The same condition without SQL. */
const matches = (event: Event, criteria: EventCriteria, { seesAllEvents }: Actor): boolean =>
  (seesAllEvents || event.projectId !== null) && matchesFilter(event, criteria);

const matchesFilter = (event: Event, criteria: EventCriteria): boolean => {
  const time = event.createdAt?.getTime() ?? 0;
  const text = JSON.stringify(event.data).replace(/":/g, '" : ').replace(/,"/g, ', "');
  const { types, projects, features, creators, environments, from, before } = criteria;
  return (
    (!types || types.includes(event.type)) &&
    (!projects || projects.includes(event.projectId ?? '')) &&
    (!features || features.includes(event.featureName ?? '')) &&
    (!creators || creators.includes(event.createdByUserId ?? -1)) &&
    (!environments || environments.includes(event.environment ?? '')) &&
    (!from || time >= from.getTime()) &&
    (!before || time < before.getTime()) &&
    (criteria.idFrom === undefined || event.id >= criteria.idFrom) &&
    (criteria.idBefore === undefined || event.id < criteria.idBefore) &&
    (criteria.text === undefined || text.toLowerCase().includes(criteria.text.toLowerCase())) &&
    (criteria.and ?? []).every((inner) => matchesFilter(event, inner)) &&
    (criteria.or?.some((inner) => matchesFilter(event, inner)) ?? true) &&
    !(criteria.not && matchesFilter(event, criteria.not))
  );
};

describeWithDatabase('cached searches', (open) => {
  test('return the same as plain searches for any filter while the log grows', async () => {
    const { client } = await open();
    const memory = createEventLogCache(client, { advanceAfter: 50 });
    const random = createRandom(20_241);
    for (const added of [0, 300, 1, 700, 60]) {
      await addEvents(client, added);
      await skipIds(client, 70_000);
      const log = await client.event.findMany({ orderBy: { id: 'desc' } });
      for (let round = 0; round < rounds(90); round++) {
        const actor = userActor(random.int(0, 2) > 0);
        const criteria = chooseCriteria(random);
        const expected = log.filter((event) => matches(event, criteria, actor));
        const ids = expected.map(({ id }) => id);
        const hint = JSON.stringify([added, criteria, actor.seesAllEvents]);

        const page = {
          limit: random.int(0, 39),
          offset: random.int(0, 2) * random.int(0, 1299),
        };
        const { events, total } = await searchEvents(client, memory, actor, { criteria, page });
        expect([hint, total]).toEqual([hint, ids.length]);
        expect([hint, events.map(({ id }) => id)]).toEqual([
          hint,
          ids.slice(page.offset, page.offset + page.limit),
        ]);

        const limit = 1 + random.int(0, 19);
        const backward = random.int(0, 1) === 0;
        const from = ids[random.int(0, Math.max(1, ids.length) - 1)];
        const place = from !== undefined && random.int(0, 1) === 0 ? { after: from } : {};
        const rest = 'after' in place ? ids.filter((id) => id < (place.after ?? 0)) : ids;
        const slice = await listEvents(client, memory, actor, {
          criteria,
          page: { limit, backward, ...place },
          hasPayload: random.int(0, 1) === 0,
        });
        expect([hint, slice.rows.map(({ id }) => id)]).toEqual([
          hint,
          backward ? rest.slice(-limit) : rest.slice(0, limit),
        ]);
      }
    }
  });

  test('return the same deep pages as plain searches while the log grows', async () => {
    const { client } = await open();
    const memory = createEventLogCache(client, { advanceAfter: 50 });
    const random = createRandom(7_117);
    let last = 0;
    // Gaps between the IDs: some milestones are a few events apart, and there are more than are kept.
    for (const [added, gap] of [
      [1_100, 1],
      [300, 3_400],
      [600, 1_001],
      [40, 1],
      [200, 3],
    ] as const) {
      // In one transaction: what was cached must not see events move.
      await client.$transaction([
        addEvents(client, added),
        client.$executeRaw(Prisma.sql`
          update events set id = top.id + 10000000 + (events.id - top.id) * ${gap}::int
          from (select max(id) as id from events) top where events.id > ${last}::int`),
        client.$executeRaw(
          Prisma.sql`select setval('events_id_seq', (select max(id) from events))`,
        ),
      ]);
      const log = await client.event.findMany({ orderBy: { id: 'desc' } });
      last = log[0]?.id ?? 0;
      await searchEvents(client, memory, userActor(true), {
        criteria: {},
        page: { limit: 1, offset: 1_000 },
      });
      await expect.poll(() => memory.has(wholeLog(client))).toBe(true);
      const filters: EventCriteria[] = [
        {},
        { environments: ['production'] },
        { types: TYPES.slice(0, 3) },
      ];
      for (let round = 0; round < rounds(60); round++) {
        const actor = userActor(random.int(0, 2) > 0);
        const criteria = filters[round % filters.length] ?? {};
        const ids = log.filter((event) => matches(event, criteria, actor)).map(({ id }) => id);
        const page = { limit: random.int(0, 9), offset: 1_000 + random.int(0, log.length) };
        const { events, total } = await searchEvents(client, memory, actor, { criteria, page });
        const hint = JSON.stringify([added, criteria, actor.seesAllEvents, page]);
        expect([hint, total]).toEqual([hint, ids.length]);
        expect([hint, events.map(({ id }) => id)]).toEqual([
          hint,
          ids.slice(page.offset, page.offset + page.limit),
        ]);
      }
    }
  });

  test('read the same rows as JSON that Prisma reads', async () => {
    const { client } = await open({ world: 'demo' });
    const all = Prisma.sql`true`;
    const pairs: [unknown[], unknown[]][] = [
      [await readTable(client, FeatureTable, all), await client.feature.findMany()],
      [await readTable(client, EnvironmentTable, all), await client.environment.findMany()],
      [
        await readTable(client, FeatureEnvironmentTable, all),
        await client.featureEnvironment.findMany(),
      ],
      [await readTable(client, StrategyTable, all), await client.strategy.findMany()],
      [await readTable(client, FeatureTagTable, all), await client.featureTag.findMany()],
      [await readTable(client, LastSeenTable, all), await client.lastSeen.findMany()],
      [await readTable(client, DependencyTable, all), await client.dependency.findMany()],
      [await readTable(client, LifecycleStageTable, all), await client.lifecycleStage.findMany()],
      [await readTable(client, ProjectSettingsTable, all), await client.projectSettings.findMany()],
    ];
    for (const [fast, plain] of pairs) {
      expect(plain.length).toBeGreaterThan(0);
      expect(fast).toHaveLength(plain.length);
      expect(fast).toEqual(expect.arrayContaining(plain));
    }
  });

  test('identify health reports by their content', async () => {
    const database = await open({ world: 'demo' });
    const { client } = database;
    const settings = { adminUiUrl: 'http://admin', limits: DEFAULT_CLONE_LIMITS };
    const operations = createOperations(database, settings);
    const admin = new Actor({ ...userActor(true), userId: 1 });
    const [feature] = await client.feature.findMany({
      where: { projectId: 'web-shop', archivedAt: null, tags: { some: {} } },
    });
    if (!feature) throw new Error('The demo world has no such feature.');
    const { name } = feature;
    await client.user.create({ data: { id: 9001, name: 'Newcomer' } });
    const report = () => operations.getHealthReport(admin, 'web-shop');

    const changes = [
      () => client.feature.update({ where: { name }, data: { description: 'changed' } }),
      () =>
        client.featureEnvironment.updateMany({
          where: { featureName: name },
          data: { variants: [{ name: 'changed' }] },
        }),
      () =>
        client.strategy.updateMany({ where: { featureName: name }, data: { title: 'changed' } }),
      () => client.featureTag.deleteMany({ where: { featureName: name } }),
      () => client.favoriteFeature.create({ data: { featureName: name, userId: 1 } }),
      () =>
        client.user.updateMany({
          where: { isSystem: false },
          data: { imageUrl: 'http://picture' },
        }),
      () =>
        client.projectSettings.updateMany({
          where: { projectId: 'web-shop' },
          data: { mode: 'private' },
        }),
      () =>
        client.event.create({
          data: {
            type: 'feature-updated',
            createdBy: 'x',
            createdByUserId: 9001,
            featureName: name,
          },
        }),
      () => client.feature.update({ where: { name }, data: { archivedAt: new Date() } }),
    ];
    for (const change of changes) {
      const before = await report();
      expect((await report()).contentKey).toBe(before.contentKey);
      await change();
      const after = await report();
      expect(after.contentKey).not.toBe(before.contentKey);
      expect(await after.build()).not.toEqual(await before.build());
      const uncached = createOperations(database, settings).getHealthReport(admin, 'web-shop');
      expect(await after.build()).toEqual(await (await uncached).build());
    }
  });

  test('order keys like the database', async () => {
    const { client } = await open();
    const random = createRandom(77);
    const key = () =>
      Array.from({ length: random.int(0, 4) }, () => 'aB0é_€'[random.int(0, 5)] ?? '').join('');
    const value = (depth: number): unknown => {
      if (depth === 0 || random.int(0, 3) === 0) return [null, true, 'text', 7][random.int(0, 3)];
      const parts = Array.from({ length: random.int(0, 4) }, () => [key(), value(depth - 1)]);
      return random.int(0, 1) === 0 ? Object.fromEntries(parts) : parts.map(([, part]) => part);
    };
    const inputs = Array.from({ length: 200 }, () => JSON.stringify(value(4)));
    const rows = await client.$queryRaw<{ stored: string }[]>(Prisma.sql`
      select input::jsonb::text as stored
      from unnest(${inputs}::text[]) with ordinality as inputs (input, position) order by position`);
    expect(rows).toHaveLength(inputs.length);
    for (const [index, { stored }] of rows.entries()) {
      expect(JSON.stringify(inStoredOrder(JSON.parse(inputs[index] ?? '')))).toBe(
        JSON.stringify(JSON.parse(stored)),
      );
    }
  });
});

describeOn('postgres', 'a role with column privileges only', () => {
  test('gets the same health report', async () => {
    const { url, drop } = await createMigratedDatabase('demo');
    const owner = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
    const role = `columns_${new URL(url).pathname.slice(-12)}`;
    const session = new pg.Client({ connectionString: url });
    await session.connect();
    const columns = Object.values(FeatureTable.columns).join(', ');
    await session.query(`
      create role ${role} login password 'secret';
      grant usage on schema public to ${role};
      grant select on all tables in schema public to ${role};
      revoke select on features from ${role};
      grant select (${columns}) on features to ${role}`);
    const guestUrl = new URL(url);
    guestUrl.username = role;
    guestUrl.password = 'secret';
    const other = await openDatabase({ dataDir: 'memory://', databaseUrl: guestUrl.href });

    const settings = { adminUiUrl: 'http://admin', limits: DEFAULT_CLONE_LIMITS };
    const [expected, found] = await Promise.all(
      [owner, other].map(async (database) => {
        const { getHealthReport } = createOperations(database, settings);
        return (await getHealthReport(userActor(true), 'web-shop')).build();
      }),
    );
    expect(found).toEqual(expected);
    await Promise.all([owner.close(), other.close()]);
    await session.query(`drop owned by ${role}; drop role ${role}`);
    await session.end();
    await drop();
  });
});

describeOn('postgres', 'with concurrent writers that commit late and out of order', () => {
  const idsOf = async (db: PrismaClient, where: Prisma.Sql): Promise<number[]> => {
    const rows = await db.$queryRaw<{ id: number }[]>(
      Prisma.sql`select id from events where ${where} order by id desc`,
    );
    return rows.map(({ id }) => id);
  };

  const CASES: [EventCriteria, Prisma.Sql][] = [
    [{}, Prisma.sql`true`],
    [{ types: ['feature-created'] }, Prisma.sql`type = 'feature-created'`],
    [{ text: 'quince' }, Prisma.sql`data::text ilike '%quince%'`],
    [{ from: new Date(EPOCH) }, Prisma.sql`created_at >= ${new Date(EPOCH)}`],
  ];

  test('pages and totals miss no committed event', async () => {
    const { url, drop } = await createMigratedDatabase();
    const { client, close } = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
    await addEvents(client, 40);
    let hasEnded = false;
    const write = async (seed: number) => {
      const session = new pg.Client({ connectionString: url });
      await session.connect();
      for (let round = 0; !hasEnded; round++) {
        await session.query('begin');
        await session.query(
          `insert into events (type, created_by, project, data) values ($1, 'w', 'p', '{"word":"Quince"}')`,
          [TYPES[round % 4]],
        );
        await delay((round * 7 + seed * 13) % 23);
        await session.query((round + seed) % 5 === 0 ? 'rollback' : 'commit');
      }
      await session.end();
    };
    const writers = [1, 2, 3].map(write);

    // A fast clock makes it advance its watermark as often as possible.
    let time = 0;
    const memory = createEventLogCache(client, { now: () => (time += 2_000), advanceAfter: 1 });
    const admin = userActor(true);
    let reads = 0;
    const startedAt = Date.now();
    while (Date.now() - startedAt < 5_000 || reads < 20) {
      const [criteria, where] = CASES[reads % CASES.length] as (typeof CASES)[number];
      const before = await idsOf(client, where);
      const page = { limit: 30, offset: 0 };
      const { events, total } = await searchEvents(client, memory, admin, { criteria, page });
      const { rows } = await listEvents(client, memory, admin, { criteria, page: { limit: 30 } });
      const after = await idsOf(client, where);
      reads += 1;

      expect(total).toBeGreaterThanOrEqual(before.length);
      expect(total).toBeLessThanOrEqual(after.length);
      for (const found of [events.map(({ id }) => id), rows.map(({ id }) => id)]) {
        expect(found).toEqual(found.toSorted((a, b) => b - a));
        const oldest = found.at(-1) ?? 0;
        expect(before.filter((id) => id >= oldest && !found.includes(id))).toEqual([]);
        expect(found.filter((id) => !after.includes(id))).toEqual([]);
      }
    }
    hasEnded = true;
    await Promise.all(writers);
    await close();
    await drop();
  });
});
