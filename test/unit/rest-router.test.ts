import { describe, expect, test } from 'vitest';
import {
  MaintenanceModeError,
  NotFoundError,
  OverloadedError,
  TimeoutError,
} from '../../src/domain/errors.js';
import { createFakeRest } from '../testkit/rest-fakes.js';

const HEALTH = '/api/admin/projects/web/health-report';
const CLONE = '/api/admin/projects/web/features/checkout/clone';
const SEARCH = '/api/admin/search/events';
const ADDON = '/api/admin/addons/1/events';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('routing', () => {
  test.each([
    '/API/Admin/Projects/Web/Health-Report',
    '/api/admin/projects/Web/health-report/',
    '//api///admin/projects//Web/health-report//',
    `${'/'.repeat(45)}/api/admin/projects/Web/health-report`,
    '/api/admin/projects/%57eb/health-report',
  ])('%s returns the report of project Web', async (path) => {
    const { send, calls } = createFakeRest();
    expect((await send(path)).status).toBe(200);
    expect(calls).toEqual([{ operation: 'getHealthReport', author: 'admin', input: 'Web' }]);
  });

  test('a parameter may contain an encoded slash, and a plus sign is kept', async () => {
    const { send, calls } = createFakeRest();
    await send('/api/admin/projects/a%2Fb+c/health-report');
    expect(calls).toMatchObject([{ input: 'a/b+c' }]);
  });

  test.each([
    ['GET', '/api/admin/projects//health-report'],
    ['GET', '/api/admin/addons//events'],
    ['GET', '/api/admin'],
    ['GET', '/'],
    ['GET', '/api/admin/search/event%73'],
    ['GET', `${HEALTH}/more`],
    ['GET', `${'/'.repeat(50)}${HEALTH}`],
    ['POST', HEALTH],
    ['GET', CLONE],
    ['HEAD', CLONE],
    ['DELETE', CLONE],
    ['PATCH', SEARCH],
  ])('%s %s is not served', async (method, path) => {
    const { send, calls } = createFakeRest({ settings: { basePath: '/flags' } });
    const { status, headers, json } = await send(`${path}?secret=1`, { method });
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    if (method !== 'HEAD') {
      expect(json.name).toBe('NotFoundError');
      expect(json.message).toContain(`/flags${path}`);
      expect(json.message).not.toContain('secret');
    }
    expect(calls).toEqual([]);
  });

  test('a path segment that cannot be decoded returns 400', async () => {
    const { send, bugs } = createFakeRest();
    const { status, json } = await send('/api/admin/projects/%E0%A4%A/health-report');
    expect([status, json.name]).toEqual([400, 'BadDataError']);
    expect(json.details).toEqual([
      { message: expect.stringContaining('%E0%A4%A'), path: '/params/projectId' },
    ]);
    expect(bugs).toEqual([]);
  });

  test('a project ID with a NUL returns 400', async () => {
    const { send, calls } = createFakeRest();
    const { status, json } = await send('/api/admin/projects/a%00/health-report');
    expect([status, json.name]).toEqual([400, 'BadDataError']);
    expect(calls).toEqual([]);
  });

  test('HEAD returns the response of GET without the body', async () => {
    const { send } = createFakeRest();
    const got = await send(HEALTH);
    const head = await send(HEALTH, { method: 'HEAD' });
    expect(head.body).toBeNull();
    expect(head.status).toBe(200);
    expect(head.headers).toEqual({ ...got.headers, 'content-length': '14' });
  });

  test.each([
    [SEARCH, 'GET,HEAD'],
    ['/api/admin/openapi.json', 'GET,HEAD'],
    [CLONE, 'POST'],
  ])('OPTIONS %s returns the methods %s', async (path, methods) => {
    const { send, calls } = createFakeRest();
    const { status, headers, body } = await send(path, { method: 'OPTIONS', as: 'viewer' });
    expect([status, body]).toEqual([200, methods]);
    expect(headers['allow']).toBe(methods.replace(',', ', '));
    expect(calls).toEqual([]);
    expect((await send(path, { method: 'OPTIONS', as: null })).status).toBe(401);
    expect((await send('/api/admin/else', { method: 'OPTIONS' })).status).toBe(404);
  });
});

describe('credentials', () => {
  test.each([SEARCH, HEALTH, ADDON, '/api/admin/openapi.json', '/api/admin/else'])(
    '%s requires a token',
    async (path) => {
      const { send, calls } = createFakeRest();
      expect((await send(path, { as: null })).status).toBe(401);
      expect((await send(path, { as: 'worthless' })).status).toBe(401);
      expect(calls).toEqual([]);
    },
  );

  test.each([null, ''])(
    'a missing header (%j) returns an error with the login options',
    async (as) => {
      const { send } = createFakeRest({ settings: { basePath: '/flags' } });
      const { json } = await send(SEARCH, { as });
      expect(Object.keys(json)).toEqual([
        ...['id', 'name', 'message', 'details', 'path', 'type', 'defaultHidden'],
      ]);
      expect(json).toMatchObject({
        name: 'AuthenticationRequired',
        path: '/flags/auth/simple/login',
        type: 'password',
        defaultHidden: false,
      });
    },
  );

  test('an invalid header returns the same error name, without the login options', async () => {
    const { send } = createFakeRest();
    const { json } = await send(SEARCH, { as: 'worthless' });
    expect(Object.keys(json)).toEqual(['id', 'name', 'message', 'details']);
    expect(json.name).toBe('AuthenticationRequired');
    expect(json.details).toEqual([{ message: json.message }]);
    expect(json.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });
});

describe('the order of checks', () => {
  const maintained = () =>
    createFakeRest({
      operations: {
        assertWritable: async () => {
          throw new MaintenanceModeError('Unleash is in maintenance mode.');
        },
      },
    });

  test('rejects a malformed body before missing credentials, on any path', async () => {
    const { send } = createFakeRest();
    const broken = { method: 'POST', as: null, headers: JSON_TYPE, body: '{' };
    expect((await send(CLONE, broken)).status).toBe(400);
    expect((await send('/api/admin/else', broken)).status).toBe(400);
    expect((await send(SEARCH, { ...broken, method: 'GET' })).status).toBe(400);
    const latin = { 'content-type': 'application/json; charset=latin1' };
    expect((await send(CLONE, { ...broken, headers: latin })).status).toBe(415);
    const large = `"${'x'.repeat(102_400)}"`;
    expect((await send(CLONE, { ...broken, body: large })).status).toBe(413);
  });

  test('checks credentials before maintenance mode, the path and the content type', async () => {
    const { send } = maintained();
    expect((await send(CLONE, { method: 'POST', as: null })).status).toBe(401);
    expect((await send('/api/admin/else', { method: 'POST', as: null })).status).toBe(401);
  });

  test('checks maintenance mode before the path and permissions, for writes only', async () => {
    const { send, postJson, calls } = maintained();
    const rejected = await postJson(CLONE, { name: 'copy' }, { as: 'viewer' });
    expect([rejected.status, rejected.json.name]).toEqual([503, 'MaintenanceModeError']);
    expect(rejected.headers['retry-after']).toBeUndefined();
    expect((await send('/api/admin/else', { method: 'DELETE' })).status).toBe(503);
    expect(calls).toEqual([]);
    expect((await send(HEALTH)).status).toBe(200);
  });

  test('checks permissions before the content type and values', async () => {
    const { send, postJson } = createFakeRest();
    expect((await postJson(CLONE, {}, { as: 'viewer' })).status).toBe(403);
    expect((await send(CLONE, { method: 'POST', as: 'viewer' })).status).toBe(403);
    expect((await send(`${ADDON}?limit[]=1`, { as: 'viewer' })).status).toBe(403);
    expect((await send('/api/admin/addons/abc/events', { as: 'viewer' })).status).toBe(403);
  });

  test('checks the content type before values', async () => {
    const { send } = createFakeRest();
    const sent = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '7' };
    expect((await send(CLONE, sent)).status).toBe(415);
  });

  test('checks the query before the body', async () => {
    const { send } = createFakeRest();
    const { json } = await send(`${SEARCH}?limit[]=1`, { headers: JSON_TYPE, body: '[]' });
    expect(json.details).toEqual([expect.objectContaining({ path: '/query/limit' })]);
  });
});

describe('the body of a GET', () => {
  test.each(['[]', '"text"', 'null', '7'])('may not be %s', async (body) => {
    const { send, calls } = createFakeRest();
    for (const path of [SEARCH, HEALTH, ADDON]) {
      const { status, json } = await send(path, { headers: JSON_TYPE, body });
      expect([status, json.name]).toEqual([400, 'BadDataError']);
      expect(json.details).toEqual([expect.objectContaining({ path: '/body' })]);
    }
    expect(calls).toEqual([]);
  });

  test('may be an object, empty, or of a type that is not parsed', async () => {
    const { send } = createFakeRest();
    expect((await send(SEARCH, { headers: JSON_TYPE, body: '{"project":"x"}' })).status).toBe(200);
    expect((await send(SEARCH, { headers: JSON_TYPE })).status).toBe(200);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send(SEARCH, { headers: form, body: 'a[' })).status).toBe(200);
  });

  test('may be nested as deeply as its size allows', async () => {
    const { send, bugs } = createFakeRest();
    const body = `${'['.repeat(51_200)}${']'.repeat(51_200)}`;
    expect((await send(SEARCH, { headers: JSON_TYPE, body })).status).toBe(400);
    expect(bugs).toEqual([]);
  });
});

describe('responses', () => {
  test('have a weak ETag that depends on their content', async () => {
    const { send } = createFakeRest();
    const { headers } = await send(HEALTH);
    expect(headers['etag']).toMatch(/^W\/"[\w+/=-]+"$/);
    expect((await send(HEALTH)).headers['etag']).toBe(headers['etag']);
    expect((await send(SEARCH)).headers['etag']).not.toBe(headers['etag']);
    expect((await send('/api/admin/else')).headers['etag']).toMatch(/^W\//);
  });

  test('are 304 when If-None-Match matches', async () => {
    const { send } = createFakeRest();
    const etag = (await send(HEALTH)).headers['etag'] ?? '';
    const matching = ['*', etag, etag.replace('W/', ''), `"other", ${etag}`];
    for (const value of matching) {
      for (const method of ['GET', 'HEAD']) {
        const notModified = await send(HEALTH, { method, headers: { 'if-none-match': value } });
        expect([notModified.status, notModified.body]).toEqual([304, null]);
        expect(notModified.headers['etag']).toBe(etag);
        expect(notModified.headers['content-type']).toBeUndefined();
      }
    }
  });

  test('are complete when the ETag differs, with Cache-Control: no-cache, and for errors', async () => {
    const { send, postJson } = createFakeRest();
    const etag = (await send(HEALTH)).headers['etag'];
    const known = { 'if-none-match': etag };
    expect((await send(HEALTH, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
    const noCache = { ...known, 'cache-control': 'max-age=0, no-cache' };
    expect((await send(HEALTH, { headers: noCache })).status).toBe(200);
    const any = { 'if-none-match': '*' };
    expect((await send('/api/admin/else', { headers: any })).status).toBe(404);
    expect((await postJson(CLONE, { name: 'copy' }, { headers: any })).status).toBe(200);
  });

  test('of the deprecated path have Deprecation and Sunset headers, also for errors', async () => {
    const { send } = createFakeRest({
      settings: {
        basePath: '/flags',
        deprecation: { since: new Date(1_735_689_600_500), sunset: new Date('2030-06-30') },
      },
      operations: {
        getHealthReport: async (_actor, projectId) => {
          throw NotFoundError.of('Project', projectId);
        },
      },
    });
    const expected = {
      deprecation: '@1735689600',
      sunset: 'Sun, 30 Jun 2030 00:00:00 GMT',
      link:
        '</flags/api/admin/openapi.json>; rel="deprecation"; type="application/json", ' +
        '</flags/graphql>; rel="successor-version", ' +
        '</flags/docs/guides/migrate-from-rest#health-report>; rel="service-doc"; type="text/html"',
    };
    expect((await send(HEALTH)).headers).toMatchObject({ ...expected });
    expect((await send(HEALTH, { as: null })).headers).toMatchObject({ ...expected });
    expect((await send(SEARCH)).headers['deprecation']).toBeUndefined();
  });

  test('of the deprecated path have no Sunset header without a date, also for 304', async () => {
    const { send } = createFakeRest();
    const { headers } = await send(HEALTH, { headers: { 'if-none-match': '*' } });
    expect(headers['deprecation']).toBe('@1735689600');
    expect(headers['sunset']).toBeUndefined();
  });
});

describe('operation failures', () => {
  const failing = (error: unknown) =>
    createFakeRest({
      operations: {
        getHealthReport: async () => {
          throw error;
        },
      },
    });

  test('that are bugs are logged, and the client gets an ID without the cause', async () => {
    const bug = new Error('select secret from users');
    const { send, bugs } = failing(bug);
    const { status, body, json } = await send(HEALTH);
    expect([status, json.name]).toEqual([500, 'UnknownError']);
    expect(body).not.toContain('secret');
    expect(bugs).toEqual([bug]);
  });

  test('that are temporary have a Retry-After header', async () => {
    const { send, bugs } = failing(new OverloadedError('All connections are busy.'));
    const { status, headers } = await send(HEALTH);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(bugs).toEqual([]);
    expect((await failing(new TimeoutError('Too slow.')).send(HEALTH)).status).toBe(504);
  });

  test('while serializing the response are logged like any other', async () => {
    const { send, bugs } = createFakeRest({
      operations: { getHealthReport: async () => ({ members: 1n }) },
    });
    expect((await send(HEALTH)).status).toBe(500);
    expect(bugs).toHaveLength(1);
  });
});
