import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { cloneOverRest, outcomeOverRest } from '../../testkit/clone-calls.js';
import {
  openPostgresWorld,
  type PostgresWorld,
  until,
  untilWaiting,
} from '../../testkit/clone-postgres.js';
import { type StatementProxy, startStatementProxy } from '../../testkit/clone-proxy.js';
import { addFeature, addFullSource, CLONE_TOKENS } from '../../testkit/clone-world.js';

const LOCK = `select pg_advisory_lock(hashtext('flaggraph.clone'), hashtext('project small'))`;
const UNLOCK = `select pg_advisory_unlock(hashtext('flaggraph.clone'), hashtext('project small'))`;

describe('waiting clones', () => {
  let world: PostgresWorld;
  let proxy: StatementProxy;
  let small: Gateway;
  let withShortTimeout: Gateway;

  beforeAll(async () => {
    world = await openPostgresWorld();
    await addFeature(world.db, { name: 'lonely' });
    await addFullSource(world.db, 'wanted');
    await world.db.projectSettings.update({
      where: { projectId: 'small' },
      data: { featureLimit: 40 },
    });
    proxy = await startStatementProxy(world.url);
    world.onClose(proxy.close);
    const start = async (url: string, settings: Record<string, string>) => {
      const database = await openDatabase({
        dataDir: 'memory://',
        databaseUrl: url,
        poolSize: 4,
      });
      world.onClose(database.close);
      const gateway = await startGateway(database, settings);
      world.onClose(gateway.stop);
      return gateway;
    };
    small = await start(world.url, {});
    withShortTimeout = await start(proxy.url, { REQUEST_TIMEOUT_MS: '1500' });
  });
  afterAll(() => world.close());

  test('leave connections to readers while a limited project is locked', async () => {
    const [lockHolder, watcher] = [await world.connect(), await world.connect()];
    await lockHolder.query(LOCK);
    const clones = Array.from({ length: 50 }, (_, index) =>
      outcomeOverRest(small, { source: 'lonely', name: `small-${index}`, project: 'small' }),
    );
    await untilWaiting(watcher);
    const { rows } = await watcher.query(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event = 'advisory'`,
    );
    expect(rows[0].count).toBe(1);
    const reads = await Promise.all(
      Array.from({ length: 20 }, (_, offset) =>
        small.rest(`/api/admin/search/events?limit=5&offset=${offset}`, {
          token: CLONE_TOKENS.vic,
        }),
      ),
    );
    await lockHolder.query(UNLOCK);
    expect(reads.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const kinds = (await Promise.all(clones)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'cloned')).toHaveLength(40);
    expect(kinds.filter((kind) => kind === '403 InvalidOperationError')).toHaveLength(10);
  });

  test('return 503 and create nothing when another process holds the lock too long', async () => {
    await world.db.projectSettings.update({
      where: { projectId: 'small' },
      data: { featureLimit: 99 },
    });
    const lockHolder = await world.connect();
    await lockHolder.query(LOCK);
    const call = { source: 'lonely', name: 'never-its-turn', project: 'small' };
    const { status, body } = await cloneOverRest(small, call);
    await lockHolder.query(UNLOCK);
    expect([status, body.name, body.clones]).toEqual([
      503,
      'OverloadedError',
      { created: [], unknown: [] },
    ]);
    expect(body.message).toContain('Nothing was created');
    expect((await cloneOverRest(small, call)).status).toBe(200);
  });

  test('are not cancelled once the write has started, and the timeout reports the unknown outcome', async () => {
    const [lockHolder, watcher] = [await world.connect(), await world.connect()];
    await lockHolder.query('begin');
    await lockHolder.query('lock table events in share mode');
    const response = cloneOverRest(withShortTimeout, { source: 'wanted', name: 'overdue' });
    await untilWaiting(watcher);
    const { status, body } = await response;
    expect([status, body.clones]).toEqual([504, { created: [], unknown: ['overdue'] }]);
    expect(body.message).toMatch(/'overdue' may have been created.*idempotency key/);
    await lockHolder.query('commit');
    await until(
      'the copy exists',
      async () => (await world.db.feature.count({ where: { name: 'overdue' } })) === 1,
    );
  });

  test('are not started in a mutation that timed out', async () => {
    const [lockHolder, watcher] = [await world.connect(), await world.connect()];
    await lockHolder.query('begin');
    await lockHolder.query('lock table events in share mode');
    const fields = Array.from(
      { length: 20 },
      (_, index) =>
        `c${index}: cloneFeature(input: { featureName: "wanted", newName: "batch-${index}" }) { __typename }`,
    );
    const response = withShortTimeout.graphql(`mutation { ${fields.join(' ')} }`);
    await untilWaiting(watcher);
    const { status, errors } = await response;
    expect(status).toBe(504);
    expect(errors?.[0].extensions).toMatchObject({
      code: 'TIMEOUT',
      clones: { created: [], unknown: ['batch-0'] },
    });
    await lockHolder.query('commit');
    const count = () => world.db.feature.count({ where: { name: { startsWith: 'batch-' } } });
    await until('the first copy exists', async () => (await count()) === 1);
    await delay(500);
    expect(await count()).toBe(1);
  });

  test('report that they exist when they cannot be read back', async () => {
    proxy.setTrap({
      at: /from "public"."users"|with wanted as materialized/,
      when: 'before',
    });
    const { status, body } = await cloneOverRest(withShortTimeout, {
      source: 'wanted',
      name: 'unread',
    });
    expect(proxy.takeTrap()).not.toBeNull();
    expect([status, body.clones]).toEqual([503, { created: ['unread'], unknown: [] }]);
    expect(body.message).toContain("Created: 'unread'.");
  });
});

describe('a clone whose response is lost', () => {
  let world: PostgresWorld;
  let proxy: StatementProxy;
  let gateway: Gateway;

  beforeAll(async () => {
    world = await openPostgresWorld();
    await addFullSource(world.db, 'wanted');
    // Like Unleash before 7: events have no groups.
    await world.db.$executeRawUnsafe(
      'alter table events drop column group_type, drop column group_id',
    );
    proxy = await startStatementProxy(world.url);
    world.onClose(proxy.close);
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: proxy.url });
    world.onClose(database.close);
    gateway = await startGateway(database);
    world.onClose(gateway.stop);
  });
  afterAll(() => world.close());

  test('is reported as possibly created without an idempotency key', async () => {
    proxy.setTrap({ at: /insert into features/, when: 'after' });
    const { status, body } = await cloneOverRest(gateway, { source: 'wanted', name: 'lost' });
    expect(proxy.takeTrap()).not.toBeNull();
    expect([status, body.clones]).toEqual([503, { created: [], unknown: ['lost'] }]);
    expect(body.message).toMatch(/check whether it exists.*idempotency key/);
  });

  test('is returned to a retry with the same idempotency key, also on another instance', async () => {
    const call = {
      source: 'wanted',
      name: 'lost-with-key',
      headers: { 'idempotency-key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"' },
    };
    proxy.setTrap({ at: /^COMMIT$/, when: 'after' });
    const { status, body } = await cloneOverRest(gateway, call);
    expect(proxy.takeTrap()).not.toBeNull();
    expect([status, body.clones]).toEqual([503, { created: [], unknown: ['lost-with-key'] }]);
    expect(body.message).toContain('retry with the same idempotency key');
    const again = await cloneOverRest(world.gateway, call);
    expect([again.status, again.body.name]).toEqual([200, 'lost-with-key']);
  });

  test('is reported as not created when nothing was sent', async () => {
    proxy.setTrap({ at: /json_build_object\('targets'/, when: 'before' });
    const { status, body } = await cloneOverRest(gateway, { source: 'wanted', name: 'not-sent' });
    expect(proxy.takeTrap()).not.toBeNull();
    expect([status, body.clones]).toEqual([503, { created: [], unknown: [] }]);
  });
});
