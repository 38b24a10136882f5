import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/data/connect.js';
import { startGateway } from '../testkit/app.js';
import { createMigratedDatabase } from '../testkit/database.js';
import { rawRequest } from '../testkit/raw-request.js';
import { addAdminToken, describeSeededOnBothDatabases } from '../testkit/seeded.js';

describeSeededOnBothDatabases(
  'probes',
  async () => undefined,
  ({ gateway, database }) => {
    test.each(['/livez', '/readyz'])('%s needs no token and is never kept', async (path) => {
      const { status, headers, body } = await gateway().rest(path, { token: null });
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body.status).toMatch(/alive|ready/);
      const head = await rawRequest(gateway().url, { path, method: 'HEAD' });
      expect([head.status, head.body.length]).toEqual([200, 0]);
    });

    test('a draining server is alive and not ready, and still answers', async () => {
      const leaving = await startGateway(database());
      leaving.app.drain();
      expect((await leaving.rest('/readyz', { token: null })).status).toBe(503);
      expect((await leaving.rest('/livez', { token: null })).status).toBe(200);
      expect((await leaving.rest('/api/admin/search/events')).status).toBe(200);
      await leaving.stop();
      await expect(leaving.rest('/livez')).rejects.toThrow();
    });
  },
);

describe('stopping', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test('finishes what is under way, says that it is not ready, and then takes nothing new', async () => {
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

    const underWay = gateway.rest('/api/admin/search/events');
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
    expect((await underWay).status).toBe(200);
    await stopped;
    await expect(gateway.rest('/livez')).rejects.toThrow();
  });
});
