import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { type Db, Prisma } from '../../../src/data/db.js';
import { createEventFeed } from '../../../src/domain/events/event-feed.js';
import { createEventLogCache } from '../../../src/domain/events/event-log-cache.js';
import { countEvents } from '../../../src/domain/events/event-matches.js';
import { type FollowedEvent, followEvents } from '../../../src/domain/events/follow-events.js';
import { listEvents } from '../../../src/domain/events/list-events.js';
import { createSettledLog } from '../../../src/domain/events/settled-log.js';
import { userActor } from '../../testkit/actors.js';
import { createMigratedDatabase } from '../../testkit/database.js';
import { createRoutedDb, readsWatermark } from '../../testkit/routed-db.js';

const ADMIN = userActor(true);

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const openServer = async (): Promise<Db> => {
  const { url, drop } = await createMigratedDatabase();
  cleanUps.push(drop);
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  cleanUps.push(database.close);
  return database.client;
};

/** Records the same events in every log, like replication. */
const record = async (logs: readonly Db[], first: number, last: number): Promise<void> => {
  for (const log of logs) {
    await log.$executeRaw(Prisma.sql`
      insert into events (id, type, created_by, project, created_at)
      select n, 'feature-updated', 'writer', 'default', timestamptz '2026-01-01' + n * interval '1 minute'
      from generate_series(${first}::int, ${last}::int) n`);
    await log.$executeRaw(
      Prisma.sql`select setval('events_id_seq', greatest(${last}::int, (select last_value from events_id_seq)))`,
    );
  }
};

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** An old primary and the promoted standby, with separate routing for watermark checks and reads. */
const openPair = async () => {
  const [old, promoted] = [await openServer(), await openServer()];
  const route = { look: old, read: old };
  const db = createRoutedDb((statement) => (readsWatermark(statement) ? route.look : route.read));
  return {
    old,
    promoted,
    db,
    routeTo: (watermark: Db, read: Db) => Object.assign(route, { look: watermark, read }),
  };
};

const follow = async (db: Db, log = createSettledLog(db)) => {
  const ending = new AbortController();
  const feed = createEventFeed(log, { pollEveryMs: 20 });
  const events = await followEvents(db, feed, ADMIN, {
    criteria: {},
    after: 0,
    renewActor: async () => ADMIN,
    signal: ending.signal,
  });
  const ids: number[] = [];
  let failure: Error | null = null;
  const done = (async () => {
    for await (const { event } of events as AsyncIterable<FollowedEvent>) ids.push(event.id);
  })().catch((error: Error) => {
    failure = error;
  });
  cleanUps.push(async () => {
    ending.abort();
    feed.close();
    await done;
  });
  return { ids, failure: () => failure };
};

describe('a subscription during a failover', () => {
  test('misses no event while the watermark comes from the new primary and reads from the old one', async () => {
    const { old, promoted, db, routeTo } = await openPair();
    await record([old, promoted], 1, 5);
    const { ids, failure } = await follow(db);
    await expect.poll(() => ids).toEqual(range(1, 5));

    await record([promoted], 6, 10);
    routeTo(promoted, old);
    await delay(1_000);
    expect([ids, failure()]).toEqual([range(1, 5), null]);

    routeTo(promoted, promoted);
    await expect.poll(() => ids).toEqual(range(1, 10));
    await record([promoted], 11, 12);
    await expect.poll(() => ids).toEqual(range(1, 12));
    expect(failure()).toBeNull();
  });

  test('does not return to a replaced primary', async () => {
    const { old, promoted, db, routeTo } = await openPair();
    await record([old, promoted], 1, 5);
    const { ids, failure } = await follow(db);
    await expect.poll(() => ids).toEqual(range(1, 5));
    await record([promoted], 6, 10);
    routeTo(promoted, promoted);
    await expect.poll(() => ids).toEqual(range(1, 10));

    routeTo(old, old);
    await delay(1_000);
    expect([ids, failure()]).toEqual([range(1, 10), null]);
    await record([promoted], 11, 11);
    routeTo(promoted, promoted);
    await expect.poll(() => ids).toEqual(range(1, 11));
  });

  test('fails when it has sent events that the new primary lacks, although its sequence is ahead', async () => {
    const { old, promoted, db, routeTo } = await openPair();
    await record([old, promoted], 1, 5);
    await record([old], 6, 8);
    const { ids, failure } = await follow(db);
    await expect.poll(() => ids).toEqual(range(1, 8));

    await promoted.$executeRaw`select setval('events_id_seq', 38)`;
    await record([promoted], 39, 40);
    routeTo(promoted, promoted);
    await expect.poll(failure).toMatchObject({
      name: 'InvalidOperationError',
      message: expect.stringContaining('lost events'),
    });
    expect(ids).toEqual(range(1, 8));
  });

  test('continues when the new primary has all events, although its sequence is ahead', async () => {
    const { old, promoted, db, routeTo } = await openPair();
    await record([old, promoted], 1, 8);
    const { ids, failure } = await follow(db);
    await expect.poll(() => ids).toEqual(range(1, 8));
    await promoted.$executeRaw`select setval('events_id_seq', 38)`;
    await record([promoted], 39, 40);
    routeTo(promoted, promoted);
    await expect.poll(() => ids).toEqual([...range(1, 8), 39, 40]);
    expect(failure()).toBeNull();
  });

  test('fails when the old primary keeps serving reads for too long', async () => {
    const { old, promoted, db, routeTo } = await openPair();
    await record([old, promoted], 1, 5);
    const { ids, failure } = await follow(db);
    await expect.poll(() => ids).toEqual(range(1, 5));
    await record([promoted], 6, 6);
    routeTo(promoted, old);
    await expect.poll(failure, { timeout: 20_000 }).toMatchObject({ name: 'OverloadedError' });
    expect(ids).toEqual(range(1, 5));
  });
});

describe('pages and totals during a failover', () => {
  test('never come from a replaced primary', async () => {
    const { old, promoted, db, routeTo } = await openPair();
    await record([old, promoted], 1, 5);
    const log = createSettledLog(db);
    const memory = createEventLogCache(db, { log });
    const count = () => countEvents(db, memory, ADMIN, {});
    const page = async () => {
      const { rows } = await listEvents(db, memory, ADMIN, { criteria: {}, page: { limit: 10 } });
      return rows.map(({ id }) => id).reverse();
    };
    expect([await count(), await page()]).toEqual([5, range(1, 5)]);

    await record([promoted], 6, 9);
    routeTo(promoted, old);
    await log.poll();
    for (const read of [count, page]) {
      await expect(read()).rejects.toMatchObject({ name: 'OverloadedError' });
    }
    routeTo(promoted, promoted);
    expect([await count(), await page()]).toEqual([9, range(1, 9)]);
  });
});

describe('an unresponsive server', () => {
  test('ends subscriptions with an error, and does not block reads once another server responds', async () => {
    const { old, promoted, routeTo, db } = await openPair();
    await record([old, promoted], 1, 3);
    let isSilent = false;
    const silent = createRoutedDb(
      () => ({ $queryRaw: () => new Promise(() => undefined) }) as never,
    );
    const way = createRoutedDb(() => (isSilent ? silent : db));
    const log = createSettledLog(way);
    const { ids, failure } = await follow(way, log);
    await expect.poll(() => ids).toEqual(range(1, 3));

    isSilent = true;
    const startedAt = performance.now();
    await expect.poll(failure, { timeout: 20_000 }).toMatchObject({ code: 'P1008' });
    expect(performance.now() - startedAt).toBeLessThan(20_000);

    isSilent = false;
    routeTo(promoted, promoted);
    expect(await log.poll()).toMatchObject({ settled: { bound: 3 } });
  });
});
