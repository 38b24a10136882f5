import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gateway } from '../../testkit/app.js';
import { cpuMsOf } from '../../testkit/cpu-time.js';
import { startDemoGateway } from '../../testkit/demo-gateway.js';
import { listBuilt, listPages } from '../../testkit/docs-site.js';
import { rawRequest } from '../../testkit/raw-request.js';

let world: Awaited<ReturnType<typeof startDemoGateway>>;
let gateway: Gateway;
beforeAll(async () => {
  world = await startDemoGateway();
  gateway = world.gateway;
});
afterAll(() => world.stop());

const HEADERS = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const fetchPage = (path: string, from = gateway) =>
  from.rest(path, { token: null, headers: HEADERS });

const addressOf = (file: string) =>
  `/docs/${file.replace(/(^|\/)index\.(md|html)$/, '$1').replace(/\.(md|html)$/, '')}`;
const pages = listBuilt().filter((name) => name.endsWith('.html') && name !== '404.html');
const valuesOf = (page: string, name: string) =>
  [...page.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

/** Addresses that a page links to, without other hosts. */
const linksOf = (path: string, page: string) =>
  valuesOf(page, 'href')
    .map((href) => new URL(href.replaceAll('&amp;', '&'), new URL(path, gateway.url)))
    .filter(({ origin }) => origin === new URL(gateway.url).origin);

/** Source text of every inline script of a page. */
const inlineScripts = (page: string) =>
  [...page.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)].flatMap(([, attributes = '', text]) =>
    / src=/.test(attributes) ? [] : [text ?? ''],
  );

test('every page is linked from the start page, and every link and anchor has a target', async () => {
  const known = new Map<string, string>();
  const visit = async (path: string): Promise<void> => {
    if (known.has(path)) return;
    const { status, headers, text } = await gateway.rest(path, { headers: HEADERS });
    expect([path, status]).toEqual([path, 200]);
    const isPage = headers.get('content-type')?.startsWith('text/html') === true;
    known.set(path, isPage ? text : '');
    if (!isPage) return;
    for (const { pathname } of linksOf(path, text)) await visit(pathname);
  };
  await visit('/');
  const missing = [...listPages(), ...pages].map(addressOf).filter((path) => !known.has(path));
  expect(missing).toEqual([]);

  for (const [path, text] of known) {
    for (const { pathname, hash } of linksOf(path, text)) {
      if (hash === '' || !pathname.startsWith('/docs/')) continue;
      const id = decodeURIComponent(hash.slice(1));
      const exists = known.get(pathname)?.includes(`id="${id}"`);
      expect([path, pathname, id, exists]).toEqual([path, pathname, id, true]);
    }
  }
});

test.each([
  '/docs/nowhere',
  '/docs/../package.json',
  '/docs/..%2fpackage.json',
  '/docs//etc/passwd',
])('%s does not exist', async (path) => {
  const { status, body } = await rawRequest(gateway.url, { path });
  expect(status).toBe(404);
  expect(body.toString()).not.toMatch(/dependencies|root:/);
});

test('a long address with many slashes takes no time', async () => {
  const path = `/docs${'/'.repeat(16_000)}x`;
  const milliseconds = await cpuMsOf(async () => {
    expect((await rawRequest(gateway.url, { path })).status).toBe(404);
  });
  expect(milliseconds).toBeLessThan(200);
});

describe.each([...pages.map(addressOf), '/docs/nowhere'])('%s', (path) => {
  test('runs known scripts only, loads nothing from other hosts, and cannot be framed', async () => {
    const { headers, text } = await fetchPage(path);
    const policy = headers.get('content-security-policy') ?? '';
    const rules = new Map(
      policy.split('; ').map((rule) => rule.split(/ (.*)/s, 2) as [string, string]),
    );
    for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors']) {
      expect([name, rules.get(name)]).toEqual([name, "'none'"]);
    }
    const scripts = rules.get('script-src') ?? '';
    expect(scripts).toMatch(/^'self'( 'sha256-[\w+/=]+')*$/);
    for (const script of inlineScripts(text)) {
      const hash = createHash('sha256').update(script).digest('base64');
      expect([script, scripts.includes(`'sha256-${hash}'`)]).toEqual([script, true]);
    }
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(text).not.toMatch(/<[^>]+ on\w+="/);
    expect(valuesOf(text, 'src').filter((source) => !source.startsWith('/docs/'))).toEqual([]);
    const loaded = [...text.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(loaded.filter((href) => !href.startsWith('/docs/'))).toEqual([]);
  });
});

test('pages are revalidated, their assets are compressed and immutable', async () => {
  const { headers, text } = await fetchPage('/docs/');
  expect(headers.get('cache-control')).toBe('no-cache');
  const again = await gateway.rest('/docs/', {
    token: null,
    headers: { ...HEADERS, 'if-none-match': headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);

  const files = valuesOf(text, 'src').filter((path) => path.startsWith('/docs/assets/'));
  expect(files.length).toBeGreaterThan(1);
  for (const path of files) {
    const response = await rawRequest(gateway.url, { path, headers: { 'accept-encoding': 'br' } });
    expect([path, response.status, response.headers['content-encoding']]).toEqual([
      path,
      200,
      'br',
    ]);
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  }
});

test('below a base path every address includes it', async () => {
  const below = await world.again({ BASE_PATH: '/flags' });
  for (const file of pages) {
    const { status, text } = await fetchPage(addressOf(file), below);
    expect(status).toBe(200);
    const own = [...valuesOf(text, 'href'), ...valuesOf(text, 'src')].filter(
      (link) => !/^(#|\.|https?:)/.test(link),
    );
    expect(own.filter((link) => !link.startsWith('/flags/'))).toEqual([]);
  }
});

test('without GraphiQL no page contains its address', async () => {
  const without = await world.again({ GRAPHIQL: 'off' });
  expect((await fetchPage('/docs/', without)).text).toContain('<meta name="graphiql" content="">');
  expect((await fetchPage('/docs/')).text).toContain('<meta name="graphiql" content="/graphql">');
});
