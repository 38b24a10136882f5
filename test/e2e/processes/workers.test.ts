import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../../testkit/database.js';
import {
  type GatewayProcess,
  runCommand,
  startGatewayProcess,
  stopCommands,
} from '../../testkit/gateway-process.js';
import { connectGraphqlSocket } from '../../testkit/graphql-socket.js';

let database: TestDatabase;
let token: string;
beforeAll(async () => {
  database = await createMigratedDatabase('demo');
  // The first call builds if the build is missing or stale.
  const created = await runCommand(['token', 'create', 'admin', '--name', 'ci'], {
    DATABASE_URL: database.url,
  });
  token = created.stdout.trim();
});
afterEach(stopCommands);
afterAll(() => database.drop());

const start = (settings: Record<string, string> = {}) =>
  startGatewayProcess({
    DATABASE_URL: database.url,
    WORKERS: '2',
    NODE_ENV: 'production',
    ...settings,
  });

type Line = { pid: number; path?: string; msg?: string };

const linesOf = (gateway: GatewayProcess): Line[] =>
  gateway
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);

/** Processes that have logged a request. */
const pidsOf = (gateway: GatewayProcess): Set<number> =>
  new Set(linesOf(gateway).flatMap(({ pid, path }) => (path === undefined ? [] : [pid])));

/** Sends a request on a new connection. */
const send = (
  url: string,
  path: string,
  token: string,
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    get(`${url}${path}`, { agent: new Agent(), headers: { authorization: token } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    }).on('error', reject);
  });

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const SEARCH = '/api/admin/search/events?limit=1';

/** Sends requests until so many processes have responded since the start. */
const reachWorkers = (gateway: GatewayProcess, token: string, count: number) =>
  expect
    .poll(async () => {
      await send(gateway.url, SEARCH, token).catch(() => undefined);
      return pidsOf(gateway).size;
    })
    .toBe(count);

/** Sends requests until `isDone`. Returns the statuses and errors that occurred. */
const sendUntil = async (url: string, path: string, token: string, isDone: () => boolean) => {
  const outcomes = new Map<string, number>();
  while (!isDone()) {
    const outcome = await send(url, path, token).then(
      ({ status }) => String(status),
      (error: Error) => error.message,
    );
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    await delay(5);
  }
  return outcomes;
};

describe('two workers', () => {
  test('serve WebSockets, and close them so that clients resume', async () => {
    const gateway = await start();
    const init = { Authorization: token };
    const sockets = await Promise.all(
      Array.from({ length: 8 }, () => connectGraphqlSocket(gateway.url, { init })),
    );
    for (const socket of sockets) {
      socket.subscribe('1', 'subscription { events { node { id } } }');
      socket.subscribe('2', '{ viewer { kind } }');
      expect((await socket.take(2)).map(({ id, type }) => `${id} ${type}`)).toEqual([
        '2 next',
        '2 complete',
      ]);
    }
    const { text } = await send(gateway.url, '/metrics', token);
    expect(text).toMatch(/^flaggraph_websockets 8$/m);
    const stopped = gateway.stop('SIGTERM');
    const codes = await Promise.all(sockets.map(async ({ closed }) => (await closed).code));
    expect(codes).toEqual(Array(8).fill(1001));
    expect((await stopped).code).toBe(0);
  });

  test('share the port, and have one set of metrics', async () => {
    const gateway = await start();
    await reachWorkers(gateway, token, 2);
    const logged = () =>
      linesOf(gateway).filter(({ path }) => path === '/api/admin/search/events').length;
    const count = async () => {
      const { text } = await send(gateway.url, '/metrics', token);
      expect(text.match(/^flaggraph_database_up .*$/gm)).toEqual(['flaggraph_database_up 1']);
      const [, value] =
        /^flaggraph_http_requests_total\{route="\/api\/admin\/search\/events",method="GET",status="200"\} (\d+)$/m.exec(
          text,
        ) ?? [];
      return Number(value);
    };
    await expect.poll(async () => (await count()) - logged()).toBe(0);
    // Scrapes reach both workers.
    expect([await count(), await count(), await count()]).toEqual(Array(3).fill(logged()));
    const stopped = await gateway.stop('SIGTERM');
    expect(stopped.code).toBe(0);
  });

  test('are replaced one after the other on SIGHUP, without a failed request or probe', async () => {
    const gateway = await start({ SHUTDOWN_DELAY_MS: '3000' });
    await reachWorkers(gateway, token, 2);
    const before = pidsOf(gateway);
    let isReloaded = false;
    const isDone = () => isReloaded && pidsOf(gateway).size === 4;
    const outcomes = [SEARCH, '/readyz'].map((path) => sendUntil(gateway.url, path, token, isDone));
    process.kill(gateway.pid, 'SIGHUP');
    await gateway.waitForOutput(/"msg":"reloaded"/);
    isReloaded = true;
    for (const found of await Promise.all(outcomes)) expect([...found.keys()]).toEqual(['200']);
    const after = [...pidsOf(gateway)].filter((pid) => !before.has(pid));
    expect(after).toHaveLength(2);
    await expect.poll(() => [...before].filter(isAlive)).toEqual([]);
  });

  test('that are being replaced do not fail a stop', async () => {
    const gateway = await start();
    await reachWorkers(gateway, token, 2);
    process.kill(gateway.pid, 'SIGHUP');
    await gateway.waitForOutput(/"isReplaced":true,"msg":"stopping"/);
    expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 0 });
  });

  test('that are still starting are replaced too', async () => {
    const gateway = await start();
    await reachWorkers(gateway, token, 2);
    const [killed = 0] = pidsOf(gateway);
    process.kill(killed, 'SIGKILL');
    await gateway.waitForOutput(/"msg":"starting a worker"/);
    process.kill(gateway.pid, 'SIGHUP');
    await gateway.waitForOutput(/"msg":"reloaded"/);
    // A worker may report that it stops after its supervisor has reported that all are replaced.
    await expect
      .poll(() => linesOf(gateway).filter(({ msg }) => msg === 'stopping'))
      .toHaveLength(2);
  });

  test('finish their requests when a service manager signals all processes', async () => {
    const gateway = await start({ SHUTDOWN_DELAY_MS: '1000' });
    await reachWorkers(gateway, token, 2);
    const all = [...pidsOf(gateway), gateway.pid];
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      for (const pid of all.slice(0, 2)) process.kill(pid, signal);
    expect((await send(gateway.url, SEARCH, token)).status).toBe(200);
    const stopped = gateway.stop('SIGTERM');
    expect((await send(gateway.url, SEARCH, token)).status).toBe(200);
    expect(await stopped).toMatchObject({ code: 0 });
  });

  test('are replaced when they exit', async () => {
    const gateway = await start();
    await reachWorkers(gateway, token, 2);
    const [killed = 0] = pidsOf(gateway);
    process.kill(killed, 'SIGKILL');
    await gateway.waitForOutput(/"msg":"a worker has exited"/);
    await reachWorkers(gateway, token, 3);
  });

  test('exit with their supervisor', async () => {
    const gateway = await start();
    await send(gateway.url, SEARCH, token);
    await gateway.stop('SIGKILL');
    await expect
      .poll(() => send(gateway.url, SEARCH, token).then(String, ({ code }) => code))
      .toBe('ECONNREFUSED');
  });
});

test('workers that cannot start end the command, with one message', async () => {
  const { code, stderr } = await runCommand(['serve'], {
    DATABASE_URL: 'postgresql://127.0.0.1:1/none',
    WORKERS: '2',
  });
  expect(code).toBe(1);
  expect(stderr.match(/cannot be reached/g)).toHaveLength(1);
});

test('the embedded database has one worker', async () => {
  const { code, stderr } = await runCommand(['serve', '--check-config'], { WORKERS: '2' });
  expect(code).toBe(1);
  expect(stderr).toContain('WORKERS');
});

test('a single process continues on SIGHUP, with a warning', async () => {
  const gateway = await start({ WORKERS: '1' });
  process.kill(gateway.pid, 'SIGHUP');
  await gateway.waitForOutput(/SIGHUP is ignored/);
  expect((await send(gateway.url, SEARCH, token)).status).toBe(200);
  expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 0 });
});
