import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { convertToUnleash, runSql } from '../../testkit/attach.js';
import { cloneOverGraphql, cloneOverRest } from '../../testkit/clone-calls.js';
import { until } from '../../testkit/clone-postgres.js';
import { addCloneWorld, addFeature, CLONE_TOKENS } from '../../testkit/clone-world.js';
import { createMigratedDatabase, type TestDatabase } from '../../testkit/database.js';

const STATEMENT_TIMEOUT_MS = 1_500;
const INTERNALS = /select|insert|relation|column \S+ does|prisma|node_modules|\bat .*:\d+/i;

let testDatabase: TestDatabase;
let database: Database;
let gateway: Gateway;
let copies = 0;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  const filling = await openDatabase({ dataDir: 'memory://', databaseUrl: testDatabase.url });
  await addCloneWorld(filling.client);
  await addFeature(filling.client, {
    name: 'rich',
    environments: {
      development: {
        strategies: [
          {
            name: 'flexibleRollout',
            constraints: [{ contextName: 'country', operator: 'IN', values: ['no'] }],
            segments: [1],
          },
        ],
      },
    },
  });
  await filling.client.integration.create({ data: { id: 1, provider: 'webhook' } });
  await filling.client.integrationEvent.create({
    data: { integrationId: 1, state: 'success', stateDetails: 'fine', event: {}, details: {} },
  });
  await filling.close();
  await convertToUnleash(testDatabase.url);

  database = await openDatabase({
    dataDir: 'memory://',
    databaseUrl: testDatabase.url,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  gateway = await startGateway(database);
  await clone();
});
afterAll(async () => {
  await gateway?.stop();
  await database?.close();
  await testDatabase?.drop();
});

const run = (...statements: string[]) => runSql(testDatabase.url, ...statements);

const clone = () => {
  copies += 1;
  return cloneOverRest(gateway, { source: 'rich', name: `copy-${copies}` });
};
const cloneByGraphql = () => {
  copies += 1;
  return cloneOverGraphql(gateway, { source: 'rich', name: `copy-${copies}` });
};

const PAGE = `{
  feature(name: "rich") { name createdAt environments { strategies { name } } events(first: 3) { nodes { id type } } }
  project(id: "shop") { name mode health { score staleCount } }
}`;

/** Reads over every path what clones do not change. */
const readAll = async () => {
  const responses = [
    await gateway.rest('/api/admin/search/events?feature=IS:copy-1'),
    await gateway.rest('/api/admin/search/events?feature=IS:copy-1', { token: CLONE_TOKENS.ben }),
    await gateway.rest('/api/admin/projects/default/health-report'),
    await gateway.rest('/api/admin/addons/1/events'),
  ];
  const page = await gateway.graphql(PAGE);
  return {
    statuses: [...responses.map(({ status }) => status), page.status],
    bodies: [...responses.map(({ body }) => body), page.data, page.errors],
  };
};

/** The outcome of an interrupted clone that wrote nothing. */
const NOT_CLONED = { clones: { created: [], unknown: [] } };

/** A retryable error in the documented shape that reveals no internals. */
const expectOverloaded = (
  { status, headers, body }: { status: number; headers: Headers; body: unknown },
  message: RegExp,
  fields: object = {},
) => {
  expect(body).toEqual({
    ...fields,
    id: expect.any(String),
    name: 'OverloadedError',
    message: expect.stringMatching(message),
    details: [{ message: expect.stringMatching(message) }],
  });
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect(JSON.stringify(body)).not.toMatch(INTERNALS);
};

describe('responses stay the same', () => {
  test.each([
    [
      'events gains columns',
      'ALTER TABLE events ADD COLUMN group_type text, ADD COLUMN group_id text',
    ],
    [
      'features gains a column with a default',
      "ALTER TABLE features ADD COLUMN later jsonb NOT NULL DEFAULT '{}'",
    ],
    [
      'a table loses a column and gains another',
      'ALTER TABLE users DROP COLUMN seen_at, ADD COLUMN seat_type text',
    ],
    ['the type column becomes text', 'ALTER TABLE events ALTER COLUMN type TYPE text'],
    ['payloads become jsonb', 'ALTER TABLE events ALTER COLUMN tags TYPE jsonb'],
    ['an integer column becomes bigint', 'ALTER TABLE projects ALTER COLUMN health TYPE bigint'],
    [
      'a column becomes NOT NULL',
      'ALTER TABLE feature_strategies ALTER COLUMN constraints SET NOT NULL',
    ],
    [
      'a table is recreated under its name',
      'CREATE TABLE anew (LIKE settings INCLUDING ALL); INSERT INTO anew SELECT * FROM settings; DROP TABLE settings; ALTER TABLE anew RENAME TO settings',
    ],
  ])('when %s', async (_, change) => {
    const before = await readAll();
    expect(before.statuses).toEqual([200, 200, 200, 200, 200]);
    await run(change);
    expect(await readAll()).toEqual(before);
    expect((await clone()).status).toBe(200);
    expect((await cloneByGraphql()).data.cloneFeature.__typename).toBe('CloneFeaturePayload');
    expect((await gateway.rest('/readyz', { token: null })).status).toBe(200);
  });
});

/** Another session that holds a lock until it is released. */
const holdLock = async (statement: string) => {
  const client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query(statement);
  return {
    release: async () => {
      await client.query('ROLLBACK');
      await client.end();
    },
  };
};

const countOurs = async (condition: string): Promise<number> => {
  const [row] = await run(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'flaggraph' AND ${condition}`,
  );
  return Number(row?.['count']);
};

describe('a table locked by another session', () => {
  test('delays statements until it is unlocked', async () => {
    const lock = await holdLock('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const search = gateway.rest('/api/admin/search/events?feature=IS:copy-1');
    await until('the search waits', async () => (await countOurs("wait_event_type = 'Lock'")) > 0);
    await lock.release();
    expect((await search).status).toBe(200);
  });

  test('causes a timeout when locked too long, and does not delay other statements', async () => {
    const lock = await holdLock('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const startedAt = performance.now();
    const waiting = Promise.all([
      gateway.rest('/api/admin/search/events'),
      clone(),
      gateway.graphql('{ events(first: 1) { nodes { id } } }'),
    ]);
    expect((await gateway.rest('/api/admin/addons/1/events')).status).toBe(200);
    expect((await gateway.rest('/readyz', { token: null })).status).toBe(200);
    const [search, copy, graphql] = await waiting;
    const elapsed = performance.now() - startedAt;
    await lock.release();

    expect([search.status, search.body.name]).toEqual([504, 'TimeoutError']);
    expect([copy.status, copy.body.name]).toEqual([504, 'TimeoutError']);
    expect([graphql.status, graphql.errors?.[0].extensions.code]).toEqual([504, 'TIMEOUT']);
    expect(elapsed).toBeLessThan(STATEMENT_TIMEOUT_MS * 5);
    expect(await run(`SELECT name FROM features WHERE name = 'copy-${copies}'`)).toEqual([]);
    expect((await gateway.rest('/api/admin/search/events')).status).toBe(200);
  });

  test('can be locked while the gateway is idle', async () => {
    await readAll();
    await clone();
    expect(await countOurs("state <> 'idle'")).toBe(0);
    const lock = await holdLock(
      'LOCK TABLE events, features, users IN ACCESS EXCLUSIVE MODE NOWAIT',
    );
    await lock.release();
  });
});

describe('a missing table or column', () => {
  const MISSING = /lacks a table or column/;
  const search = () => gateway.rest('/api/admin/search/events?feature=IS:copy-1');

  test.each([
    ['ALTER TABLE events RENAME TO away', 'ALTER TABLE away RENAME TO events', 'table events'],
    [
      'ALTER TABLE events RENAME COLUMN pre_data TO away',
      'ALTER TABLE events RENAME COLUMN away TO pre_data',
      'events.pre_data',
    ],
  ])(
    'is reported to clients, probes and the log until it is back (%s)',
    async (remove, restore, name) => {
      const before = await readAll();
      await run(remove);
      gateway.log.length = 0;

      expectOverloaded(await search(), MISSING);
      const page = await gateway.graphql('{ events(first: 1) { nodes { id preData } } }');
      expect(page.errors?.[0]).toMatchObject({ extensions: { code: 'OVERLOADED' } });
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
      expect((await gateway.rest('/api/admin/addons/1/events')).status).toBe(200);

      // Probe results are cached for a second.
      await expect
        .poll(async () => (await gateway.rest('/readyz', { token: null })).body)
        .toEqual({ status: 'database lacks tables or columns' });
      expect((await gateway.rest('/readyz', { token: null })).status).toBe(503);
      expect((await gateway.rest('/livez', { token: null })).status).toBe(200);
      await gateway.rest('/readyz', { token: null });
      expect(gateway.log.filter((line) => line.includes(`Missing: ${name}`))).toHaveLength(1);

      await run(restore);
      expect(await readAll()).toEqual(before);
      await expect
        .poll(async () => (await gateway.rest('/readyz', { token: null })).status)
        .toBe(200);
    },
  );

  test('leaves no partial clone', async () => {
    await run('ALTER TABLE events RENAME TO away');
    expectOverloaded(await clone(), MISSING, NOT_CLONED);
    await run('ALTER TABLE away RENAME TO events');
    expect(await run(`SELECT name FROM features WHERE name = 'copy-${copies}'`)).toEqual([]);
    expect((await clone()).status).toBe(200);
  });

  test('causes 503 instead of 401 for all callers', async () => {
    await run('ALTER TABLE api_tokens RENAME TO away');
    expectOverloaded(await search(), MISSING);
    await run('ALTER TABLE away RENAME TO api_tokens', 'ALTER TABLE users RENAME TO away');
    expectOverloaded(
      await gateway.rest('/api/admin/search/events', { token: CLONE_TOKENS.ben }),
      MISSING,
    );
    await run('ALTER TABLE away RENAME TO users');
    expect((await search()).status).toBe(200);
  });
});

test('connections terminated by the server are replaced', async () => {
  const before = await readAll();
  await run(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'flaggraph'`,
  );
  await until('they are gone', async () => (await countOurs('true')) === 0);
  expect(await readAll()).toEqual(before);
});

describe('a statement aborted by the database', () => {
  test.each([
    ['40001', 'canceling statement due to conflict with recovery'],
    ['40001', 'could not serialize access due to concurrent update'],
    ['40P01', 'deadlock detected'],
    ['55P03', 'canceling statement due to lock timeout'],
  ])('with %s (%s) can be retried', async (code, message) => {
    await run(
      `CREATE OR REPLACE FUNCTION give_up() RETURNS boolean LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${code}'; END $$`,
      'ALTER TABLE integration_events RENAME TO kept',
      'CREATE VIEW integration_events AS SELECT * FROM kept WHERE give_up()',
    );
    const { body, ...response } = await gateway.rest('/api/admin/addons/1/events');
    expectOverloaded({ ...response, body }, /^Rolled back/);
    const { status, errors } = await gateway.graphql(
      '{ integrationEvents(integrationId: 1) { nodes { state } } }',
    );
    expect([status, errors?.[0].extensions.code]).toEqual([503, 'OVERLOADED']);
    await run('DROP VIEW integration_events', 'ALTER TABLE kept RENAME TO integration_events');
  });

  test('because of a deadlock can be retried', async () => {
    const other = new pg.Client({ connectionString: testDatabase.url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SET LOCAL deadlock_timeout = 60000');
    await other.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const copy = clone();
    await until('the clone waits', async () => (await countOurs("wait_event_type = 'Lock'")) > 0);
    const lock = other.query('LOCK TABLE features IN ACCESS EXCLUSIVE MODE');
    expectOverloaded(await copy, /^Rolled back/, NOT_CLONED);
    await lock;
    await other.query('ROLLBACK');
    await other.end();
    expect(await run(`SELECT name FROM features WHERE name = 'copy-${copies}'`)).toEqual([]);
    expect((await clone()).status).toBe(200);
  });
});
