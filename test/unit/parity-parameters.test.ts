import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Accepted, checkParameters } from '../../parity/src/parameters.js';

const parameters = (...names: string[]) => names.map((name) => ({ name, in: 'query' }));

const DOCUMENT = {
  paths: {
    '/api/admin/search/events': {
      get: { parameters: [...parameters('query', 'brandNew'), { $ref: '#/components/limit' }] },
    },
    '/api/admin/projects/{projectId}/health-report': { get: {} },
    '/api/admin/addons/{id}/events': { get: {} },
    '/api/admin/projects/{projectId}/features/{featureName}/clone': {
      post: {
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/clone' } } },
        },
      },
    },
  },
  components: {
    limit: { name: 'limit', in: 'query' },
    clone: { properties: { name: {}, replaceGroupId: {} } },
  },
};

const servers: Server[] = [];

/** Responds to searches with the parameters it does not ignore. */
const serve = async (known: readonly string[]): Promise<{ url: string }> => {
  const server = createServer(({ url = '' }, response) => {
    const used = known.filter((name) => url.includes(`${name}=`));
    const body = url === '/docs/openapi.json' ? DOCUMENT : { events: [], used };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const search = (query: string): Accepted => ({
  operation: 'search events',
  wire: { method: 'GET', path: `/api/admin/search/events?${query}`, headers: {} },
});

const clone = (body: object): Accepted => ({
  operation: 'clone',
  wire: { method: 'POST', path: '/clone', headers: {}, body: Buffer.from(JSON.stringify(body)) },
});

let upstream: { url: string };
beforeAll(async () => {
  upstream = await serve(['query', 'limit', 'brandNew']);
});
afterAll(() => {
  for (const server of servers) server.close();
});

const problemsOf = async (gateway: { url: string }, accepted: readonly Accepted[]) => {
  const sides = { upstream, gateway, version: '9.0.0' };
  const failures = await checkParameters(sides, accepted);
  return failures.map(({ difference }) => difference);
};

test('reports parameters and body fields that no request uses', async () => {
  const problems = await problemsOf(upstream, [search('query=a&limit=1'), clone({ name: 'a' })]);
  expect(problems).toEqual([
    expect.stringContaining("query parameter 'brandNew' of search events"),
    expect.stringContaining("body parameter 'replaceGroupId' of clone"),
  ]);
});

test('reports parameters that change the response of Unleash but not of the gateway', async () => {
  const gateway = await serve(['limit', 'brandNew']);
  const requests = [search('query=a&limit=1'), search('brandNew=x')];
  const problems = await problemsOf(gateway, [
    ...requests,
    clone({ name: 'a', replaceGroupId: true }),
  ]);
  expect(problems).toEqual([
    expect.stringContaining("'query' of search events changes nothing at the gateway"),
  ]);
});
