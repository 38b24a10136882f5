import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/data/connect.js';
import { ORIGINAL_VERSIONS } from '../../src/data/doctor/original-version.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { describeDemoOnBothDatabases, type Gateway, startGateway } from '../testkit/app.js';
import { runSql, turnIntoOriginal } from '../testkit/attach.js';
import { createMigratedDatabase } from '../testkit/database.js';
import { startDatabaseProxy } from '../testkit/database-proxy.js';
import { rawRequest } from '../testkit/raw-request.js';

const BROWSER = { token: null, headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

const look = (gateway: Gateway, path: string, headers: Record<string, string> = {}) =>
  gateway.rest(path, { token: null, headers: { ...BROWSER.headers, ...headers } });

/** The text a reader sees. */
const textOf = (page: string) =>
  page
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#39;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/\s+/g, ' ');

const linksOf = (page: string) =>
  [...page.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);

describeDemoOnBothDatabases('the pages', ({ gateway, database, kind }) => {
  test('the first one says what this is, how it is, and how to get a token', async () => {
    const { status, headers, text } = await look(gateway(), '/');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(textOf(text)).toContain('A typed GraphQL graph over the admin data');
    expect(textOf(text)).toMatch(/Version 0\.\d+\.\d+ Database Answers \(/);
    expect(textOf(text)).toContain(kind === 'embedded' ? 'embedded PostgreSQL' : '(PostgreSQL');
    expect(textOf(text)).toContain('laid out by this gateway, up to 2026');
    expect(textOf(text)).toContain('npx flaggraph token create admin --name me');
    expect(textOf(text)).toContain(DEMO_TOKENS.admin);
    expect(textOf(text)).toMatch(/may only read, user:demo-viewer/);
    expect(Buffer.byteLength(text)).toBeLessThan(6_000);
  });

  test('the curl line of the first one works', async () => {
    const { text } = await look(gateway(), '/');
    const [, address = '', token = '', body = ''] =
      /curl (\S+) .*'Authorization: ([^']+)'.* -d '([^']+)'/s.exec(
        text.replaceAll('&quot;', '"').replaceAll('&#39;', "'"),
      ) ?? [];
    const answer = await fetch(address, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body,
    });
    expect(await answer.json()).toMatchObject({ data: { events: { nodes: [{}, {}, {}] } } });
  });

  test('the OpenAPI document that the first one links to is that of the REST paths', async () => {
    const [path = ''] = linksOf((await look(gateway(), '/')).text).filter((link) =>
      link.endsWith('/openapi.json'),
    );
    const { status, headers, body } = await gateway().rest(path, { token: null });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.openapi).toMatch(/^3\.1/);
    expect(body).toEqual((await gateway().rest('/api/admin/openapi.json')).body);
  });

  test('a host that is none is not repeated', async () => {
    const { status, body } = await rawRequest(gateway().url, {
      path: '/',
      headers: { accept: 'text/html', host: '"><script>x' },
    });
    expect(status).toBe(200);
    expect(body.toString()).toContain('curl http://localhost/graphql');
    expect(body.toString()).not.toContain('script');
  });

  test('nobody but a browser is given the first page', async () => {
    const { status, body } = await gateway().rest('/', { token: null });
    expect([status, body.name]).toEqual([401, 'AuthenticationRequired']);
  });

  test('every link of every page leads somewhere', async () => {
    const known = new Map<string, string>();
    const open = async (path: string): Promise<void> => {
      if (known.has(path)) return;
      const { status, headers, text } = await gateway().rest(path, { headers: BROWSER.headers });
      expect([path, status]).toEqual([path, 200]);
      known.set(path, text);
      if (!headers.get('content-type')?.startsWith('text/html')) return;
      for (const link of linksOf(text)) {
        if (link.startsWith('/')) await open(link.replace(/#.*/s, ''));
      }
    };
    await open('/');
    expect([...known.keys()]).toEqual(
      expect.arrayContaining(['/graphql', '/docs/', '/docs/readme', '/metrics']),
    );
    expect(known.size).toBeGreaterThan(15);

    for (const [path, text] of known) {
      for (const link of linksOf(text)) {
        const [target = '', anchor] = (link.startsWith('#') ? `${path}${link}` : link).split('#');
        if (anchor === undefined || !target.startsWith('/') || anchor.startsWith('query='))
          continue;
        expect([link, known.get(target)?.includes(`id="${anchor}"`)]).toEqual([link, true]);
      }
    }
  });

  test('every page of the documentation is reached from its first one', async () => {
    const { text } = await look(gateway(), '/docs/');
    const questions = await look(gateway(), '/docs/questions/');
    const reached = new Set([...linksOf(text), ...linksOf(questions.text)]);
    const { listRepository } = await import('../../src/pages/web-files.js');
    const pages = listRepository('docs')
      .filter((file) => file.endsWith('.md'))
      .map((file) => `/${file.replace(/\.md$/, '').replace(/(?<=\/)index$/, '')}`);
    expect(pages.length).toBeGreaterThan(15);
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  test.each([
    ['/docs', '/docs/'],
    ['/docs/questions', '/docs/questions/'],
    ['/docs/questions/what-changed.md', '/docs/questions/what-changed'],
    ['/docs/performance/', '/docs/performance'],
  ])('%s leads to %s', async (path, location) => {
    const { status, headers } = await look(gateway(), path);
    expect([status, headers.get('location')]).toEqual([301, location]);
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
  ])('%s is nowhere', async (path) => {
    const { status, body } = await rawRequest(gateway().url, { path });
    expect(status).toBe(404);
    expect(body.toString()).not.toMatch(/dependencies|root:/);
  });

  test.each(['/docs/', '/docs/questions/find-events', '/graphql'])(
    '%s is not sent twice to who has it',
    async (path) => {
      const { status, headers } = await look(gateway(), path);
      const etag = headers.get('etag') ?? '';
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect((await look(gateway(), path, { 'if-none-match': etag })).status).toBe(304);
      expect((await look(gateway(), path, { 'if-none-match': 'W/"other"' })).status).toBe(200);
    },
  );

  test.each(['/', '/docs/', '/docs/no-such-page', '/graphql'])(
    '%s runs nothing but our own files, in nobody’s frame',
    async (path) => {
      const { headers, text } = await look(gateway(), path);
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

  test('GraphiQL is a small page and files that are packed and kept for ever', async () => {
    const { text } = await look(gateway(), '/graphql');
    expect(Buffer.byteLength(text)).toBeLessThan(12_000);
    const files = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThan(5);
    let size = 0;
    for (const path of files) {
      for (const encoding of ['br', 'gzip']) {
        const answer = await rawRequest(gateway().url, {
          path,
          headers: { 'accept-encoding': encoding },
        });
        expect([path, answer.status, answer.headers['content-encoding']]).toEqual([
          path,
          200,
          encoding,
        ]);
        expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
        if (encoding === 'br') size += answer.body.length;
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

  test('in production they hold no token, no layout and no GraphiQL', async () => {
    const hardened = await startGateway(database(), { NODE_ENV: 'production' });
    const { status, text } = await look(hardened, '/');
    expect(status).toBe(200);
    expect(text).not.toMatch(/demo-|\/graphql"|laid out/);
    expect(textOf(text)).toContain("Authorization: <token>'");
    expect((await look(hardened, '/docs/questions/what-changed')).text).not.toContain('GraphiQL');
    const page = (await look(gateway(), '/graphql')).text;
    const [file = ''] = /\/assets\/graphiql-[^"]*\.js/.exec(page) ?? [];
    const statusOf = async ({ url }: Gateway) => (await rawRequest(url, { path: file })).status;
    expect([await statusOf(gateway()), await statusOf(hardened)]).toEqual([200, 404]);
    await hardened.stop();
  });

  test('without GraphiQL, who looks for it is led to the first one, which says so', async () => {
    const without = await startGateway(database(), { GRAPHIQL: 'off', BASE_PATH: '/flags' });
    const { status, headers } = await look(without, '/graphql');
    expect([status, headers.get('location')]).toEqual([303, '/flags/']);
    expect(textOf((await look(without, '/')).text)).toContain('GraphiQL is off on this gateway');
    expect(textOf((await look(gateway(), '/')).text)).not.toContain('GraphiQL is off');
    const asked = await look(without, '/graphql?query=%7Bviewer%7Bname%7D%7D');
    expect([asked.status, asked.body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
    await without.stop();
  });

  test('they work below a base path', async () => {
    const below = await startGateway(database(), { BASE_PATH: '/flags' });
    for (const path of ['/', '/docs/', '/graphql']) {
      const { status, text } = await look(below, path);
      expect(status).toBe(200);
      const own = linksOf(text).filter((link) => !/^(#|https?:)/.test(link));
      expect(own.filter((link) => !link.startsWith('/flags/'))).toEqual([]);
      expect(text).not.toMatch(/"\/(assets|graphql)/);
    }
    await below.stop();
  });
});

describe('the first page', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test('says that the database does not answer and what to do, until it answers again', async () => {
    const { url, drop } = await createMigratedDatabase();
    const proxy = await startDatabaseProxy(url);
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: proxy.url });
    const gateway = await startGateway(database);
    cleanUps.push(drop, proxy.cut, database.close, gateway.stop);

    await proxy.cut();
    const { status, text } = await look(gateway, '/');
    expect(status).toBe(200);
    expect(textOf(text)).toContain('Database Does not answer');
    expect(textOf(text)).toMatch(/See that PostgreSQL runs .* npx flaggraph doctor/);
    const { password, host, pathname } = new URL(url);
    for (const secret of [password, host, pathname.slice(1), new URL(proxy.url).host]) {
      expect(secret).not.toBe('');
      expect(text).not.toContain(secret);
    }

    await proxy.mend();
    await expect
      .poll(async () => textOf((await look(gateway, '/')).text))
      .toContain('Database Answers');
  });

  test('of a gateway beside the original names its version and where its tokens are made', async () => {
    const { url, drop } = await createMigratedDatabase();
    await turnIntoOriginal(
      url,
      ORIGINAL_VERSIONS.map(({ lastMigration }) => lastMigration),
    );
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
    const gateway = await startGateway(database);
    cleanUps.push(drop, database.close, gateway.stop);

    const text = textOf((await look(gateway, '/')).text);
    expect(text).toContain('attached to the tables of the original service, version 8.2');
    expect(text).toContain('make an admin token or a personal token in its admin pages');
    expect(text).not.toContain('token create');

    await runSql(url, 'ALTER TABLE features RENAME COLUMN stale TO stale_no_more');
    await expect
      .poll(async () => textOf((await look(gateway, '/')).text))
      .toMatch(/Its own service may be upgrading it just now.*Database Lacks tables or columns/);
  });
});
