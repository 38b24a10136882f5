import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAssets } from '../../src/pages/assets.js';
import { createDocsSite } from '../../src/pages/docs-site.js';
import { createLayout, type Site } from '../../src/pages/layout.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-docs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};

const open = (options: Partial<Site> = {}) => {
  const site: Site = {
    basePath: '',
    hasGraphiql: true,
    hasConsole: true,
    assets: createAssets(''),
    ...options,
  };
  const docs = createDocsSite({
    site,
    layout: createLayout(site),
    folder: pathToFileURL(`${folder}/`),
  });
  return async (path: string, headers: Record<string, string> = {}) => {
    const response = await docs.respond({ headers } as IncomingMessage, path);
    return { ...response, text: String(response.body) };
  };
};

test('reports how to build the documentation when it is not built', async () => {
  const get = open();
  const { status, headers, text } = await get('/guides/attach');
  expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(text).toContain('<code>npm run docs</code>');
});

describe('a built site', () => {
  beforeEach(() => {
    write('script-hashes.json', '["sha256-abc="]');
    write(
      'index.html',
      '<a href="/__BASE_PATH__/docs/guides/"><meta content="__GRAPHIQL__"><i title="__CONSOLE__">',
    );
    write('404.html', 'nothing here');
    write('guides/index.html', 'guides');
    write('guides/attach.html', 'attach');
    write('openapi.html', 'viewer');
    write('assets/app.1234.js', 'const base = "/__BASE_PATH__/docs/";');
    write('graphiql.png', '/__BASE_PATH__');
    write('notes.txt', 'not a page');
  });

  test.each([
    ['', '/docs/'],
    ['/guides', '/docs/guides/'],
    ['/guides/attach/', '/docs/guides/attach'],
    ['/guides/attach.md', '/docs/guides/attach'],
    ['/guides/attach.html', '/docs/guides/attach'],
    ['/guides/index.md', '/docs/guides/'],
    ['/index.html', '/docs/'],
  ])('redirects %s to %s', async (path, location) => {
    const { status, headers } = await open()(path);
    expect([status, headers['location']]).toEqual([301, location]);
  });

  test.each([
    '/nowhere',
    '/notes.txt',
    '/script-hashes.json',
    '/404',
    '/../package.json',
    '/guides/../../package.json',
    '/constructor',
  ])('does not serve %s', async (path) => {
    const { status, text } = await open()(path);
    expect([status, text]).toEqual([404, 'nothing here']);
  });

  test('inserts the base path and the address of GraphiQL', async () => {
    const get = open({ basePath: '/flags' });
    expect((await get('/')).text).toBe(
      '<a href="/flags/docs/guides/"><meta content="/flags/graphql"><i title="/flags/">',
    );
    expect((await get('/assets/app.1234.js')).text).toBe('const base = "/flags/docs/";');
    expect((await get('/graphiql.png')).text).toBe('/__BASE_PATH__');
    expect((await open({ hasGraphiql: false })('/')).text).toContain('<meta content="">');
    expect((await open({ hasConsole: false })('/')).text).toContain('<i title="">');
  });

  test('allows the inline scripts of the build, and none in the OpenAPI viewer', async () => {
    const policyOf = async (path: string) =>
      (await open()(path)).headers['content-security-policy'];
    expect(await policyOf('/')).toContain("script-src 'self' 'sha256-abc=';");
    expect(await policyOf('/openapi')).toMatch(/script-src 'self'(;|$)/);
    expect(await policyOf('/nowhere')).toContain("script-src 'self' 'sha256-abc=';");
  });

  test('is revalidated by ETag, except for files with hashed names', async () => {
    const get = open();
    const { headers } = await get('/guides/attach');
    expect(headers['cache-control']).toBe('no-cache');
    const again = await get('/guides/attach', { 'if-none-match': headers['etag'] ?? '' });
    expect([again.status, again.body]).toEqual([304, null]);
    expect((await get('/assets/app.1234.js')).headers['cache-control']).toContain('immutable');
  });
});
