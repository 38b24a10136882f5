import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rawRequest } from '../../testkit/raw-request.js';
import {
  type RecordingServer,
  SET_COOKIES,
  startRecordingServer,
} from '../../testkit/recording-server.js';
import {
  belowBasePath,
  INTERNAL_ON_OWN_HOST,
  INTERNAL_WITH_CONSOLE,
  ROUTED_ON_OWN_HOST,
  ROUTED_PATHS,
  ROUTED_WITH_CONSOLE,
  ROUTED_WITHOUT_AUTHORIZATION,
  type RoutedPath,
  receivedAs,
  withBasePath,
} from '../../testkit/routed-paths.js';
import { type ReverseProxy, startCaddy, startNginx } from './reverse-proxy.js';

const readExample = (name: string): string =>
  readFileSync(new URL(`../../../examples/proxies/${name}`, import.meta.url), 'utf8');

const AUTHORIZATION = { authorization: 'Bearer user:abc' };
const BASE_PATH = '/flags';

let gateway: RecordingServer;
let unleash: RecordingServer;
let proxy: ReverseProxy | undefined;

beforeEach(async () => {
  gateway = await startRecordingServer('gateway');
  unleash = await startRecordingServer('unleash');
});
afterEach(async () => {
  await proxy?.stop();
  await gateway.close();
  await unleash.close();
});

/** Sends each request of a table and returns the table with the servers that responded. */
const routedBy = async (
  paths: readonly RoutedPath[],
  headers: Record<string, string>,
): Promise<RoutedPath[]> => {
  if (!proxy) throw new Error('The proxy has not been started.');
  const routedPaths: RoutedPath[] = [];
  for (const { method, target } of paths) {
    const response = await rawRequest(proxy.url, {
      method,
      path: target,
      headers: {
        host: proxy.host,
        ...headers,
        ...(method === 'POST' && { 'content-length': '0' }),
      },
    });
    routedPaths.push({ method, target, by: response.body.toString() as RoutedPath['by'] });
  }
  return routedPaths;
};

const expectInternal = async (paths: readonly string[]) => {
  for (const path of paths) {
    const { status } = await rawRequest(proxy?.url ?? '', {
      path,
      headers: { host: proxy?.host ?? '' },
    });
    expect([path, status]).toEqual([path, 404]);
  }
};

describe.each([
  {
    name: 'nginx',
    start: startNginx,
    all: 'nginx.conf',
    some: 'nginx-authorization-only.conf',
    withConsole: 'nginx-console.conf',
    onOwnHost: 'nginx-own-host.conf',
  },
  {
    name: 'Caddy',
    start: startCaddy,
    all: 'Caddyfile',
    some: 'Caddyfile-authorization-only',
    withConsole: 'Caddyfile-console',
    onOwnHost: 'Caddyfile-own-host',
  },
])('$name', ({ start, all, some, withConsole, onOwnHost }) => {
  const begin = async (configuration: string) => {
    proxy = await start(configuration, { gateway: gateway.port, unleash: unleash.port });
    return proxy;
  };

  test('routes the four paths and /graphql to the gateway, everything else to Unleash', async () => {
    await begin(readExample(all));
    expect(await routedBy(ROUTED_PATHS, {})).toEqual(ROUTED_PATHS);
    expect(await routedBy(ROUTED_PATHS, AUTHORIZATION)).toEqual(ROUTED_PATHS);
  });

  test('routes only requests with an Authorization header in the other variant', async () => {
    await begin(readExample(some));
    expect(await routedBy(ROUTED_PATHS, AUTHORIZATION)).toEqual(ROUTED_PATHS);
    const cookie = { cookie: 'unleash-session=s%3Aabc.def' };
    expect(await routedBy(ROUTED_WITHOUT_AUTHORIZATION, cookie)).toEqual(
      ROUTED_WITHOUT_AUTHORIZATION,
    );
  });

  test.each([all, some])('routes below a base path prepended to each path of %s', async (file) => {
    await begin(withBasePath(readExample(file), BASE_PATH));
    const expected = belowBasePath(ROUTED_PATHS, BASE_PATH);
    expect(await routedBy(expected, AUTHORIZATION)).toEqual(expected);
  });

  test('routes the pages below the base path of the gateway, and adds it to the four paths', async () => {
    await begin(readExample(withConsole));
    expect(await routedBy(ROUTED_WITH_CONSOLE, {})).toEqual(ROUTED_WITH_CONSOLE);
    const routed = ROUTED_WITH_CONSOLE.filter(({ by }) => by === 'gateway');
    expect(gateway.requests.map(({ target }) => target)).toEqual(
      routed.map(({ target }) => receivedAs(target)),
    );
    await expectInternal(INTERNAL_WITH_CONSOLE);
  });

  test('routes a host name of its own to the gateway', async () => {
    await begin(readExample(onOwnHost));
    expect(await routedBy(ROUTED_ON_OWN_HOST, {})).toEqual(ROUTED_ON_OWN_HOST);
    expect(gateway.requests.map(({ target }) => target)).toEqual(
      ROUTED_ON_OWN_HOST.map(({ target }) => target),
    );
    await expectInternal(INTERNAL_ON_OWN_HOST);
  });

  test.each([all, some])(
    'forwards host, cookies, body and client address of %s, and returns Set-Cookie unchanged',
    async (file) => {
      const { url, host } = await begin(readExample(file));
      const path = '/api/admin/projects/odd%20id/features/a%20b/clone?x=%2F';
      const response = await rawRequest(url, {
        method: 'POST',
        path,
        headers: {
          host,
          ...AUTHORIZATION,
          origin: `http://${host}`,
          cookie: 'unleash-session=s%3Aabc.def; other=1',
          'content-type': 'application/json',
        },
        body: '{"name":"copy"}',
      });
      expect(response.headers['set-cookie']).toEqual(SET_COOKIES);
      expect(gateway.requests).toMatchObject([
        {
          method: 'POST',
          target: path,
          body: '{"name":"copy"}',
          headers: {
            ...AUTHORIZATION,
            host,
            origin: `http://${host}`,
            cookie: 'unleash-session=s%3Aabc.def; other=1',
            'x-forwarded-for': '127.0.0.1',
            'x-forwarded-proto': 'http',
          },
        },
      ]);
    },
  );
});
