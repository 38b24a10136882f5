import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, type Gateway, startGateway } from '../../testkit/app.js';
import { attachGateway } from '../../testkit/attached-gateway.js';
import { CONSOLE_HASH, CONSOLE_QUERY, makeConsole } from '../../testkit/console-folder.js';
import { makeFolder } from '../../testkit/documents-folder.js';
import { rawRequest } from '../../testkit/raw-request.js';
import { SESSION_SECRET } from '../../testkit/unleash-sessions.js';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const consoleFolder = makeConsole();

const open = (gateway: Gateway, path: string, headers: Record<string, string> = HTML) =>
  gateway.rest(path, { token: null, headers });

const isConsole = (text: string) => text.includes('<div id="root">');

describeWithDemo('the console', ({ database }) => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway(database(), {}, { consoleFolder });
  });
  afterAll(() => gateway.stop());

  const startWith = async (
    settings: Record<string, string>,
    run: (other: Gateway) => Promise<unknown>,
    hasDemo = true,
  ) => {
    const other = await startGateway(database(), settings, { consoleFolder, hasDemo });
    await run(other).finally(other.stop);
  };

  test.each([
    '/',
    '/projects',
    '/projects/web-shop',
    '/features/checkout-one-page',
    '/clean-up',
    '/integrations',
    '/integrations/2',
  ])('is served to browsers at %s', async (path) => {
    const { status, headers, text } = await open(gateway, path);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(isConsole(text)).toBe(true);
    expect(text).toContain('<script type="module" src="/assets/console/assets/main-1.js">');
    const again = await open(gateway, path, {
      ...HTML,
      'if-none-match': headers.get('etag') ?? '',
    });
    expect([headers.get('cache-control'), again.status]).toEqual(['no-cache', 304]);
  });

  test.each(['br', 'gzip', 'identity'])('sends its page as %s, also for HEAD', async (encoding) => {
    const headers = { ...HTML, 'accept-encoding': encoding };
    const [page, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => rawRequest(gateway.url, { path: '/', method, headers })),
    );
    expect(page?.headers['content-encoding'] ?? 'identity').toBe(encoding);
    expect(page?.headers['content-length']).toBe(String(page?.body.length));
    expect(page?.headers.vary).toBe('Accept, Accept-Encoding');
    for (const name of ['etag', 'cache-control', 'content-type', 'content-length', 'vary']) {
      expect([name, head?.headers[name]]).toEqual([name, page?.headers[name]]);
    }
    expect([head?.status, head?.body.length]).toEqual([200, 0]);
  });

  test('has the same ETag in every encoding, which another version does not have', async () => {
    const etags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (encoding) => {
        const response = await open(gateway, '/', { ...HTML, 'accept-encoding': encoding });
        return response.headers.get('etag');
      }),
    );
    expect(new Set(etags).size).toBe(1);
    await startWith({ GRAPHIQL: 'off' }, async (other) => {
      const cached = await open(other, '/', { ...HTML, 'if-none-match': etags[0] ?? '' });
      expect(cached.status).toBe(200);
    });
  });

  test('is a 404 page for paths that are not screens', async () => {
    for (const path of ['/features', '/projects/web-shop/settings', '/nowhere']) {
      const { status, text } = await open(gateway, path);
      expect([path, status, isConsole(text)]).toEqual([path, 404, false]);
    }
  });

  test('is counted by routes, without names of features and projects', async () => {
    await open(gateway, '/features/counted-feature');
    await open(gateway, '/projects/counted-project');
    await open(gateway, '/assets/console/assets/main-1.js');
    const { text } = await gateway.rest('/metrics');
    for (const route of ['/features/:name', '/projects/:id', '/assets/*']) {
      expect(text).toContain(`{route="${route}",method="GET",status="200"}`);
    }
    expect(text).not.toContain('counted-');
  });

  test('runs its own scripts only, and not in frames', async () => {
    const { headers, text } = await open(gateway, '/');
    const policy = headers.get('content-security-policy') ?? '';
    const rules = new Map(
      policy.split('; ').map((rule) => rule.split(/ (.*)/s, 2) as [string, string]),
    );
    expect(Object.fromEntries(rules)).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'connect-src': "'self'",
      'img-src': "'self' data:",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
    expect(rules.get('style-src')).toMatch(/^'self' 'sha256-[^']+'$/);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(text).not.toMatch(
      /<script(?![^>]* src=| type="application\/json")|<style|<[^>]+ (on\w+|style)=/,
    );
  });

  test.each([
    ['main-1.js', 'text/javascript; charset=utf-8'],
    ['main-2.css', 'text/css; charset=utf-8'],
    ['shared-3.js', 'text/javascript; charset=utf-8'],
  ])('lets browsers cache %s forever', async (name, type) => {
    const path = `/assets/console/assets/${name}`;
    for (const encoding of ['br', 'gzip', 'identity']) {
      const response = await rawRequest(gateway.url, {
        path,
        headers: { 'accept-encoding': encoding },
      });
      expect([response.status, response.headers['content-type']]).toEqual([200, type]);
      expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(response.headers['content-encoding'] ?? 'identity').toBe(encoding);
      expect(response.headers.vary).toBe('Accept-Encoding');
      const head = await rawRequest(gateway.url, {
        path,
        method: 'HEAD',
        headers: { 'accept-encoding': encoding },
      });
      expect([head.status, head.body.length]).toEqual([200, 0]);
      expect(head.headers['content-length']).toBe(String(response.body.length));
      expect(head.headers['cache-control']).toBe(response.headers['cache-control']);
    }
  });

  test.each([
    '/assets/console/',
    '/assets/console/manifest.json',
    '/assets/console/documents.json',
    '/assets/console/assets/unlisted.js',
    '/assets/console/../../package.json',
    '/assets/console/..%2f..%2fpackage.json',
    '/assets/console/%2e%2e/%2e%2e/package.json',
    '/assets/console//etc/passwd',
    '/assets/console/assets/../manifest.json',
    '/assets/console/constructor',
  ])('does not serve %s', async (path) => {
    for (const headers of [{}, HTML]) {
      const { status, body } = await rawRequest(gateway.url, { path, headers });
      expect([status, body.toString()]).toEqual([404, 'File not found. Reload the page.\n']);
    }
  });

  test('offers the demo roles outside of production only', async () => {
    expect((await open(gateway, '/')).text).toContain(DEMO_TOKENS.admin);
    await startWith({ NODE_ENV: 'production', CONSOLE: 'on' }, async (other) => {
      const { text } = await open(other, '/');
      expect(isConsole(text)).toBe(true);
      expect(text).not.toContain('demo-');
      expect(text).toContain('"demoRoles":[]');
    });
  });

  test('is off in production by default, and with CONSOLE=off', async () => {
    for (const settings of [{ NODE_ENV: 'production' }, { CONSOLE: 'off' }]) {
      await startWith(settings, async (other) => {
        const start = await open(other, '/');
        expect([start.status, isConsole(start.text)]).toEqual([200, false]);
        expect((await open(other, '/projects')).status).toBe(404);
        expect((await open(other, '/assets/console/assets/main-1.js', {})).status).toBe(404);
      });
    }
  });

  test('shows data at each address in the README', async () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const addresses = [...readme.matchAll(/\]\(http:\/\/127\.0\.0\.1:4000(\/[^)]*)\)/g)];
    expect(addresses.length).toBeGreaterThan(4);
    for (const [, address = ''] of addresses) {
      const { status, text } = await open(gateway, address);
      expect([address, status, isConsole(text)]).toEqual([address, 200, true]);
      const { pathname, searchParams } = new URL(address, gateway.url);
      const named = pathname.startsWith('/features/')
        ? pathname.slice(10)
        : searchParams.get('feature');
      if (named === null) continue;
      const { data } = await gateway.graphql(
        'query ($name: String!) { feature(name: $name) { events { totalCount } } }',
        { name: named },
      );
      expect([address, data.feature?.events.totalCount > 0]).toEqual([address, true]);
    }
  });

  test('has no known documents when it is off', async () => {
    await startWith({ CONSOLE: 'off' }, async (other) => {
      const { body } = await other.rest('/graphql', { body: { documentId: CONSOLE_HASH } });
      expect(body.errors[0].extensions.code).toMatch(/^PERSISTED_QUERY_NOT/);
    });
  });

  test('is linked from GraphiQL, the start page and the index', async () => {
    const { text } = await open(gateway, '/start');
    expect(text).toContain('<h2 id="get-a-token">');
    expect(text).not.toContain('aria-current');
    for (const page of [text, (await open(gateway, '/graphql')).text]) {
      expect(page).toContain('<a href="/">Console</a>');
      expect(page).not.toContain('<a href="/">Start</a>');
    }
    expect((await open(gateway, '/', {})).body.links.console).toBe('/');
  });

  test('is not linked when it is off; the start page says why', async () => {
    await startWith({ CONSOLE: 'off' }, async (other) => {
      expect((await open(other, '/graphql')).text).toContain('<a href="/">Start</a>');
      for (const path of ['/', '/start']) {
        const { status, text } = await open(other, path);
        expect([status, text.includes('Console</a>')]).toEqual([200, false]);
        expect(text).toContain('The console is off on this gateway: CONSOLE is off.');
      }
      expect((await open(other, '/', {})).body.links).not.toHaveProperty('console');
    });
  });

  test('is reported as not built if its files are missing', async () => {
    const empty = pathToFileURL(`${mkdtempSync(join(tmpdir(), 'flaggraph-unbuilt-'))}/`);
    const other = await startGateway(database(), {}, { consoleFolder: empty });
    const { status, text } = await open(other, '/');
    expect([status, isConsole(text)]).toEqual([200, false]);
    expect(text).toContain('The console is off on this gateway: it is not built');
    await other.stop();
  });

  test('sends documents that are known, also if others are not', async () => {
    const only = {
      TRUSTED_DOCUMENTS: makeFolder({ 'who.graphql': 'query WhoAmI { viewer { name } }' }),
      TRUSTED_DOCUMENTS_ONLY: 'on',
    };
    const extensions = { persistedQuery: { version: 1, sha256Hash: CONSOLE_HASH } };
    const expected = { viewer: { kind: 'ADMIN_TOKEN' } };
    expect((await gateway.rest('/graphql', { body: { extensions } })).body.data).toEqual(expected);
    await startWith(only, async (strict) => {
      const known = await strict.rest('/graphql', { body: { extensions } });
      expect([known.status, known.body.data]).toEqual([200, expected]);
      const own = await strict.rest('/graphql', { body: { documentId: 'WhoAmI' } });
      expect(own.status).toBe(200);
      const other = await strict.rest('/graphql', {
        body: { query: CONSOLE_QUERY.replace('kind', 'name') },
      });
      expect(other.body.errors[0].extensions.code).toBe('QUERY_NOT_IN_SAFELIST');
    });
  });
});

test('the console is on in production if sessions are accepted, and links to Unleash', async () => {
  const attached = await attachGateway(async () => undefined, {
    consoleFolder,
    settings: {
      NODE_ENV: 'production',
      DATABASE_URL: 'postgresql://unused.example/unleash',
      UNLEASH_SECRET: SESSION_SECRET,
      ADMIN_UI_URL: 'https://flags.example',
    },
  });
  try {
    const { text } = await open(attached.gateway, '/');
    expect(isConsole(text)).toBe(true);
    expect(text).toContain('"hasSessions":true,"unleashUrl":"https://flags.example"');
    expect(text).not.toContain(SESSION_SECRET);
    const without = await startGateway(
      attached.database,
      {
        NODE_ENV: 'production',
        DATABASE_URL: 'postgresql://unused.example/unleash',
        UNLEASH_SECRET: SESSION_SECRET,
        SESSIONS: 'off',
      },
      { consoleFolder, hasDemo: false },
    );
    expect(isConsole((await open(without, '/')).text)).toBe(false);
    await without.stop();
  } finally {
    await attached.close();
  }
});

describeWithDemo('the index', ({ gateway, database, statementsOf }) => {
  test.each([undefined, null, 'user:unknown'])('is returned with the token %s', async (token) => {
    const statements = await statementsOf(async () => {
      const call = { headers: { accept: '*/*' }, ...(token !== undefined && { token }) };
      const { status, headers, body } = await gateway().rest('/', call);
      expect([status, headers.get('content-type')]).toEqual([
        200,
        'application/json; charset=utf-8',
      ]);
      expect(headers.get('vary')).toContain('Accept');
      expect(Object.keys(body)).toEqual(['name', 'version', 'description', 'links']);
      expect([body.name, body.version]).toEqual(['flaggraph', expect.stringMatching(/^\d+\./)]);
    });
    expect(statements).toEqual([]);
  });

  test('links to what the gateway serves', async () => {
    const below = await startGateway(database(), { BASE_PATH: '/flags' });
    const { body } = await below.rest('/', { token: null });
    for (const [name, link] of Object.entries<string>(body.links)) {
      expect([name, link]).toEqual([name, expect.stringMatching(/^\/flags\//)]);
      // The documentation is built separately.
      if (name === 'docs') continue;
      const path = name === 'graphql' ? `${link}?query=%7B__typename%7D` : link;
      const { status } = await rawRequest(below.url, {
        path,
        headers: { authorization: DEMO_TOKENS.admin },
      });
      expect([name, status]).toEqual([name, 200]);
    }
    await below.stop();
  });

  test('is revalidated with an ETag, and has no body for HEAD', async () => {
    const { headers } = await gateway().rest('/');
    const etag = headers.get('etag') ?? '';
    expect(headers.get('cache-control')).toBe('no-cache');
    const cached = await gateway().rest('/', { headers: { 'if-none-match': etag } });
    expect([cached.status, cached.text]).toEqual([304, '']);
    const head = await gateway().rest('/', { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), head.text]).toEqual([200, etag, '']);
  });

  test('is not returned to other methods', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await gateway().rest('/', { method, token: null })).status).toBe(401);
    }
  });
});

describeWithDemo(
  'an unknown page',
  ({ gateway }) => {
    test.each(['/nowhere', '/projects', '/docsy', '/apis', '/%ff'])(
      '%s is a 404 page in a browser',
      async (path) => {
        const { status, headers, text } = await open(gateway(), path);
        expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
        expect(text).toContain('<h1>Page not found</h1>');
        expect(text).toContain('<a href="/">');
        expect(text).not.toContain('nowhere');
        expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      },
    );

    test.each(['/api', '/api/admin/nothing', '/API/admin', '//api/x', '/export/events.xml'])(
      '%s stays JSON in a browser',
      async (path) => {
        const { status, body } = await rawRequest(gateway().url, {
          path,
          headers: { ...HTML, authorization: DEMO_TOKENS.admin },
        });
        expect([status, JSON.parse(body.toString()).name]).toEqual([404, 'NotFoundError']);
      },
    );

    test('stays JSON for other clients', async () => {
      const { status, body } = await gateway().rest('/nowhere');
      expect([status, body.name]).toEqual([404, 'NotFoundError']);
      const anonymous = await gateway().rest('/nowhere', { token: null });
      expect([anonymous.status, anonymous.body.name]).toEqual([401, 'AuthenticationRequired']);
    });
  },
  { CONSOLE: 'off' },
);
