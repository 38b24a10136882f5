import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { startGateway } from '../../testkit/app.js';
import { createMigratedDatabase } from '../../testkit/database.js';
import { startNetworkProxy } from '../../testkit/network-proxy.js';
import { rawRequest } from '../../testkit/raw-request.js';
import { addAdminToken, describeWithRows } from '../../testkit/seeded.js';

describeWithRows(
  'probes',
  async () => undefined,
  ({ gateway, database }) => {
    test.each(['/livez', '/readyz'])('%s needs no token and is not cached', async (path) => {
      const { status, headers, body } = await gateway().rest(path, { token: null });
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body.status).toMatch(/alive|ready/);
      const head = await rawRequest(gateway().url, { path, method: 'HEAD' });
      expect([head.status, head.body.length]).toEqual([200, 0]);
    });

    test('report a draining server as alive and not ready, while it still serves requests', async () => {
      const draining = await startGateway(database());
      draining.app.announceStop();
      expect((await draining.rest('/readyz', { token: null })).status).toBe(503);
      expect((await draining.rest('/livez', { token: null })).status).toBe(200);
      expect((await draining.rest('/api/admin/search/events')).status).toBe(200);
      await draining.stop();
      await expect(draining.rest('/livez')).rejects.toThrow();
    });
  },
);

describe('anonymous requests', () => {
  test('do not cause a statement each', async () => {
    const { url, drop } = await createMigratedDatabase();
    const proxy = await startNetworkProxy(url);
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: proxy.url });
    const gateway = await startGateway(database);
    try {
      const paths = ['/livez', '/readyz', '/metrics', '/'];
      const requestAll = () =>
        Promise.all(
          paths.map((path) =>
            gateway.rest(path, { token: null, headers: { accept: 'text/html,*/*' } }),
          ),
        );
      await requestAll();
      const before = { sent: proxy.sentCount(), at: performance.now() };
      for (let round = 0; round < 50; round += 1) {
        const responses = await requestAll();
        expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      }
      const seconds = (performance.now() - before.at) / 1_000;
      // One query per second, and an occasional new probe connection.
      expect(proxy.sentCount() - before.sent).toBeLessThanOrEqual(seconds + 10);
    } finally {
      await gateway.stop();
      await database.close();
      await proxy.close();
      await drop();
    }
  });
});

describe('a gateway that stops', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test('finishes requests in flight, reports that it is not ready, and then rejects connections', async () => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
    cleanUps.push(database.close);
    await addAdminToken(database.client);
    const gateway = await startGateway(database);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    cleanUps.push(() => holder.end());
    await holder.query('begin');
    await holder.query('lock table events in access exclusive mode');

    const inFlight = gateway.rest('/api/admin/search/events');
    const isWaiting = async () => {
      const sql = "select 1 from pg_locks where not granted and relation = 'events'::regclass";
      return (await holder.query(sql)).rowCount === 1;
    };
    await expect.poll(isWaiting).toBe(true);
    const stopped = gateway.stop();
    const probe = await rawRequest(gateway.url, {
      path: '/readyz',
      headers: { connection: 'keep-alive' },
    });
    expect([probe.status, probe.headers.connection]).toEqual([503, 'close']);

    await holder.query('rollback');
    expect((await inFlight).status).toBe(200);
    await stopped;
    await expect(gateway.rest('/livez')).rejects.toThrow();
  });
});
