import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { runSql } from '../../testkit/attach.js';
import { type AttachedGateway, attachGateway } from '../../testkit/attached-gateway.js';
import { addCloneWorld, addFeature, CLONE_TOKENS, PEOPLE } from '../../testkit/clone-world.js';
import { openEventStream } from '../../testkit/event-stream.js';
import { type RawResponse, rawRequest } from '../../testkit/raw-request.js';
import { addSession, SESSION_SECRET, sessionCookie } from '../../testkit/unleash-sessions.js';

const VIEWER = '{ viewer { kind userId name authorName isAdmin seesAllEvents } }';
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

let attached: AttachedGateway;
let database: Database;
let gateway: Gateway;
let url: string;
let statements: string[];

beforeAll(async () => {
  attached = await attachGateway(
    async (client) => {
      await addCloneWorld(client);
      await addFeature(client, { name: 'source', project: 'shop' });
    },
    { settings: { UNLEASH_SECRET: SESSION_SECRET, CORS_ORIGINS: 'https://partner.example' } },
  );
  ({ database, gateway, url, statements } = attached);
});

afterAll(() => attached.close());

type Sent = {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  rawBody?: string;
  type?: string;
};

const send = (cookie: string | null, path: string, sent: Sent = {}): Promise<RawResponse> => {
  const body = sent.rawBody ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
  return rawRequest(gateway.url, {
    path,
    method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      host: 'flags.example',
      ...(cookie !== null && { cookie }),
      ...(body !== undefined && { 'content-type': sent.type ?? 'application/json' }),
      ...(sent.headers ?? SAME_ORIGIN),
    },
    ...(body !== undefined && { body }),
  });
};
const runQuery = (cookie: string | null, query: string, sent: Sent = {}) =>
  send(cookie, '/graphql', { ...sent, body: { query } });
const json = ({ body }: RawResponse) => JSON.parse(body.toString('utf8'));
const signIn = async (userId: number) => sessionCookie(await addSession(database.client, userId));

const SEARCH = '/api/admin/search/events';
const cloneTo = (project: string) => `/api/admin/projects/${project}/features/source/clone`;
const nameExists = async (name: string) =>
  (await database.client.feature.findUnique({ where: { name } })) !== null;

describe('a sign-in session', () => {
  test('is accepted on the four REST paths', async () => {
    const cookie = await signIn(PEOPLE.ann);
    await database.client.integration.create({ data: { id: 1, provider: 'webhook' } });
    for (const path of [
      SEARCH,
      '/api/admin/projects/shop/health-report',
      '/api/admin/addons/1/events',
    ]) {
      expect([path, (await send(cookie, path)).status]).toEqual([path, 200]);
    }
    const clone = await send(cookie, cloneTo('shop'), { body: { name: 'by-session' } });
    expect(clone.status).toBe(200);
  });

  test('is accepted for queries, mutations and subscriptions', async () => {
    const cookie = await signIn(PEOPLE.ann);
    expect(json(await runQuery(cookie, VIEWER)).data.viewer).toMatchObject({
      kind: 'USER',
      userId: PEOPLE.ann,
      isAdmin: true,
      seesAllEvents: true,
    });
    const get = await send(cookie, `/graphql?query=${encodeURIComponent(VIEWER)}`, {
      headers: { 'sec-fetch-site': 'none' },
    });
    expect(json(get).data.viewer.userId).toBe(PEOPLE.ann);
    const mutation = `mutation { cloneFeature(input: { featureName: "source", newName: "by-mutation" }) { __typename } }`;
    expect(json(await runQuery(cookie, mutation)).data.cloneFeature.__typename).toBe(
      'CloneFeaturePayload',
    );
    const stream = await openEventStream(
      gateway.url,
      'subscription { events { node { typeName } } }',
      {},
      { token: null, headers: { cookie, ...SAME_ORIGIN } },
    );
    expect(stream.status).toBe(200);
    await send(cookie, cloneTo('shop'), { body: { name: 'while-following' } });
    expect((await stream.next())?.data.events.node.typeName).toBe('feature-created');
    await stream.close();
  });

  test('has the current permissions and name of the user, not those at sign-in', async () => {
    const { client } = database;
    const cookie = await signIn(PEOPLE.ben);
    await client.user.update({ where: { id: PEOPLE.ben }, data: { username: 'ben-renamed' } });
    expect(json(await runQuery(cookie, VIEWER)).data.viewer.authorName).toBe('ben-renamed');

    const body = { name: 'by-ben' };
    const roles = await client.roleUser.findMany({ where: { userId: PEOPLE.ben } });
    await client.roleUser.deleteMany({ where: { userId: PEOPLE.ben } });
    expect((await send(cookie, cloneTo('shop'), { body })).status).toBe(403);
    await client.roleUser.createMany({ data: roles });
    expect((await send(cookie, cloneTo('shop'), { body })).status).toBe(200);
    const event = await client.event.findFirstOrThrow({ where: { featureName: 'by-ben' } });
    expect([event.createdBy, event.createdByUserId]).toEqual(['ben-renamed', PEOPLE.ben]);
  });

  test('is ignored when there is an Authorization header', async () => {
    const cookie = await signIn(PEOPLE.ann);
    const as = async (authorization: string) =>
      runQuery(cookie, VIEWER, { headers: { ...SAME_ORIGIN, authorization } });
    expect(json(await as(CLONE_TOKENS.vic)).data.viewer.userId).toBe(PEOPLE.vic);
    expect((await as('garbage')).status).toBe(401);
    expect((await as('user:nobody')).status).toBe(401);
  });

  test('writes nothing and does not extend the expiry', async () => {
    const sid = await addSession(database.client, PEOPLE.ann, { expired: '2098-01-01' });
    const response = await send(sessionCookie(sid), SEARCH);
    expect(response.status).toBe(200);
    expect(response.headers['set-cookie']).toBeUndefined();
    const rows = await runSql(
      url,
      `SELECT (expired AT TIME ZONE 'UTC')::text AS expired FROM unleash_session WHERE sid = '${sid}'`,
    );
    expect(rows[0]?.['expired']).toMatch(/^2098-01-01/);
  });

  test('is rejected on the next request once its row is deleted, it expires, or its user is deleted', async () => {
    const { client } = database;
    const ends = [
      (sid: string) => `DELETE FROM unleash_session WHERE sid = '${sid}'`,
      (sid: string) => `UPDATE unleash_session SET expired = now() WHERE sid = '${sid}'`,
      () => `UPDATE users SET deleted_at = now() WHERE id = 150`,
      () => `UPDATE users SET is_system = true WHERE id = 150`,
      () => `DELETE FROM users WHERE id = 150`,
    ];
    for (const end of ends) {
      await client.user.upsert({
        where: { id: 150 },
        create: { id: 150, username: 'short-stay' },
        update: { deletedAt: null, isSystem: false },
      });
      const sid = await addSession(client, 150);
      expect((await send(sessionCookie(sid), SEARCH)).status).toBe(200);
      await runSql(url, end(sid));
      expect([end(sid), (await send(sessionCookie(sid), SEARCH)).status]).toEqual([end(sid), 401]);
    }
  });

  test('ends open streams within five seconds of signing out', async () => {
    const sid = await addSession(database.client, PEOPLE.ann);
    const stream = await openEventStream(
      gateway.url,
      'subscription { events { node { id } } }',
      {},
      { token: null, headers: { cookie: sessionCookie(sid), ...SAME_ORIGIN } },
    );
    await delay(300);
    await runSql(url, `DELETE FROM unleash_session WHERE sid = '${sid}'`);
    const started = performance.now();
    const last = await stream.next();
    expect(last?.errors?.[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(performance.now() - started).toBeLessThan(5_000);
    await stream.close();
  });

  test.each([
    ['no user', { cookie: {} }],
    ['a user without ID', { user: { name: 'x' } }],
    ['a string ID', { user: { id: 'abc' } }],
    ['an ID out of range', { user: { id: 99_999_999_999 } }],
    ['a negative ID', { user: { id: -42 } }],
    ['an unknown ID', { user: { id: 4_711 } }],
    ['an array', [1]],
    ['a string', 'x'],
  ])('with %s is rejected', async (_title, sess) => {
    const sid = await addSession(database.client, null, { sess });
    expect((await send(sessionCookie(sid), SEARCH)).status).toBe(401);
  });
});

describe('an invalid cookie', () => {
  const withoutId = ({ id, ...rest }: Record<string, unknown>) => rest;

  test('is treated like no cookie, and sends no statement unless its signature is valid', async () => {
    const sid = await addSession(database.client, PEOPLE.ann);
    const none = await send(null, SEARCH);
    expect(none.status).toBe(401);
    for (const cookie of [
      'unleash-session=',
      'unleash-session=%E0%A4%A',
      `unleash-session=${sid}`,
      `unleash-session=s%3A${sid}`,
      sessionCookie(sid, 'super-secret'),
      `unleash-session=bad; ${sessionCookie(sid)}`,
      `unleash-session=${'x'.repeat(8_000)}`,
    ]) {
      statements.length = 0;
      const response = await send(cookie, SEARCH);
      expect([response.status, withoutId(json(response))]).toEqual([401, withoutId(json(none))]);
      expect((await runQuery(cookie, VIEWER)).status).toBe(401);
      expect(statements.filter((sql) => /unleash_session|users/.test(sql))).toEqual([]);
    }
    const missing = await send(sessionCookie('A'.repeat(32)), SEARCH);
    expect([missing.status, withoutId(json(missing))]).toEqual([401, withoutId(json(none))]);
  });

  test('does not appear in logs, errors or metrics', async () => {
    const sid = await addSession(database.client, PEOPLE.ann);
    const bad = 'B'.repeat(32);
    const texts = [
      await send(sessionCookie(sid), SEARCH),
      await send(sessionCookie(bad), SEARCH),
      await runQuery(sessionCookie(bad), VIEWER),
      await runQuery(sessionCookie(sid), '{ nothing }'),
      await send(null, '/metrics'),
    ].map(({ body, headers }) => body.toString('utf8') + JSON.stringify(headers));
    for (const text of [...texts, ...gateway.log]) {
      for (const secret of [sid, bad, SESSION_SECRET]) expect(text).not.toContain(secret);
    }
  });
});

describe('cross-site requests', () => {
  const attempts: [what: string, Sent][] = [
    ['cross-site', { headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' } }],
    [
      'a sibling subdomain',
      { headers: { 'sec-fetch-site': 'same-site', origin: 'https://blog.flags.example' } },
    ],
    [
      'an allowed CORS origin',
      { headers: { 'sec-fetch-site': 'cross-site', origin: 'https://partner.example' } },
    ],
    ['an old browser on a sibling', { headers: { origin: 'https://blog.flags.example' } }],
    ['an old browser with an opaque origin', { headers: { origin: 'null' } }],
    ['a POST without a page', { headers: { 'sec-fetch-site': 'none' } }],
  ];

  test.each(attempts)('%s: clones and mutations are rejected', async (_title, { headers = {} }) => {
    const cookie = await signIn(PEOPLE.ann);
    const rest = await send(cookie, cloneTo('shop'), { body: { name: 'forged' }, headers });
    const mutation = `mutation { cloneFeature(input: { featureName: "source", newName: "forged" }) { __typename } }`;
    expect([rest.status, (await runQuery(cookie, mutation, { headers })).status]).toEqual([
      401, 401,
    ]);
    expect(await nameExists('forged')).toBe(false);
  });

  test.each(attempts.slice(0, 5))('%s: reads are rejected', async (_title, { headers = {} }) => {
    const cookie = await signIn(PEOPLE.ann);
    expect((await send(cookie, SEARCH, { headers })).status).toBe(401);
    const get = await send(cookie, `/graphql?query=${encodeURIComponent(VIEWER)}`, { headers });
    expect(get.status).toBe(401);
  });

  test.each([{}, { origin: 'https://flags.example' }])(
    'do not include those without Sec-Fetch-Site and with headers %j',
    async (headers) => {
      const cookie = await signIn(PEOPLE.ann);
      expect((await send(cookie, SEARCH, { headers })).status).toBe(200);
    },
  );

  test('from forms cannot write: both transports require application/json', async () => {
    const cookie = await signIn(PEOPLE.ann);
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
    ]) {
      const rawBody = 'name=forged';
      expect((await send(cookie, cloneTo('shop'), { rawBody, type })).status).toBe(415);
      const graphql = await send(cookie, '/graphql', {
        rawBody: JSON.stringify({ query: 'mutation { __typename }' }),
        type,
      });
      expect(graphql.status).toBe(415);
    }
    expect(await nameExists('forged')).toBe(false);
  });

  test('by GET never write', async () => {
    const cookie = await signIn(PEOPLE.ann);
    const mutation = `mutation { cloneFeature(input: { featureName: "source", newName: "forged" }) { __typename } }`;
    const response = await send(cookie, `/graphql?query=${encodeURIComponent(mutation)}`);
    expect(response.status).toBe(405);
    expect((await send(cookie, cloneTo('shop'))).status).toBe(404);
    expect(await nameExists('forged')).toBe(false);
  });

  test('are not allowed by X-Forwarded-Host of an untrusted proxy', async () => {
    const cookie = await signIn(PEOPLE.ann);
    const headers = { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' };
    expect((await send(cookie, SEARCH, { headers })).status).toBe(401);
  });

  test('never get Access-Control-Allow-Credentials', async () => {
    const cookie = await signIn(PEOPLE.ann);
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://partner.example' };
    const preflight = await send(cookie, '/graphql', {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers['access-control-allow-origin']).toBe('https://partner.example');
    for (const response of [preflight, await send(cookie, SEARCH, { headers })]) {
      expect(response.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });
});

describe('private responses', () => {
  const varies = ({ headers }: RawResponse) => String(headers.vary).split(/,\s*/);

  test('to cookies are not stored, whether valid or not; others are revalidated', async () => {
    const cookie = await signIn(PEOPLE.ann);
    const unknownSession = sessionCookie('C'.repeat(32));
    const token = { headers: { authorization: CLONE_TOKENS.ann } };
    const stream = (headers: Record<string, string>) =>
      openEventStream(
        gateway.url,
        'subscription { events { node { id } } }',
        {},
        {
          token: null,
          headers,
        },
      );
    const byCookie = [
      await send(cookie, SEARCH),
      await send(cookie, '/api/admin/projects/nowhere/health-report'),
      await send(unknownSession, SEARCH),
      await runQuery(cookie, VIEWER),
      await runQuery(cookie, '{ broken'),
      await send(cookie, cloneTo('shop'), { body: {} }),
    ];
    const others = [
      await send(null, SEARCH),
      await send(null, SEARCH, token),
      await runQuery(null, VIEWER, token),
      await send(null, '/api/admin/openapi.json', token),
    ];
    for (const response of byCookie) {
      expect(response.headers['cache-control']).toBe('private, no-store');
    }
    for (const response of others) {
      expect(response.headers['cache-control']).toBe('private, no-cache');
    }
    for (const response of [...byCookie, ...others]) {
      expect(varies(response)).toEqual(expect.arrayContaining(['Cookie', 'Authorization']));
      expect(response.headers['x-content-type-options']).toBe('nosniff');
      expect(response.headers['cross-origin-resource-policy']).toBe('same-origin');
    }
    const live = await stream({ cookie, ...SAME_ORIGIN });
    expect(live.headers.get('cache-control')).toBe('private, no-store');
    expect(live.headers.get('vary')).toContain('Cookie');
    await live.close();
  });

  test('with status 304 keep these headers', async () => {
    const token = { authorization: CLONE_TOKENS.ann };
    const { headers } = await send(null, SEARCH, { headers: token });
    const again = await send(null, SEARCH, {
      headers: { ...token, 'if-none-match': String(headers.etag) },
    });
    expect(again.status).toBe(304);
    expect(again.headers['cache-control']).toBe('private, no-cache');
    expect(varies(again)).toContain('Cookie');
  });
});

test('the session cookie is ignored without a session secret', async () => {
  const cookie = await signIn(PEOPLE.ann);
  const off = await startGateway(database);
  try {
    const response = await rawRequest(off.url, { path: SEARCH, headers: { cookie } });
    expect([response.status, response.headers['cache-control']]).toEqual([
      401,
      'private, no-cache',
    ]);
  } finally {
    await off.stop();
  }
});
