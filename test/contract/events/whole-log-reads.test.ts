import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Db, Prisma } from '../../../src/data/db.js';
import { LOG_EPOCH } from '../../../src/data/events/settled-log.sql.js';
import { createWork, runAs } from '../../../src/data/work/work.js';
import { Actor } from '../../../src/domain/actor.js';
import type { CacheableQuery } from '../../../src/domain/events/cacheable-query.js';
import { countEventsOf, countEventsUpTo } from '../../../src/domain/events/count-events.js';
import type { EventCriteria } from '../../../src/domain/events/event-criteria.js';
import { createEventFeed } from '../../../src/domain/events/event-feed.js';
import { createEventLogCache } from '../../../src/domain/events/event-log-cache.js';
import { countEvents } from '../../../src/domain/events/event-matches.js';
import { followEvents } from '../../../src/domain/events/follow-events.js';
import { getEventActivity } from '../../../src/domain/events/get-event-activity.js';
import { listEvents } from '../../../src/domain/events/list-events.js';
import { listEventsOf } from '../../../src/domain/events/list-events-of.js';
import { createSettledLog } from '../../../src/domain/events/settled-log.js';
import { userActor } from '../../testkit/actors.js';
import { describeWithDatabase } from '../../testkit/database.js';

const ADMIN = userActor(true);
const actorNamed = (author: string): Actor => new Actor({ ...ADMIN, author });

/** Few events over such a wide range of IDs that a scan takes many portions. */
const STEP = 2_000;
const COUNT = 300;

const addSpreadEvents = (db: Db) =>
  db.$executeRaw(Prisma.sql`
    insert into events (id, type, created_by, created_by_user_id, project, feature_name, data, pre_data, created_at)
    select n * ${STEP}::int, case when n % 2 = 0 then 'feature-updated' else 'feature-created' end,
      'user-' || n % 30, n % 30, 'p' || n % 3, 'f' || n % 40,
      json_build_object('word', case when n % 7 = 0 then 'ab' else 'usual' end, 'n', n),
      json_build_object('word', case when n % 14 = 0 then 'ab' else 'usual' end),
      timestamptz '2026-01-01' + n * interval '1 hour'
    from generate_series(1, ${COUNT}::int) n`);

const numbers = (max: number, isMatch: (n: number) => boolean): number[] =>
  Array.from({ length: max }, (_, index) => index + 1).filter(isMatch);

const idsWhere = (isMatch: (n: number) => boolean): number[] =>
  numbers(COUNT, isMatch)
    .map((n) => n * STEP)
    .reverse();

describeWithDatabase('reads without an index', (open) => {
  let db: Db;
  beforeAll(async () => {
    db = (await open()).client;
    await addSpreadEvents(db);
  });

  const FILTERS: readonly [EventCriteria, (n: number) => boolean][] = [
    [{ text: 'ab' }, (n) => n % 7 === 0],
    [{ text: 'usual' }, (n) => n % 14 !== 0],
    [{ text: 'nowhere' }, () => false],
    [{ touches: 'word' }, (n) => n % 7 === 0 && n % 14 !== 0],
    [{ text: 'ab', projects: ['p1'] }, (n) => n % 7 === 0 && n % 3 === 1],
  ];

  test.each(FILTERS)(
    '%j: return the same pages as a plain search, in both directions',
    async (criteria, isMatch) => {
      const expected = idsWhere(isMatch);
      for (const limit of [1, 10, 1_000]) {
        // Results must not depend on what earlier pages have cached.
        for (const cache of [createEventLogCache(db), createEventLogCache(db)]) {
          const pages: number[][] = [];
          let after: number | undefined;
          for (let pageIndex = 0; pageIndex < 4; pageIndex += 1) {
            const page = { limit, ...(after !== undefined && { after }) };
            const { rows, hasMore } = await listEvents(db, cache, ADMIN, { criteria, page });
            pages.push(rows.map(({ id }) => id));
            after = rows.at(-1)?.id;
            if (!hasMore) break;
          }
          expect(pages.flat()).toEqual(expected.slice(0, pages.flat().length));
          if (limit === 1_000) expect(pages.flat()).toEqual(expected);
        }
        const cache = createEventLogCache(db);
        const last = await listEvents(db, cache, ADMIN, {
          criteria,
          page: { limit, backward: true },
        });
        expect(last.rows.map(({ id }) => id)).toEqual(expected.slice(-limit));
        expect(last.hasMore).toBe(expected.length > limit);
      }
    },
  );

  test.each(FILTERS)(
    '%j: return exact totals, counted no further than requested',
    async (criteria, isMatch) => {
      const expected = idsWhere(isMatch).length;
      for (const upTo of [1, 5, 1_000]) {
        const cache = createEventLogCache(db);
        for (const _turn of [1, 2]) {
          expect(await countEventsUpTo(db, cache, ADMIN, { criteria, upTo })).toBe(
            Math.min(upTo, expected),
          );
        }
      }
      expect(await countEvents(db, createEventLogCache(db), ADMIN, criteria)).toBe(expected);
    },
  );

  const expectPagesOfOwners = async (criteria: EventCriteria, isMatch: (n: number) => boolean) => {
    const cache = createEventLogCache(db);
    const owners = {
      project: { keys: ['p0', 'p1', 'p2', 'none'], of: (n: number) => `p${n % 3}` },
      feature: {
        keys: numbers(40, () => true).map((n) => `f${n - 1}`),
        of: (n: number) => `f${n % 40}`,
      },
    } as const;
    for (const owner of ['project', 'feature'] as const) {
      const { keys, of } = owners[owner];
      const pages = await listEventsOf(db, cache, ADMIN, {
        owner,
        keys,
        criteria,
        page: { limit: 3 },
      });
      const totals = await countEventsOf(db, cache, ADMIN, { owner, keys, criteria });
      const bounded = await countEventsOf(db, cache, ADMIN, { owner, keys, criteria, upTo: 2 });
      for (const key of keys) {
        const expected = idsWhere((n) => isMatch(n) && of(n) === key);
        expect(pages.get(key)?.rows.map(({ id }) => id)).toEqual(expected.slice(0, 3));
        expect(pages.get(key)?.hasMore).toBe(expected.length > 3);
        expect(totals.get(key) ?? 0).toBe(expected.length);
        expect(bounded.get(key) ?? 0).toBe(Math.min(2, expected.length));
      }
    }
  };

  test.each(FILTERS)(
    '%j: return the same pages and totals of projects and features as a plain search',
    expectPagesOfOwners,
  );

  test('return the same pages and totals of projects and features with a text index', async () => {
    const { client } = await open();
    await addSpreadEvents(client);
    await client.$executeRaw`create index on events using gin ((data::jsonb))`;
    const own = db;
    db = client;
    try {
      for (const [criteria, isMatch] of FILTERS) await expectPagesOfOwners(criteria, isMatch);
    } finally {
      db = own;
    }
  });

  test.each(FILTERS)('%j: return the same activity as a plain count', async (criteria, isMatch) => {
    const range = {
      by: 'DAY' as const,
      from: new Date('2026-01-02'),
      to: new Date('2026-01-10'),
    };
    const within = numbers(COUNT, (n) => n >= 24 && n < 216 && isMatch(n));
    const activity = await getEventActivity(db, createEventLogCache(db), ADMIN, {
      criteria,
      range,
      buckets: true,
      byType: true,
      byAuthor: true,
    });
    expect(activity.count).toBe(within.length);
    expect(activity.buckets.map(({ count }) => count)).toEqual(
      Array.from(
        { length: 8 },
        (_, day) => within.filter((n) => Math.floor(n / 24) === day + 1).length,
      ),
    );
    const counts = new Map<string, number>();
    for (const n of within) counts.set(`user-${n % 30}`, (counts.get(`user-${n % 30}`) ?? 0) + 1);
    const ranked = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    expect(activity.byAuthor.map(({ createdBy, count }) => [createdBy, count])).toEqual(
      ranked.slice(0, 20),
    );
    expect(activity.byAuthorRemainder).toBe(
      ranked.slice(20).reduce((sum, [, count]) => sum + count, 0),
    );
    expect(activity.byType.reduce((sum, { count }) => sum + count, 0)).toBe(within.length);
  });

  /** A query that reads nothing, slowly. */
  const slowQuery = (
    key: string,
    caller: string,
    onPortion: () => void,
  ): CacheableQuery<number> => ({
    key,
    read: async () => {
      onPortion();
      await delay(30);
      return 1;
    },
    merge: (older, newer) => older + newer,
    nothing: 0,
    needsScan: async () => true,
    callers: new Set([caller]),
  });
  const readNewer = async ({ value }: { value: number }) => {
    const [{ mark }] = await db.$queryRaw<[{ mark: string }]>(
      Prisma.sql`select ${LOG_EPOCH} as mark`,
    );
    return { mark, result: value };
  };

  test('continue counting a shared total when the first caller disconnects', async () => {
    const cache = createEventLogCache(db);
    const controller = new AbortController();
    let portions = 0;
    const read = () =>
      cache.query(
        slowQuery('shared', 'one', () => portions++),
        readNewer,
      );
    const first = runAs(createWork(controller.signal), read);
    const second = runAs(createWork(), read);
    const outcomes = Promise.allSettled([first, second]);
    await delay(60);
    controller.abort();
    const [, outcome] = await outcomes;
    expect(outcome).toEqual({ status: 'fulfilled', value: portions });
    expect(cache.has({ key: 'shared' })).toBe(true);
  });

  test('stop counting a total when all its callers have disconnected', async () => {
    const cache = createEventLogCache(db);
    const controller = new AbortController();
    let portions = 0;
    const read = () =>
      cache.query(
        slowQuery('left', 'one', () => portions++),
        readNewer,
      );
    const queries = [1, 2].map(() => runAs(createWork(controller.signal), read));
    const outcomes = Promise.allSettled(queries);
    await delay(100);
    controller.abort();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'CancelledError' } });
    }
    const done = portions;
    await delay(200);
    expect(portions).toBe(done);
    expect(cache.has({ key: 'left' })).toBe(false);
    expect(await read()).toBeGreaterThan(1);
  });

  test('do not let one caller evict the totals of others', async () => {
    const cache = createEventLogCache(db);
    const read = (key: string, caller: string, weight: number) =>
      cache.query(
        {
          ...slowQuery(key, caller, () => undefined),
          needsScan: async () => false,
          weigh: () => weight,
        },
        readNewer,
      );
    await read('modest', 'modest', 1_000);
    for (let n = 0; n < 25; n += 1) await read(`greedy ${n}`, 'greedy', 10_000);
    expect(cache.has({ key: 'modest' })).toBe(true);
    expect(cache.has({ key: 'greedy 24' })).toBe(true);
    expect(cache.has({ key: 'greedy 0' })).toBe(false);
  });

  describe('by subscriptions', () => {
    const begin = async (
      feed: ReturnType<typeof createEventFeed>,
      actor: Actor,
      after?: number,
    ) => {
      const controller = new AbortController();
      const events = await runAs(createWork(controller.signal), () =>
        followEvents(db, feed, actor, {
          criteria: {},
          after,
          renewActor: async () => actor,
          signal: controller.signal,
        }),
      );
      return {
        next: () => runAs(createWork(controller.signal), () => events.next()),
        controller,
      };
    };

    test('continue when the first subscription disconnects', async () => {
      const feed = createEventFeed(createSettledLog(db), { pollEveryMs: 20 });
      const first = await begin(feed, ADMIN);
      const second = await begin(feed, ADMIN);
      first.controller.abort();
      await delay(100);
      const next = second.next();
      await delay(100);
      const data = { type: 'feature-updated', createdBy: 'x', id: (COUNT + 1) * STEP };
      await db.event.create({ data });
      expect((await next).value).toMatchObject({ event: { id: data.id } });
      await db.event.delete({ where: { id: data.id } });
      feed.close();
    });

    test('run two at a time per caller for past events, without delaying other callers or live events', async () => {
      const feed = createEventFeed(createSettledLog(db), { pollEveryMs: 20 });
      const heavy = await Promise.all([1, 2, 3, 4].map(() => begin(feed, actorNamed('greedy'), 0)));
      const isServed = heavy.map(() => false);
      const served = heavy.map(async ({ next }, index) => {
        await next().catch(() => undefined);
        isServed[index] = true;
      });
      await expect.poll(() => isServed.filter(Boolean)).toHaveLength(2);
      await delay(300);
      expect(isServed.filter(Boolean)).toHaveLength(2);

      const light = await begin(feed, actorNamed('modest'), 0);
      expect((await light.next()).value).toMatchObject({ event: { id: STEP } });
      const present = await begin(feed, actorNamed('greedy'));
      const next = present.next();
      await delay(100);
      const data = { type: 'feature-updated', createdBy: 'x', id: (COUNT + 2) * STEP };
      const recorded = performance.now();
      await db.event.create({ data });
      expect((await next).value).toMatchObject({ event: { id: data.id } });
      expect(performance.now() - recorded).toBeLessThan(1_000);

      heavy[isServed.indexOf(true)]?.controller.abort();
      await heavy[isServed.indexOf(true)]?.next().catch(() => undefined);
      await expect.poll(() => isServed.filter(Boolean)).toHaveLength(3);
      feed.close();
      for (const { controller } of heavy) controller.abort();
      await Promise.all(served);
      await db.event.delete({ where: { id: data.id } });
    });
  });
});
