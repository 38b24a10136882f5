import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { Prisma } from '../../../src/data/db.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { createMigratedDatabase, type TestDatabase } from '../../testkit/database.js';
import { openEventStream } from '../../testkit/event-stream.js';
import { connectGraphqlSocket } from '../../testkit/graphql-socket.js';
import { type RecordingServer, startRecordingServer } from '../../testkit/recording-server.js';
import { type ReverseProxy, startCaddy, startNginx } from './reverse-proxy.js';

const readExample = (name: string): string =>
  readFileSync(new URL(`../../../examples/proxies/${name}`, import.meta.url), 'utf8');

let created: TestDatabase;
let database: Database;
let gateway: Gateway;
let unleash: RecordingServer;

beforeAll(async () => {
  created = await createMigratedDatabase('demo');
  database = await openDatabase({ dataDir: 'memory://', databaseUrl: created.url });
  gateway = await startGateway(database, { TRUSTED_PROXIES: '1' });
  unleash = await startRecordingServer('unleash');
});
afterAll(async () => {
  await unleash.close();
  await gateway.stop();
  await database.close();
  await created.drop();
});

describe.each([
  { name: 'nginx', start: startNginx, file: 'nginx.conf' },
  { name: 'Caddy', start: startCaddy, file: 'Caddyfile' },
])('the gateway behind $name', ({ name, start, file }) => {
  let proxy: ReverseProxy;
  beforeAll(async () => {
    const port = Number(new URL(gateway.url).port);
    proxy = await start(readExample(file), { gateway: port, unleash: unleash.port });
  });
  afterAll(() => proxy.stop());

  const headers = {
    authorization: DEMO_TOKENS.admin,
    'content-type': 'application/json',
    // Sent by the client itself: not from a trusted proxy.
    'x-forwarded-for': '203.0.113.9',
  };
  const clone = (copy: string) =>
    fetch(`${proxy.url}/api/admin/projects/default/features/welcome-tour/clone`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: copy }),
    });

  test('serves the four paths and leaves the others to Unleash', async () => {
    const found = await fetch(`${proxy.url}/api/admin/search/events?limit=1`, { headers });
    expect(await found.json()).toMatchObject({ events: [{ id: expect.any(Number) }] });
    const page = await fetch(`${proxy.url}/history`);
    expect(await page.text()).toBe('unleash');
  });

  test('records the client address that the proxy reports', async () => {
    const copy = `address-${name}`;
    expect((await clone(copy)).status).toBe(200);
    const rows = await database.client.$queryRaw(
      Prisma.sql`select ip from events where feature_name = ${copy} and type = 'feature-created'`,
    );
    expect(rows).toEqual([{ ip: '127.0.0.1' }]);
  });

  test('sends events over a WebSocket', async () => {
    const copy = `socket-${name}`;
    const socket = await connectGraphqlSocket(proxy.url);
    socket.subscribe(
      '1',
      `subscription ($filter: EventFilter) { events(filter: $filter) { node { typeName } } }`,
      { filter: { featureName: { is: copy }, type: { is: 'FEATURE_CREATED' } } },
    );
    await expect
      .poll(async () => (await gateway.rest('/metrics')).text)
      .toMatch(/^flaggraph_live_streams 1$/m);
    await clone(copy);
    expect((await socket.next())?.payload).toEqual({
      data: { events: { node: { typeName: 'feature-created' } } },
    });
    socket.close();
  });

  test('streams events to a subscription as they are recorded', async () => {
    const copy = `streamed-${name}`;
    const stream = await openEventStream(
      proxy.url,
      `subscription ($filter: EventFilter) { events(filter: $filter) { node { typeName } } }`,
      { filter: { featureName: { is: copy }, type: { is: 'FEATURE_CREATED' } } },
    );
    try {
      expect(stream.headers.get('content-type')).toContain('text/event-stream');
      await clone(copy);
      expect(await stream.next()).toEqual({
        data: { events: { node: { typeName: 'feature-created' } } },
      });
    } finally {
      await stream.close();
    }
  });
});
