import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { rawRequest } from '../../testkit/raw-request.js';
import { describeWithRows } from '../../testkit/seeded.js';

const SEARCH = '/api/admin/search/events';
const PATHS = [SEARCH, '/api/admin/projects/default/health-report', '/api/admin/addons/1/events'];
const TOKEN = { authorization: DEMO_TOKENS.admin };

const seed = async (client: PrismaClient) => {
  await client.feature.create({
    data: {
      name: 'one',
      projectId: 'default',
      type: 'release',
      stale: false,
      createdAt: new Date('2024-01-01T00:00:00Z'),
    },
  });
  await client.project.update({
    where: { id: 'default' },
    data: { updatedAt: new Date('2024-01-01T00:00:00Z') },
  });
  await client.integration.create({ data: { id: 1, provider: 'webhook' } });
  await client.event.createMany({
    data: Array.from({ length: 30 }, (_, index) => ({
      type: 'feature-updated',
      createdBy: 'ada',
      projectId: 'default',
      featureName: 'one',
      data: { text: `ünïcödé „${index}“` },
      preData: { before: index },
      tags: [{ value: 'red', type: 'simple' }],
      createdAt: new Date(Date.parse('2024-05-05T05:05:05.678Z') + index),
    })),
  });
};

describeWithRows('REST over HTTP', seed, ({ gateway, database }) => {
  const raw = (options: Parameters<typeof rawRequest>[1], on: Gateway = gateway()) =>
    rawRequest(on.url, { ...options, headers: { ...TOKEN, ...options.headers } });

  test('returns compact JSON in UTF-8', async () => {
    const { headers, body } = await raw({ path: `${SEARCH}?limit=1` });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['x-content-type-options']).toBe('nosniff');
    const text = body.toString('utf8');
    expect(text).toContain('ünïcödé „29“');
    expect(text).toBe(JSON.stringify(JSON.parse(text)));
    expect(headers['content-length']).toBe(String(body.length));
  });

  test('returns all keys of events in the order of Unleash', async () => {
    const { body } = await gateway().rest(`${SEARCH}?limit=1`);
    expect(Object.keys(body)).toEqual(['events', 'total']);
    expect(Object.keys(body.events[0])).toEqual([
      'id',
      'type',
      'createdBy',
      'createdAt',
      'createdByUserId',
      'data',
      'preData',
      'tags',
      'featureName',
      'project',
      'environment',
      'label',
      'summary',
    ]);
    expect(body.events[0]).toMatchObject({
      createdAt: '2024-05-05T05:05:05.707Z',
      createdByUserId: null,
      environment: null,
    });
  });

  describe('HEAD', () => {
    test.each(PATHS)('%s returns the headers of GET without a body', async (path) => {
      const get = await raw({ path });
      const head = await raw({ path, method: 'HEAD' });
      expect(head.status).toBe(200);
      expect(head.body).toHaveLength(0);
      // The remaining points depend on the time since the charge.
      const { date: _d, 'x-request-id': _i, ratelimit: _r, ...expected } = get.headers;
      const { date: _e, 'x-request-id': _j, ratelimit, ...found } = head.headers;
      expect(found).toEqual(expected);
      expect(ratelimit).toMatch(/^"points";r=\d+;t=\d+$/);
    });

    test('returns errors as well', async () => {
      expect((await raw({ path: '/api/admin/addons/9/events', method: 'HEAD' })).status).toBe(404);
      const anonymous = await rawRequest(gateway().url, { path: SEARCH, method: 'HEAD' });
      expect([anonymous.status, anonymous.body.length]).toEqual([401, 0]);
    });
  });

  describe('paths', () => {
    test.each([
      '/api/admin/search/events/',
      '/API/Admin/Search/EVENTS',
      '//api//admin///search/events',
      '/api/admin/projects/default/HEALTH-report/',
      '/api/admin/projects/%64efault/health-report',
    ])('%s is served', async (path) => {
      expect((await raw({ path })).status).toBe(200);
    });

    test.each([
      '/api/admin/search/events/x',
      '/api/admin/projects/Default/health-report',
      '/api/admin/search%2Fevents',
    ])('%s returns 404', async (path) => {
      expect((await raw({ path })).status).toBe(404);
    });

    test('with an empty segment return 404, as in Unleash', async () => {
      const integration = await raw({ path: '/api/admin/addons//events' });
      expect(integration.status).toBe(404);
    });
  });

  test('OPTIONS returns the methods of a known path to authenticated callers', async () => {
    for (const path of PATHS) {
      const { status, headers, body } = await raw({ path, method: 'OPTIONS' });
      expect([status, headers.allow, body.toString()]).toEqual([200, 'GET, HEAD', 'GET,HEAD']);
    }
    const clone = '/api/admin/projects/default/features/one/clone';
    expect((await raw({ path: clone, method: 'OPTIONS' })).body.toString()).toBe('POST');
    expect((await raw({ path: '/api/admin/nothing', method: 'OPTIONS' })).status).toBe(404);
    const anonymous = await rawRequest(gateway().url, { path: SEARCH, method: 'OPTIONS' });
    expect(anonymous.status).toBe(401);
  });

  describe('ETag', () => {
    test.each(PATHS)('%s returns 304 when it matches', async (path) => {
      const first = await raw({ path });
      const etag = first.headers.etag ?? '';
      expect(etag).toMatch(/^W\/".+"$/);
      for (const tag of [etag, `"other", ${etag}`, etag.slice(2), '*']) {
        const again = await raw({ path, headers: { 'if-none-match': tag } });
        expect([tag, again.status, again.body.length]).toEqual([tag, 304, 0]);
        expect(again.headers.etag).toBe(etag);
        expect(again.headers.vary).toBe(first.headers.vary);
        expect(again.headers['content-type']).toBeUndefined();
      }
      const head = await raw({ path, method: 'HEAD', headers: { 'if-none-match': etag } });
      expect(head.status).toBe(304);
      const other = await raw({ path, headers: { 'if-none-match': 'W/"other"' } });
      expect(other.status).toBe(200);
      const noCache = { 'if-none-match': etag, 'cache-control': 'no-cache' };
      expect((await raw({ path, headers: noCache })).status).toBe(200);
    });

    test('depends on the content', async () => {
      const etagOf = async (search: string) =>
        (await raw({ path: `${SEARCH}?${search}` })).headers.etag;
      expect(await etagOf('limit=2')).toBe(await etagOf('limit=2&offset=0'));
      expect(await etagOf('limit=2')).not.toBe(await etagOf('limit=3'));
    });

    test('does not replace authentication', async () => {
      const { headers } = await raw({ path: SEARCH });
      const anonymous = await rawRequest(gateway().url, {
        path: SEARCH,
        headers: { 'if-none-match': headers.etag ?? '' },
      });
      expect(anonymous.status).toBe(401);
    });
  });

  describe('compression', () => {
    const search = (encoding: string, search = '') =>
      raw({ path: `${SEARCH}?${search}`, headers: { 'accept-encoding': encoding } });

    test('is applied to long responses if the client accepts it', async () => {
      const plain = await search('identity');
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.headers.vary).toContain('Accept-Encoding');
      const zipped = await search('gzip');
      expect(zipped.headers['content-encoding']).toBe('gzip');
      expect(zipped.headers.vary).toContain('Accept-Encoding');
      expect(gunzipSync(zipped.body)).toEqual(plain.body);
      expect(zipped.headers.etag).toBe(plain.headers.etag);
      const brotli = await search('gzip, br');
      expect(brotli.headers['content-encoding']).toBe('br');
      expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
    });

    test('is omitted for short responses, and if the client excludes it', async () => {
      expect((await search('gzip', 'limit=1')).headers['content-encoding']).toBeUndefined();
      for (const encodings of ['gzip;q=0, br;q=0', 'br;q=0, gzip;q=0.0, *', '*;q=0']) {
        expect((await search(encodings)).headers['content-encoding']).toBeUndefined();
      }
      expect((await search('br;q=0, *')).headers['content-encoding']).toBe('gzip');
    });
  });

  describe('CORS', () => {
    const ORIGIN = 'https://app.example.com';
    const preflight = {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    };

    test('is allowed for the configured origins only', async () => {
      const settings = { CORS_ORIGINS: `${ORIGIN},https://other.example.com` };
      const open = await startGateway(database(), settings);
      try {
        for (const path of [SEARCH, '/graphql?query=%7B__typename%7D']) {
          const mine = await raw({ path, headers: { origin: ORIGIN } }, open);
          expect(mine.status).toBe(200);
          expect(mine.headers['access-control-allow-origin']).toBe(ORIGIN);
          expect(mine.headers['access-control-allow-credentials']).toBeUndefined();
          expect(mine.headers.vary).toContain('Origin');
          const foreign = await raw({ path, headers: { origin: 'https://evil.example' } }, open);
          expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
          expect(foreign.headers.vary).toContain('Origin');

          const response = await rawRequest(open.url, {
            path,
            method: 'OPTIONS',
            headers: preflight,
          });
          expect(response.status).toBe(204);
          expect(response.headers).toMatchObject({
            'access-control-allow-origin': ORIGIN,
            'access-control-allow-methods': expect.stringContaining('POST'),
            'access-control-allow-headers': expect.stringMatching(/authorization.*content-type/i),
          });
          const rejected = await rawRequest(open.url, {
            path,
            method: 'OPTIONS',
            headers: { ...preflight, origin: 'https://evil.example' },
          });
          expect(rejected.headers['access-control-allow-origin']).toBeUndefined();
          expect(rejected.headers['access-control-allow-methods']).toBeUndefined();
        }
        const lookalikes = [
          'https://app.example.com.evil.example',
          'http://app.example.com',
          'null',
        ];
        for (const origin of lookalikes) {
          const { headers } = await raw({ path: SEARCH, headers: { origin } }, open);
          expect(headers['access-control-allow-origin']).toBeUndefined();
        }
        const denied = await rawRequest(open.url, { path: SEARCH, headers: { origin: ORIGIN } });
        expect([denied.status, denied.headers['access-control-allow-origin']]).toEqual([
          401,
          ORIGIN,
        ]);
      } finally {
        await open.stop();
      }
    });

    test('is not allowed when no origin is configured', async () => {
      const { headers } = await raw({ path: SEARCH, headers: { origin: ORIGIN } });
      expect(headers['access-control-allow-origin']).toBeUndefined();
      const response = await rawRequest(gateway().url, {
        path: SEARCH,
        method: 'OPTIONS',
        headers: preflight,
      });
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
    });
  });

  test('serves every path below the base path', async () => {
    const below = await startGateway(database(), { BASE_PATH: '/flags/api' });
    try {
      for (const path of [
        ...PATHS,
        '/api/admin/openapi.json',
        '/graphql?query=%7B__typename%7D',
        '/livez',
        '/readyz',
      ]) {
        expect([path, (await below.rest(path)).status]).toEqual([path, 200]);
      }
      expect((await below.graphql('{ viewer { isAdmin } }')).data.viewer.isAdmin).toBe(true);
      const { body } = await below.rest(SEARCH, { token: null });
      expect(body.path).toBe('/flags/api/auth/simple/login');
      const unknown = await below.rest('/nothing');
      expect(unknown.body.message).toContain('/flags/api/nothing');
      const document = await below.rest('/api/admin/openapi.json');
      expect(document.body.servers).toEqual([{ url: '/flags/api' }]);
      for (const path of ['/flags/apix/livez', '/flags/graphql']) {
        expect((await raw({ path }, below)).status).toBe(404);
      }
    } finally {
      await below.stop();
    }
  });

  test('returns 404 outside the base path', async () => {
    const below = await startGateway(database(), { BASE_PATH: '/flags' });
    const paths = [SEARCH, '/livez', '/readyz', '/graphql?query=%7B__typename%7D', '/flagsx/livez'];
    const responses = await Promise.all(paths.map((path) => raw({ path }, below)));
    await below.stop();
    for (const { status, body } of responses) {
      expect([status, JSON.parse(body.toString()).name]).toEqual([404, 'NotFoundError']);
    }
  });

  describe('the client address', () => {
    type Clone = { name: string; headers: Record<string, string>; graphql: boolean };
    const cloneAs = async (url: string, { name, headers, graphql }: Clone) => {
      const { client } = database();
      const call = { ...TOKEN, 'content-type': 'application/json', ...headers };
      const query = `mutation { cloneFeature(input: { featureName: "one", newName: "${name}" }) { __typename } }`;
      const { status } = await rawRequest(url, {
        path: graphql ? '/graphql' : '/api/admin/projects/default/features/one/clone',
        method: 'POST',
        headers: call,
        body: JSON.stringify(graphql ? { query } : { name }),
      });
      expect(status).toBe(200);
      const [event] = await client.event.findMany({ where: { featureName: name } });
      await client.event.deleteMany({ where: { featureName: name } });
      return event?.ip;
    };

    const FORWARDED = { 'x-forwarded-for': ' 198.51.100.1, 203.0.113.9 ' };

    test.each([false, true])(
      'is the socket address when no proxy is trusted (GraphQL: %s)',
      async (graphql) => {
        const record = (name: string, headers: Record<string, string>) =>
          cloneAs(gateway().url, { name: `${name}-${graphql}`, headers, graphql });
        expect(await record('direct', {})).toBe('127.0.0.1');
        expect(await record('forwarded', FORWARDED)).toBe('127.0.0.1');
      },
    );

    test.each([false, true])(
      'is the one a trusted proxy reports, if it is an IP address (GraphQL: %s)',
      async (graphql) => {
        const behind = await startGateway(database(), { TRUSTED_PROXIES: '127.0.0.0/8' });
        const record = (name: string, forwardedFor: string) =>
          cloneAs(behind.url, {
            name: `${name}-${graphql}`,
            headers: { 'x-forwarded-for': forwardedFor },
            graphql,
          });
        expect(await record('proxied', FORWARDED['x-forwarded-for'])).toBe('203.0.113.9');
        expect(await record('with-port', '[2001:DB8::1]:443')).toBe('2001:db8::1');
        expect(await record('odd', `203.0.113.9, ${'x'.repeat(1_000)}`)).toBe('127.0.0.1');
        expect(await record('empty', '')).toBe('127.0.0.1');
        await behind.stop();
      },
    );
  });

  describe('the log', () => {
    test('has one line per request, with its outcome', async () => {
      const { log } = gateway();
      log.length = 0;
      const { headers } = await gateway().rest(`${SEARCH}?query=something`);
      await gateway().rest('/api/admin/projects/nowhere/health-report');
      await expect.poll(() => log.length).toBe(2);
      const [one, two] = log.map((line) => JSON.parse(line));
      expect(one).toMatchObject({
        level: 30,
        method: 'GET',
        path: SEARCH,
        status: 200,
        ms: expect.any(Number),
        requestId: headers.get('x-request-id'),
      });
      expect(two).toMatchObject({ status: 404 });
    });

    test('contains the first 500 characters of a path', async () => {
      const { log } = gateway();
      log.length = 0;
      const path = `/api/admin/${'x'.repeat(10_000)}`;
      await gateway().rest(path);
      await expect.poll(() => log.length).toBe(1);
      expect(JSON.parse(log[0] ?? '').path).toBe(`${path.slice(0, 500)}…`);
    });

    test('never contains a token, wherever it was sent', async () => {
      const { log } = gateway();
      log.length = 0;
      const secret = 'user:very-secret-token-0123456789';
      const name = 'secret-carrier';
      await gateway().rest(`${SEARCH}?token=${secret}&query=${secret}`, { token: secret });
      await gateway().rest(`${SEARCH}?authorization=${DEMO_TOKENS.admin}&query=x`);
      await gateway().rest(`${SEARCH}?createdBy=${secret}`);
      await gateway().rest('/graphql', {
        token: `Bearer ${secret}`,
        body: { query: '{ viewer { name } }' },
      });
      await gateway().graphql(
        'query ($text: String) { events(filter: { text: $text }) { totalCount } }',
        { text: secret },
      );
      await gateway().rest('/graphql', { rawBody: `{"query": "${secret}` });
      await gateway().rest('/api/admin/nothing', { headers: { 'x-forwarded-for': name } });
      await expect.poll(() => log.length).toBe(7);
      const text = log.join('');
      expect(text).not.toContain(secret);
      expect(text).not.toContain(DEMO_TOKENS.admin);
      expect(text).not.toMatch(/authorization/i);
    });

    test('contains no token after an internal error either', async () => {
      const { log } = gateway();
      const { client } = database();
      log.length = 0;
      const secret = 'user:breaking-secret-token';
      await client.$executeRaw`alter table personal_access_tokens rename to personal_kept`;
      await client.$executeRaw`alter table api_tokens rename to api_kept`;
      const personal = await gateway().rest(SEARCH, { token: secret });
      const admin = await gateway().graphql('{ viewer { name } }');
      await client.$executeRaw`alter table api_kept rename to api_tokens`;
      await client.$executeRaw`alter table personal_kept rename to personal_access_tokens`;
      expect([personal.status, admin.status]).toEqual([500, 500]);
      await expect.poll(() => log.length).toBe(4);
      expect(log.join('')).toContain(personal.body.id);
      expect(log.join('')).not.toContain(secret);
      expect(log.join('')).not.toContain(DEMO_TOKENS.admin);
    });
  });
});
