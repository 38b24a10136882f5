import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Db } from '../../../src/data/db.js';
import { createEventFeed, type Follower } from '../../../src/domain/events/event-feed.js';
import { followEvents } from '../../../src/domain/events/follow-events.js';
import { createSettledLog } from '../../../src/domain/events/settled-log.js';
import { readFollowed } from '../../../src/domain/events/subscription-page.js';
import { userActor } from '../../testkit/actors.js';
import { describeWithDatabase } from '../../testkit/database.js';

const MOST = 1_000;
const MOST_PER_TOKEN = 20;

describeWithDatabase('the event feed', (open) => {
  let db: Db;
  beforeAll(async () => {
    db = (await open()).client;
  });

  test('limits subscriptions, and frees the slot of one that ended', async () => {
    const feed = createEventFeed(createSettledLog(db));
    const followers: Follower[] = [];
    for (let number = 0; number < MOST; number += 1) {
      followers.push(await feed.join(`token ${Math.floor(number / MOST_PER_TOKEN)}`));
    }
    // The more subscriptions, the less each of them may buffer.
    expect(feed.pageCharacters()).toBe(50_000);
    await expect(feed.join('another token')).rejects.toMatchObject({
      name: 'OverloadedError',
      message: expect.stringContaining(`${MOST}`),
    });
    const [first, ...others] = followers;
    first?.leave();
    // Leaving twice frees only one slot.
    first?.leave();
    others.push(await feed.join('another token'));
    await expect(feed.join('another token')).rejects.toThrow(`${MOST}`);
    for (const follower of others) follower.leave();
    expect(feed.pageCharacters()).toBe(500_000);
  });

  test('drops buffered events that the caller may no longer see', async () => {
    const record = async (projectId: string | null) => {
      const data = { type: 'feature-updated', createdBy: 'x', featureName: 'f', projectId };
      return (await db.event.create({ data })).id;
    };
    const before = await record('web');
    const [first, , last] = [await record('web'), await record(null), await record('web')];
    const events = await followEvents(db, createEventFeed(createSettledLog(db)), userActor(true), {
      criteria: { features: ['f'] },
      after: before,
      renewActor: async () => userActor(false),
      signal: new AbortController().signal,
    });
    expect((await events.next()).value).toMatchObject({ event: { id: first } });
    // The caller is authenticated again every five seconds.
    await delay(5_100);
    expect((await events.next()).value).toMatchObject({
      event: { id: last },
      actor: { seesAllEvents: false },
    });
    await events.return?.();
  });

  test('reads pages of bounded size, of a single event where events are large', async () => {
    const feed = createEventFeed(createSettledLog(db));
    const record = async (featureName: string, length: number) => {
      const event = { type: 'feature-updated', createdBy: 'x', featureName };
      const data = Array.from({ length: 3 }, () => ({
        ...event,
        data: { text: 'x'.repeat(length) },
      }));
      await db.event.createMany({ data });
    };
    const nextLimitOf = async (featureName: string) => {
      const part = { after: 0, bound: 2_000_000_000, limit: 3, isPast: false };
      const query = { criteria: { features: [featureName] } };
      return (await readFollowed(db, feed, userActor(true), query, part)).nextLimit;
    };
    await record('small', 10);
    await record('middle', 50_000);
    await record('large', 600_000);
    expect(await nextLimitOf('none')).toBe(10);
    expect(await nextLimitOf('small')).toBe(100);
    expect(await nextLimitOf('middle')).toBe(9);
    expect(await nextLimitOf('large')).toBe(1);
  });

  test('closes all subscriptions and rejects new ones when it is closed', async () => {
    const feed = createEventFeed(createSettledLog(db));
    const follower = await feed.join('token');
    const waiting = follower.waitBeyond(follower.drawn);
    feed.close();
    expect(await waiting).toBe(false);
    await expect(feed.join('token')).rejects.toMatchObject({
      name: 'OverloadedError',
      message: expect.stringContaining('shutting down'),
    });
    follower.leave();
  });
});
