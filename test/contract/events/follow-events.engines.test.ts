import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { findWatermark } from '../../../src/cli/events/find-watermark.js';
import { findUpperBound } from '../../../src/cli/export/upper-bound.js';
import { openGateway } from '../../../src/cli/gateway/open-gateway.js';
import { readLatest } from '../../../src/cli/tail/read-latest.js';
import { openDatabase } from '../../../src/data/connect.js';
import { type Db, Prisma } from '../../../src/data/db.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, startGateway } from '../../testkit/app.js';
import { createMigratedDatabase, describeOn } from '../../testkit/database.js';
import { type EventStream, openEventStream } from '../../testkit/event-stream.js';

/** The intervals of the event feed. */
const POLL_EVERY_MS = 200;
const RENEW_EVERY_MS = 5_000;

const FOLLOW = `subscription Follow($filter: EventFilter, $after: String) {
  events(filter: $filter, after: $after) { cursor node { id typeName featureName projectId data } }
}`;
const PAGE = `query Page($filter: EventFilter, $first: Int) {
  events(filter: $filter, first: $first) { edges { cursor node { id } } }
}`;

const streams: EventStream[] = [];
const open = async (...args: Parameters<typeof openEventStream>) => {
  const stream = await openEventStream(...args);
  streams.push(stream);
  return stream;
};
afterEach(async () => {
  await Promise.all(streams.splice(0).map((stream) => stream.close()));
});

/** Opens as many streams as one token may have, and closes them again if any was rejected. */
const openAll = async (url: string) => {
  const opened = await Promise.all(Array.from({ length: 20 }, () => open(url, FOLLOW)));
  const rejected = opened.filter(({ status }) => status !== 200);
  if (rejected.length > 0) await Promise.all(opened.map((stream) => stream.close()));
  return { opened, refused: rejected.length };
};

const record = async (
  db: Db,
  { type = 'feature-updated', feature = 'followed', project = 'default' as string | null } = {},
): Promise<number> => {
  const [row] = await db.$queryRaw<[{ id: number }]>(Prisma.sql`
    insert into events (type, created_by, project, feature_name, data)
    values (${type}, 'somebody', ${project}, ${feature}, '{"n": 1}') returning id`);
  return row.id;
};

const idsOf = (results: readonly { data?: { events: { node: { id: number } } } }[]) =>
  results.map(({ data }) => data?.events.node.id);

describeWithDemo(
  'subscriptions to events',
  ({ gateway, database, statementsOf }) => {
    const url = () => gateway().url;
    const db = () => database().client;
    const cursors = async (first: number, filter: object = {}): Promise<string[]> => {
      const { data } = await gateway().graphql(PAGE, { first, filter });
      return data.events.edges.map(({ cursor }: { cursor: string }) => cursor);
    };

    test('deliver new events as they are written', async () => {
      const stream = await open(url(), FOLLOW);
      expect(stream.status).toBe(200);
      expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(stream.headers.get('content-encoding')).toBeNull();
      const id = await record(db(), { feature: 'first' });
      expect(await stream.next()).toMatchObject({
        data: {
          events: {
            cursor: expect.any(String),
            node: { id, typeName: 'feature-updated', featureName: 'first', data: { n: 1 } },
          },
        },
      });
    });

    test('with a cursor deliver the events since, oldest first, and then new ones', async () => {
      const newest = await cursors(30);
      const expected = await gateway().graphql(PAGE, { first: 29 });
      const stream = await open(url(), FOLLOW, { after: newest.at(-1) });
      const older = idsOf(await stream.take(29));
      expect(older).toEqual(
        expected.data.events.edges.map(({ node }: { node: { id: number } }) => node.id).reverse(),
      );
      const id = await record(db());
      expect(idsOf(await stream.take(1))).toEqual([id]);
    });

    test('resume after the last cursor when the connection was lost', async () => {
      const first = await open(url(), FOLLOW);
      const ids = [await record(db()), await record(db()), await record(db())];
      const [one] = await first.take(1);
      await first.close();
      const second = await open(url(), FOLLOW, { after: one?.data.events.cursor });
      expect([...idsOf(one ? [one] : []), ...idsOf(await second.take(2))]).toEqual(ids);
    });

    test('resume from the cursor of eventLog for a filter without matches', async () => {
      const filter = { featureName: { is: 'unheard-of' } };
      const query = 'query ($filter: EventFilter) { eventLog { cursor(filter: $filter) } }';
      const { data } = await gateway().graphql(query, { filter });
      const id = await record(db(), { feature: 'unheard-of' });
      const after = data.eventLog.cursor;
      const stream = await open(url(), FOLLOW, { filter, after });
      expect(idsOf(await stream.take(1))).toEqual([id]);
      const foreign = await open(url(), FOLLOW, { after });
      expect((await foreign.next())?.errors?.[0].message).toContain('another filter');
    });

    test('apply the filter to past and new events', async () => {
      const filter = { featureName: { is: 'wanted' }, type: { is: 'FEATURE_TAGGED' } };
      await record(db(), { feature: 'wanted', type: 'feature-tagged' });
      const [after] = await cursors(1, filter);
      const old = await record(db(), { feature: 'wanted', type: 'feature-tagged' });
      const stream = await open(url(), FOLLOW, { filter, after });
      expect(idsOf(await stream.take(1))).toEqual([old]);
      await record(db(), { feature: 'other', type: 'feature-tagged' });
      await record(db(), { feature: 'wanted' });
      const id = await record(db(), { feature: 'wanted', type: 'feature-tagged' });
      expect(idsOf(await stream.take(1))).toEqual([id]);
    });

    test('find text in past and new events', async () => {
      const filter = { text: 'Needle of the log' };
      const hide = async (): Promise<number> => {
        const [row] = await db().$queryRaw<[{ id: number }]>(Prisma.sql`
          insert into events (type, created_by, project, data)
          values ('feature-updated', 'somebody', 'default', '["needle of the LOG"]') returning id`);
        await record(db());
        return row.id;
      };
      await hide();
      const [after] = await cursors(1, filter);
      const old = await hide();
      const stream = await open(url(), FOLLOW, { filter, after });
      expect(idsOf(await stream.take(1))).toEqual([old]);
      const id = await hide();
      expect(idsOf(await stream.take(1))).toEqual([id]);
    });

    test('find text in events that are far apart', async () => {
      const filter = { text: 'far-away-feature' };
      const hide = async () => {
        // Many more IDs than one read covers.
        await db().$queryRaw`
          select setval(pg_get_serial_sequence('events', 'id'), (select max(id) + 90000 from events))`;
        const [row] = await db().$queryRaw<[{ id: number }]>(Prisma.sql`
          insert into events (type, created_by, project, data)
          values ('feature-updated', 'somebody', 'default', '["far-away-feature"]') returning id`);
        return row.id;
      };
      await hide();
      const [after] = await cursors(1, filter);
      const ids = [await hide(), await hide()];
      const stream = await open(url(), FOLLOW, { filter, after });
      expect(idsOf(await stream.take(2))).toEqual(ids);
      ids.push(await hide());
      expect(idsOf(await stream.take(1))).toEqual(ids.slice(2));
    });

    test('deliver events without a project only to callers who may see them', async () => {
      const member = await open(url(), FOLLOW, {}, { token: DEMO_TOKENS.viewer });
      const admin = await open(url(), FOLLOW);
      const hidden = await record(db(), { project: null });
      const visible = await record(db());
      expect(idsOf(await admin.take(2))).toEqual([hidden, visible]);
      expect(idsOf(await member.take(1))).toEqual([visible]);
    });

    test('reload related objects for every event', async () => {
      const { name } = await db().feature.findFirstOrThrow({ where: { archivedAt: null } });
      const stream = await open(
        url(),
        'subscription { events { node { feature { description } } } }',
      );
      for (const description of ['before', 'after']) {
        await db().feature.update({ where: { name }, data: { description } });
        await record(db(), { feature: name });
        expect(await stream.next()).toEqual({
          data: { events: { node: { feature: { description } } } },
        });
      }
    });

    test('accept GET, for browsers', async () => {
      const stream = await open(url(), FOLLOW, {}, { method: 'GET' });
      const id = await record(db());
      expect(idsOf(await stream.take(1))).toEqual([id]);
    });

    test('send comments as heartbeats while idle', async () => {
      const stream = await open(url(), FOLLOW);
      const waiting = stream.next();
      await expect.poll(() => stream.text().match(/^:\n\n/gm)?.length ?? 0).toBeGreaterThan(2);
      await record(db());
      await waiting;
    });

    test.each([
      ['a cursor of another filter', { after: 'FILTERED' }, 'another list, or of another filter'],
      ['an invalid cursor', { after: 'nonsense' }, 'not a cursor'],
      ['text that cannot be stored', { filter: { text: 'a\u0000b' } }, 'text'],
      ['too many values', { filter: { id: { anyOf: Array(4_000).fill(1) } } }, 'anyOf'],
    ])('reject %s at once', async (_name, variables, message) => {
      const [foreign] = await cursors(1, { projectId: { is: 'default' } });
      const after = 'after' in variables && variables.after === 'FILTERED' ? foreign : undefined;
      const stream = await open(url(), FOLLOW, { ...variables, ...(after && { after }) });
      const result = await stream.next();
      expect(result?.errors?.[0].message).toContain(message);
      expect(result?.errors?.[0].extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        name: 'BadDataError',
        id: expect.any(String),
      });
      expect(await stream.next()).toBeNull();
      expect(stream.isComplete()).toBe(true);
    });

    test.each([
      ['id', { id: { from: 10, before: 5 } }],
      ['id', { id: { anyOf: [] } }],
      ['id', { id: { is: 3, from: 4 } }],
      ['id', { and: [{ id: { from: 10 } }, { id: { before: 10 } }] }],
      [
        'createdAt',
        { createdAt: { from: '2100-01-02T00:00:00Z', before: '2100-01-01T00:00:00Z' } },
      ],
      ['createdByUserId', { createdByUserId: { is: 1, noneOf: [1] } }],
      ['featureName', { featureName: { is: 'a' }, and: [{ featureName: { anyOf: ['b', 'c'] } }] }],
      ['type', { type: { is: 'FEATURE_CREATED', category: ['PROJECT'] } }],
      ['or', { or: [] }],
      ['not', { not: {} }],
    ])('reject a filter that contradicts itself in %s: %j', async (name, filter) => {
      const stream = await open(url(), FOLLOW, { filter });
      const [error] = (await stream.next())?.errors ?? [];
      expect(error?.message).toBe(
        `No event can match this filter: its conditions on '${name}' exclude every value.`,
      );
      expect(error?.extensions.code).toBe('BAD_USER_INPUT');
    });

    test.each([
      ['id', { id: { before: 5 } }],
      ['id', { id: { anyOf: [1, 5] } }],
      ['createdAt', { createdAt: { before: '2001-01-01T00:00:00Z' } }],
    ])('reject a filter that matches only past events by %s: %j', async (name, filter) => {
      const stream = await open(url(), FOLLOW, { filter });
      const [error] = (await stream.next())?.errors ?? [];
      expect(error?.message).toContain(`already past its range of '${name}'`);
      expect(error?.extensions.code).toBe('BAD_USER_INPUT');
    });

    test('end with a message after the last event that can match', async () => {
      const first = await record(db());
      const numbered = { id: { before: first + 3 } };
      const following = await open(url(), FOLLOW, { filter: numbered });
      const ids = [await record(db()), await record(db())];
      expect(idsOf(await following.take(2))).toEqual(ids);
      const old = { createdAt: { from: '2001-01-01T00:00:00Z', before: '2002-01-01T00:00:00Z' } };
      const [at] = await Promise.all([
        gateway().graphql('query ($old: EventFilter) { eventLog { cursor(filter: $old) } }', {
          old,
        }),
        record(db()),
      ]);
      const timed = await open(url(), FOLLOW, { filter: old, after: at.data.eventLog.cursor });
      for (const stream of [following, timed]) {
        const last = await stream.next();
        expect(last?.errors?.[0].message).toContain('no further event can match the filter');
        expect(last?.errors?.[0].extensions.code).toBe('INVALID_OPERATION');
        expect(await stream.next()).toBeNull();
        expect(stream.isComplete()).toBe(true);
      }
    });

    test.each(['@skip(if: true)', '@include(if: false)'])(
      'reject directives that can exclude the only field (%s)',
      async (directive) => {
        for (const query of [
          `subscription { events ${directive} { cursor } }`,
          `subscription { ... ${directive} { events { cursor } } }`,
        ]) {
          const stream = await open(url(), query);
          const result = await stream.next();
          expect(result?.errors?.[0].message).toContain('must not have @');
          expect(stream.status).toBeLessThan(500);
        }
      },
    );

    test('reject a cursor beyond the end of the log', async () => {
      const id = await record(db());
      const [newest] = await cursors(1);
      await db().$executeRaw`delete from events where id = ${id}`;
      // As in a database restored from a backup, where this ID was never assigned.
      await db().$queryRaw`select setval(pg_get_serial_sequence('events', 'id'), ${id - 1}::int)`;
      const stream = await open(url(), FOLLOW, { after: newest });
      expect((await stream.next())?.errors?.[0].message).toContain('end of the log');
    });

    test('accept the cursor of a deleted event', async () => {
      const first = await open(url(), FOLLOW);
      const deleted = [await record(db()), await record(db())];
      const cursor = (await first.take(2)).at(-1)?.data.events.cursor;
      await db().$executeRaw`delete from events where id = any(${deleted})`;
      const second = await open(url(), FOLLOW, { after: cursor });
      const id = await record(db());
      expect(idsOf(await second.take(1))).toEqual([id]);
    });

    test('continue when the newest event is deleted', async () => {
      const stream = await open(url(), FOLLOW);
      const deleted = await record(db());
      expect(idsOf(await stream.take(1))).toEqual([deleted]);
      await db().$executeRaw`delete from events where id = ${deleted}`;
      // The second of two polls has started after the deletion.
      let polls = 0;
      const countPolls = async () => {
        const statements = await statementsOf(() => delay(POLL_EVERY_MS));
        polls += statements.filter((sql) => sql.includes('pg_locks')).length;
        return polls;
      };
      await expect.poll(countPolls).toBeGreaterThan(1);
      const id = await record(db());
      expect(idsOf(await stream.take(1))).toEqual([id]);
    });

    test('end with a message when event IDs are reused', async () => {
      const stream = await open(url(), FOLLOW);
      const deleted = await record(db());
      expect(idsOf(await stream.take(1))).toEqual([deleted]);
      await db().$transaction([
        db().$executeRaw`delete from events where id = ${deleted}`,
        db().$queryRaw`select setval(pg_get_serial_sequence('events', 'id'), ${deleted - 1}::int)`,
      ]);
      expect((await stream.next())?.errors?.[0].message).toContain('lost events');
      expect(await stream.next()).toBeNull();
    });

    test('require a token', async () => {
      for (const token of [null, 'user:nobody']) {
        const stream = await open(url(), FOLLOW, {}, { token });
        expect(stream.status).toBe(401);
      }
    });

    test('are rejected when the client does not accept event streams', async () => {
      const rejecting = ['text/event-stream;q=0', 'text/event-stream; Q=0.000, */*;q=0.5'];
      for (const accept of ['application/json', '*/*', ...rejecting]) {
        const { errors, headers } = await gateway().graphql(FOLLOW, {}, { headers: { accept } });
        expect(errors?.[0].message).toContain('Accept: text/event-stream');
        expect(errors?.[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
        expect(headers.get('content-type')).toMatch(/^application\/.*json/);
      }
    });

    test('are served to clients that accept text/*', async () => {
      for (const accept of ['text/*', 'application/json;q=0.5, Text/*;q=0.9']) {
        const stream = await open(url(), FOLLOW, {}, { headers: { accept } });
        expect(stream.status).toBe(200);
        expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
        const id = await record(db());
        expect(idsOf(await stream.take(1))).toEqual([id]);
      }
    });

    test('return 406 with the supported types when none is acceptable', async () => {
      for (const query of [FOLLOW, '{ viewer { kind } }']) {
        const { status, errors, headers } = await gateway().graphql(
          query,
          {},
          { headers: { accept: 'text/event-streams' } },
        );
        expect(status).toBe(406);
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(errors?.[0].message).toContain('text/event-stream.');
        expect(errors?.[0].extensions).toMatchObject({
          code: 'BAD_USER_INPUT',
          name: 'BadDataError',
          id: expect.any(String),
        });
      }
    });

    test('do not turn queries into streams when event streams are excluded', async () => {
      for (const accept of ['text/event-stream;q=0', 'text/event-stream;q=0.0,application/json']) {
        const { data, headers } = await gateway().graphql(
          '{ viewer { kind } }',
          {},
          { headers: { accept } },
        );
        expect(data.viewer.kind).toBe('ADMIN_TOKEN');
        expect(headers.get('content-type')).toMatch(/^application\/.*json/);
      }
    });

    test('are limited to twenty per token', async () => {
      const following = await Promise.all(Array.from({ length: 20 }, () => open(url(), FOLLOW)));
      const rejected = await open(url(), FOLLOW);
      expect((await rejected.next())?.errors?.[0].extensions.code).toBe('LIMIT_EXCEEDED');
      const other = await open(url(), FOLLOW, {}, { token: DEMO_TOKENS.viewer });
      const id = await record(db());
      expect(idsOf(await other.take(1))).toEqual([id]);
      await following[0]?.close();
      await expect
        .poll(async () => {
          const stream = await open(url(), FOLLOW);
          const waiting = stream.next();
          await record(db());
          return (await waiting)?.errors ?? 'let in';
        })
        .toBe('let in');
    });

    test('of clients that disconnect early do not count towards the limit', async () => {
      for (let round = 0; round < 40; round += 1) {
        const ending = new AbortController();
        setTimeout(() => ending.abort(), round % 10);
        await fetch(`${url()}/graphql`, {
          method: 'POST',
          headers: {
            authorization: DEMO_TOKENS.admin,
            accept: 'text/event-stream',
            'content-type': 'application/json',
          },
          body: JSON.stringify({ query: FOLLOW }),
          signal: ending.signal,
        })
          .then((response) => response.text())
          .catch(() => undefined);
      }
      await expect.poll(async () => (await openAll(url())).refused).toBe(0);
    });

    test('share one poll of the log, which stops with the last subscription', async () => {
      const token = DEMO_TOKENS.viewer;
      const following = await Promise.all(
        Array.from({ length: 10 }, () => open(url(), FOLLOW, {}, { token })),
      );
      const startedAt = performance.now();
      const statements = await statementsOf(() => delay(2_000));
      const polls = statements.filter((sql) => sql.includes('pg_locks'));
      expect(polls.length).toBeLessThanOrEqual((performance.now() - startedAt) / POLL_EVERY_MS + 1);
      expect(statements.filter((sql) => sql.includes('from events e'))).toEqual([]);
      let id = 0;
      const reads = await statementsOf(async () => {
        id = await record(db());
        for (const stream of following) expect(idsOf(await stream.take(1))).toEqual([id]);
      });
      // A caller never joins a read in flight, so there can be a second one.
      expect(reads.filter((sql) => sql.includes('from events e')).length).toBeLessThanOrEqual(2);
      await Promise.all(following.map((stream) => stream.close()));
      await expect.poll(() => statementsOf(() => delay(1_000))).toEqual([]);
    });

    test('of one token share the token checks', async () => {
      const token = DEMO_TOKENS.viewer;
      for (let count = 0; count < 20; count += 1) {
        await open(url(), FOLLOW, {}, { token });
        await delay(20);
      }
      const startedAt = performance.now();
      const statements = await statementsOf(() => delay(RENEW_EVERY_MS + 1_000));
      const checks = statements.filter((sql) => sql.includes('personal_access_tokens'));
      expect(checks.length).toBeGreaterThan(0);
      // Two per interval: a caller never joins a check in flight.
      const times = Math.floor((performance.now() - startedAt) / RENEW_EVERY_MS) + 1;
      expect(checks.length).toBeLessThanOrEqual(2 * times);
    });

    test('end with a message when the token is revoked', async () => {
      const secret = 'user:followed-and-revoked';
      const user = await db().user.findFirstOrThrow({
        where: { isSystem: false, deletedAt: null },
      });
      await db().personalAccessToken.create({
        data: {
          secret,
          description: 'to be revoked',
          userId: user.id,
          expiresAt: new Date(Date.now() + 3_600_000),
        },
      });
      const stream = await open(url(), FOLLOW, {}, { token: secret });
      const id = await record(db());
      expect(idsOf(await stream.take(1))).toEqual([id]);
      await db().personalAccessToken.deleteMany({ where: { secret } });
      const last = await stream.next();
      expect(last?.errors?.[0].extensions.code).toBe('UNAUTHENTICATED');
      expect(await stream.next()).toBeNull();
      expect(stream.isComplete()).toBe(true);
    });
  },
  { LOG_LEVEL: 'silent' },
);

describeOn('postgres', 'a log with an open transaction at its end', () => {
  /** Starts a gateway while another session has an uncommitted event. */
  const begin = async () => {
    const { url: databaseUrl, drop } = await createMigratedDatabase('demo');
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl });
    const writer = new pg.Client({ connectionString: databaseUrl });
    await writer.connect();
    await writer.query('begin');
    await writer.query(`insert into events (type, created_by) values ('feature-created', 'slow')`);
    const gateway = await startGateway(database, {
      LOG_LEVEL: 'silent',
      REQUEST_TIMEOUT_MS: '1500',
    });
    const end = async () => {
      await gateway.stop();
      await database.close();
      await drop();
    };
    return { gateway, writer, db: database.client, end };
  };

  test('can be followed: the stream opens, sends heartbeats, and continues after the commit', async () => {
    const { gateway, writer, db, end } = await begin();
    const { data } = await gateway.graphql('{ eventLog { settledId canSettle cursor } }');
    expect(data.eventLog).toEqual({ settledId: null, canSettle: true, cursor: null });
    const page = await gateway.graphql(PAGE, { first: 3 });
    const [newest, , third] = page.data.events.edges;

    const live = await open(gateway.url, FOLLOW);
    const behind = await open(gateway.url, FOLLOW, { after: third.cursor });
    expect([live.status, behind.status]).toEqual([200, 200]);
    const backfill = behind.take(2);
    const waiting = live.next();
    for (const stream of [live, behind]) {
      await expect.poll(() => stream.text().match(/^:\n\n/gm)?.length).toBeGreaterThan(2);
      expect(stream.text()).not.toContain('event:');
    }

    await writer.query('commit');
    await writer.end();
    expect(idsOf(await backfill).at(-1)).toBe(newest.node.id);
    const id = await record(db, { feature: 'after-all' });
    const results = [await waiting];
    while (results.at(-1)?.data.events.node.id < id) results.push(await live.next());
    expect(results.at(-1)?.data.events.node.featureName).toBe('after-all');
    await end();
  });

  test('makes commands wait with one message', async () => {
    const { gateway, writer, end } = await begin();
    const client = await openGateway({ url: gateway.url, token: DEMO_TOKENS.admin, env: {} });
    let waits = 0;
    const finding = findWatermark(client, {
      signal: new AbortController().signal,
      onWait: () => {
        waits += 1;
      },
    });
    await expect.poll(() => waits).toBe(1);
    await delay(2_500);
    expect(waits).toBe(1);
    await writer.query('rollback');
    await writer.end();
    expect(await finding).toEqual({ id: expect.any(Number), cursor: expect.any(String) });
    expect(waits).toBe(1);
    await end();
  });

  test('is read by commands up to the watermark only, so that no event is missed', async () => {
    const { gateway, writer, db, end } = await begin();
    await writer.query('commit');
    const client = await openGateway({ url: gateway.url, token: DEMO_TOKENS.admin, env: {} });
    const options = { signal: new AbortController().signal, onWait: () => undefined };
    const settled = await findUpperBound(client, options);
    await writer.query('begin');
    const { rows } = await writer.query<{ id: number }>(
      `insert into events (type, created_by) values ('feature-created', 'slow') returning id`,
    );
    const younger = await record(db);

    expect(await findUpperBound(client, options)).toBe(settled);
    const latest = await readLatest(client, { filter: {}, last: 1, ...options });
    expect(latest.events.map(({ node }) => node.id)).toEqual([settled]);
    const stream = await open(gateway.url, FOLLOW, { filter: {}, after: latest.cursor });
    await writer.query('commit');
    await writer.end();
    expect(idsOf(await stream.take(2))).toEqual([rows[0]?.id, younger]);
    await end();
  });

  test('frees the slots of clients that disconnect before the commit', async () => {
    const { gateway, writer, end } = await begin();
    const { opened, refused: rejected } = await openAll(gateway.url);
    expect(rejected).toBe(0);
    await Promise.all(opened.map((stream) => stream.close()));
    await expect.poll(async () => (await openAll(gateway.url)).refused).toBe(0);
    await writer.end();
    await end();
  });
});

describeOn('postgres', 'a gateway that stops', () => {
  test('completes its subscriptions', async () => {
    const { url: databaseUrl, drop } = await createMigratedDatabase('demo');
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl });
    const gateway = await startGateway(database, { LOG_LEVEL: 'silent' });
    const stream = await open(gateway.url, FOLLOW);
    const waiting = stream.next();
    const stopping = gateway.stop();
    expect(await waiting).toBeNull();
    expect(stream.isComplete()).toBe(true);
    await stopping;
    await database.close();
    await drop();
  });
});
