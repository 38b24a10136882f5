import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Db } from '../../src/data/db.js';
import { createEventFeed, type Follower } from '../../src/domain/events/event-feed.js';
import { followEvents } from '../../src/domain/events/follow-events.js';
import { createSettledLog } from '../../src/domain/events/settled-log.js';
import { actorWho } from '../testkit/actors.js';
import { describeOnBothDatabases } from '../testkit/database.js';

const MOST = 1_000;
const MOST_PER_TOKEN = 20;

describeOnBothDatabases('the feed of the log', (open) => {
  let db: Db;
  beforeAll(async () => {
    db = (await open()).client;
  });

  test('takes so many followers and no more, and gives the place of one who left to another', async () => {
    const feed = createEventFeed(createSettledLog(db));
    const followers: Follower[] = [];
    for (let number = 0; number < MOST; number += 1) {
      followers.push(await feed.join(`token ${Math.floor(number / MOST_PER_TOKEN)}`));
    }
    await expect(feed.join('another token')).rejects.toMatchObject({
      name: 'OverloadedError',
      message: expect.stringContaining(`${MOST} subscriptions`),
    });
    const [first, ...others] = followers;
    first?.leave();
    // Who leaves twice gives no second place away.
    first?.leave();
    others.push(await feed.join('another token'));
    await expect(feed.join('another token')).rejects.toThrow(`${MOST} subscriptions`);
    for (const follower of others) follower.leave();
  });

  test('shows nobody what was read for him before he was allowed less', async () => {
    const record = async (projectId: string | null) => {
      const data = { type: 'feature-updated', createdBy: 'x', featureName: 'f', projectId };
      return (await db.event.create({ data })).id;
    };
    const before = await record('web');
    const [first, , last] = [await record('web'), await record(null), await record('web')];
    const events = await followEvents(db, createEventFeed(createSettledLog(db)), actorWho(true), {
      criteria: { features: ['f'] },
      after: before,
      renewActor: async () => actorWho(false),
      signal: new AbortController().signal,
    });
    expect((await events.next()).value).toMatchObject({ event: { id: first } });
    // Who calls is asked for anew every five seconds.
    await delay(5_100);
    expect((await events.next()).value).toMatchObject({
      event: { id: last },
      actor: { seesAllEvents: false },
    });
    await events.return?.();
  });

  test('that is closed sends everybody home and lets nobody in', async () => {
    const feed = createEventFeed(createSettledLog(db));
    const follower = await feed.join('token');
    const waiting = follower.waitBeyond(follower.drawn);
    feed.close();
    expect(await waiting).toBe(false);
    await expect(feed.join('token')).rejects.toMatchObject({
      name: 'OverloadedError',
      message: expect.stringContaining('about to stop'),
    });
    follower.leave();
  });
});
