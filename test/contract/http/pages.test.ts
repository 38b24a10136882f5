import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { UNLEASH_VERSIONS } from '../../../src/data/doctor/unleash-version.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, type Gateway, startGateway, type World } from '../../testkit/app.js';
import { convertToUnleash, runSql } from '../../testkit/attach.js';
import { createMigratedDatabase } from '../../testkit/database.js';
import { startDatabaseProxy } from '../../testkit/database-proxy.js';
import { rawRequest } from '../../testkit/raw-request.js';

const BROWSER = { token: null, headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

const fetchPage = (gateway: Gateway, path: string, headers: Record<string, string> = {}) =>
  gateway.rest(path, { token: null, headers: { ...BROWSER.headers, ...headers } });

/** The visible text. */
const textOf = (page: string) =>
  page
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#39;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/\s+/g, ' ');

const linksOf = (page: string) =>
  [...page.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);

const definePages = ({ gateway, database, kind }: World) => {
  test('the start page describes the product, its status, and how to get a token', async () => {
    const { status, headers, text } = await fetchPage(gateway(), '/');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(textOf(text)).toContain('GraphQL for Unleash: one typed API');
    expect(textOf(text)).toMatch(/Version 0\.\d+\.\d+ Database Available \(/);
    expect(textOf(text)).toContain(kind === 'embedded' ? 'embedded PostgreSQL' : '(PostgreSQL');
    expect(textOf(text)).toContain('created by this gateway, up to 2026');
    expect(textOf(text)).toContain('npx flaggraph token create admin --name me');
    expect(textOf(text)).toContain(DEMO_TOKENS.admin);
    expect(textOf(text)).toMatch(/a read-only token, user:demo-viewer/);
    expect(Buffer.byteLength(text)).toBeLessThan(6_000);
  });

  test('the curl example of the start page works', async () => {
    const { text } = await fetchPage(gateway(), '/');
    const [, address = '', token = '', body = ''] =
      /curl (\S+) .*'Authorization: ([^']+)'.* -d '([^']+)'/s.exec(
        text.replaceAll('&quot;', '"').replaceAll('&#39;', "'"),
      ) ?? [];
    const response = await fetch(address, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body,
    });
    expect(await response.json()).toMatchObject({ data: { events: { nodes: [{}, {}, {}] } } });
  });

  test('the OpenAPI document of the documentation equals that of the REST paths', async () => {
    const { status, headers, body } = await gateway().rest('/docs/openapi.json', { token: null });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.openapi).toMatch(/^3\.1/);
    expect(body).toEqual((await gateway().rest('/api/admin/openapi.json')).body);
  });

  test('an invalid Host header is not repeated', async () => {
    const production = await startGateway(database(), { NODE_ENV: 'production' });
    const { status, body } = await rawRequest(production.url, {
      path: '/',
      headers: { accept: 'text/html', host: '"><script>x' },
    });
    await production.stop();
    expect(status).toBe(200);
    expect(body.toString()).toContain('curl http://localhost/graphql');
    expect(body.toString()).not.toContain('script');
  });

  // The documentation is built separately and has its own tests: test/e2e/docs.
  test('every link of the start page works', async () => {
    const links = linksOf((await fetchPage(gateway(), '/')).text).filter(
      (link) => link.startsWith('/') && !link.startsWith('/docs/'),
    );
    expect(links).toEqual(expect.arrayContaining(['/graphql', '/metrics']));
    for (const link of links) {
      const { status } = await gateway().rest(link, { headers: BROWSER.headers });
      expect([link, status]).toEqual([link, 200]);
    }
  });

  test.each([
    '/docs/no-such-page',
    '/docs/../package.json',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e/README',
    '/docs//etc/passwd',
    '/docs/questions/../../package',
    '/docs/constructor',
    '/assets/../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/pages.css',
  ])('%s returns 404', async (path) => {
    const { status, body } = await rawRequest(gateway().url, { path });
    expect(status).toBe(404);
    expect(body.toString()).not.toMatch(/dependencies|root:/);
  });

  test('GraphiQL is revalidated with an ETag', async () => {
    const { status, headers } = await fetchPage(gateway(), '/graphql');
    const etag = headers.get('etag') ?? '';
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect((await fetchPage(gateway(), '/graphql', { 'if-none-match': etag })).status).toBe(304);
    expect((await fetchPage(gateway(), '/graphql', { 'if-none-match': 'W/"other"' })).status).toBe(
      200,
    );
  });

  test.each(['/', '/graphql'])(
    '%s runs scripts of the gateway only, and not in frames',
    async (path) => {
      const { headers, text } = await fetchPage(gateway(), path);
      const policy = headers.get('content-security-policy') ?? '';
      const rules = new Map(
        policy.split('; ').map((rule) => rule.split(/ (.*)/s, 2) as [string, string]),
      );
      expect(rules.get('default-src')).toBe("'none'");
      for (const name of ['base-uri', 'form-action', 'frame-ancestors']) {
        expect([name, rules.get(name)]).toEqual([name, "'none'"]);
      }
      expect(rules.get('script-src') ?? "'self'").toBe("'self'");
      expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
      if (path !== '/graphql') expect(policy).not.toContain('unsafe');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(text).not.toMatch(
        /<script(?![^>]* src=| type="application\/json")|<[^>]+ (on\w+|style)=/,
      );
    },
  );

  test('GraphiQL is a small page with precompressed, immutable files', async () => {
    const { text } = await fetchPage(gateway(), '/graphql');
    expect(Buffer.byteLength(text)).toBeLessThan(12_000);
    const files = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThan(5);
    let size = 0;
    for (const path of files) {
      for (const encoding of ['br', 'gzip']) {
        const response = await rawRequest(gateway().url, {
          path,
          headers: { 'accept-encoding': encoding },
        });
        expect([path, response.status, response.headers['content-encoding']]).toEqual([
          path,
          200,
          encoding,
        ]);
        expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
        if (encoding === 'br') size += response.body.length;
      }
    }
    expect(size).toBeLessThan(2_500_000);

    const [path = ''] = files.filter((file) => /\/graphiql-[^/]*\.js$/.test(file));
    const [packed, plain] = await Promise.all(
      ['gzip', 'identity'].map((encoding) =>
        rawRequest(gateway().url, { path, headers: { 'accept-encoding': encoding } }),
      ),
    );
    expect(plain?.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(packed?.body ?? '').equals(plain?.body ?? Buffer.of())).toBe(true);
  });

  test('contain no token, no layout and no GraphiQL in production', async () => {
    const hardened = await startGateway(database(), { NODE_ENV: 'production' });
    const { status, text } = await fetchPage(hardened, '/');
    expect(status).toBe(200);
    expect(text).not.toMatch(/demo-|\/graphql"|created by this gateway/);
    expect(textOf(text)).toContain("Authorization: <token>'");
    const page = (await fetchPage(gateway(), '/graphql')).text;
    const [file = ''] = /\/assets\/graphiql-[^"]*\.js/.exec(page) ?? [];
    const statusOf = async ({ url }: Gateway) => (await rawRequest(url, { path: file })).status;
    expect([await statusOf(gateway()), await statusOf(hardened)]).toEqual([200, 404]);
    await hardened.stop();
  });

  test('redirect from GraphiQL to the start page when it is off', async () => {
    const without = await startGateway(database(), {
      CONSOLE: 'off',
      GRAPHIQL: 'off',
      BASE_PATH: '/flags',
    });
    const { status, headers } = await fetchPage(without, '/graphql');
    expect([status, headers.get('location')]).toEqual([303, '/flags/']);
    expect(textOf((await fetchPage(without, '/')).text)).toContain(
      'GraphiQL is off on this gateway',
    );
    expect(textOf((await fetchPage(gateway(), '/')).text)).not.toContain('GraphiQL is off');
    const response = await fetchPage(without, '/graphql?query=%7Bviewer%7Bname%7D%7D');
    expect([response.status, response.body.errors[0].extensions.code]).toEqual([
      401,
      'UNAUTHENTICATED',
    ]);
    await without.stop();
  });

  test('work below a base path', async () => {
    const below = await startGateway(database(), { CONSOLE: 'off', BASE_PATH: '/flags' });
    for (const path of ['/', '/graphql']) {
      const { status, text } = await fetchPage(below, path);
      expect(status).toBe(200);
      const own = linksOf(text).filter((link) => !/^(#|https?:)/.test(link));
      expect(own.filter((link) => !link.startsWith('/flags/'))).toEqual([]);
      expect(text).not.toMatch(/"\/(assets|graphql)/);
    }
    await below.stop();
  });
};

describeWithDemo('the pages', definePages, { CONSOLE: 'off' });

describe('the start page', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test('reports that the database does not respond, with advice, until it recovers', async () => {
    const { url, drop } = await createMigratedDatabase();
    const proxy = await startDatabaseProxy(url);
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: proxy.url });
    const gateway = await startGateway(database, { CONSOLE: 'off' });
    cleanUps.push(drop, proxy.cut, database.close, gateway.stop);

    await proxy.cut();
    const { status, text } = await fetchPage(gateway, '/');
    expect(status).toBe(200);
    expect(textOf(text)).toContain('Database Does not respond');
    expect(textOf(text)).toMatch(/Check that PostgreSQL is running .* npx flaggraph doctor/);
    const { password, host, pathname } = new URL(url);
    for (const secret of [password, host, pathname.slice(1), new URL(proxy.url).host]) {
      expect(secret).not.toBe('');
      expect(text).not.toContain(secret);
    }

    await proxy.restore();
    await expect
      .poll(async () => textOf((await fetchPage(gateway, '/')).text))
      .toContain('Database Available');
  });

  test('of an attached gateway names the version of Unleash and where to create tokens', async () => {
    const { url, drop } = await createMigratedDatabase();
    await convertToUnleash(
      url,
      UNLEASH_VERSIONS.map(({ lastMigration }) => lastMigration),
    );
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
    const gateway = await startGateway(database, { CONSOLE: 'off' }, { hasDemo: false });
    cleanUps.push(drop, database.close, gateway.stop);

    const text = textOf((await fetchPage(gateway, '/')).text);
    expect(text).toContain('tables of Unleash, version 8.2');
    expect(text).toContain('create a personal access token in its admin UI');
    expect(text).not.toContain('token create');

    await runSql(
      url,
      `INSERT INTO api_tokens (secret, username, type, environment, token_name)
       VALUES ('*:*.pages', 'pages', 'admin', '*', 'pages')`,
      'ALTER TABLE features RENAME COLUMN stale TO stale_no_more',
    );
    // A statement that misses the column triggers a layout check.
    const { errors } = await gateway.graphql(
      '{ features(first: 1) { nodes { stale } } }',
      {},
      { token: '*:*.pages' },
    );
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['OVERLOADED']);
    await expect
      .poll(async () => textOf((await fetchPage(gateway, '/')).text))
      .toMatch(/Unleash may be upgrading the database.*Database Lacks tables or columns/);
  });
});
