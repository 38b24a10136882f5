import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { createMigratedDatabase } from '../../testkit/database.js';
import { openEventStream } from '../../testkit/event-stream.js';
import { runCommand, startGatewayProcess, stopCommands } from '../../testkit/gateway-process.js';
import { startNetworkProxy } from '../../testkit/network-proxy.js';

const REQUEST_TIMEOUT_MS = 3_000;
/** As documented in docs/operations/limits.md: the longest request, at least 10 s, and 3 s to close. */
const STOP_LIMIT_MS = 13_000;

const cleanUps: (() => Promise<unknown>)[] = [];
// The first call builds if the build is missing or stale.
beforeAll(() => runCommand(['serve', '--check-config']));
afterEach(async () => {
  await stopCommands();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A server that accepts connections and never responds. */
const startSilentServer = async (): Promise<string> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `postgresql://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const start = async () => {
  const { url, drop } = await createMigratedDatabase('demo');
  cleanUps.push(drop);
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  await database.close();
  const created = await runCommand(['token', 'create', 'admin', '--name', 'ci'], {
    DATABASE_URL: url,
  });
  const proxy = await startNetworkProxy(url);
  cleanUps.push(proxy.close);
  const silent = await startSilentServer();
  const gateway = await startGatewayProcess({
    DATABASE_URL: proxy.url,
    REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
  });
  const token = created.stdout.trim();
  const call = (path: string, body?: object) =>
    fetch(`${gateway.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: token, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).then(({ status }) => status);
  return {
    gateway,
    token,
    call,
    /** From now on, neither open nor new connections to the database get a response. */
    silence: () => {
      proxy.redirectTo(silent);
      proxy.freeze();
    },
  };
};

describe('SIGTERM while the database is unresponsive', () => {
  test('ends the process within the limit, after responding to requests in flight', async () => {
    const { gateway, token, call, silence } = await start();
    expect(await call('/api/admin/search/events?limit=1')).toBe(200);
    const stream = await openEventStream(
      gateway.url,
      'subscription { events { cursor } }',
      {},
      { token },
    );
    silence();
    const responses = [
      call('/api/admin/search/events?limit=2'),
      call('/graphql', { query: '{ events { nodes { id } totalCount } }' }),
      call('/api/admin/projects/default/features/welcome-tour/clone', { name: 'silent-copy' }),
    ];
    const startedAt = performance.now();
    const { code } = await gateway.stop('SIGTERM');
    expect(performance.now() - startedAt).toBeLessThan(STOP_LIMIT_MS);
    expect(code).toBe(0);
    expect(await Promise.all(responses)).toEqual([504, 504, 504]);
    await stream.close();
  });

  test('ends an idle process within seconds', async () => {
    const { gateway, call, silence } = await start();
    expect(await call('/api/admin/search/events?limit=1')).toBe(200);
    silence();
    const startedAt = performance.now();
    expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
