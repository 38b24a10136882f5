import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import type { ReplicaState } from '../../../src/data/replicas/watch-replica.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { runDoctor } from '../../testkit/attach.js';
import { openEventStream } from '../../testkit/event-stream.js';
import { type NetworkProxy, startNetworkProxy } from '../../testkit/network-proxy.js';
import { type ReplicatedServers, startReplica, startReplicated } from '../../testkit/postgres.js';
import { seed, tokenOf } from '../../testkit/seed.js';

const WAIT_MS = 20_000;
/** A replica shows changes this much later, and stays in use. */
const APPLY_DELAY_MS = 300;

let servers: ReplicatedServers;
let primary: pg.Client;
let standby: pg.Client;
beforeAll(async () => {
  servers = await startReplicated(1);
  const { client, close } = await openDatabase({
    dataDir: 'memory://',
    databaseUrl: servers.primary.adminUrl,
  });
  await seed(client, {
    users: [{ id: 1, username: 'admin', roles: { default: 'Admin' } }],
    features: [{ name: 'original' }],
    events: Array.from({ length: 20 }, (_, index) => ({
      type: 'feature-created',
      feature: `old-${index}`,
    })),
  });
  await close();
  primary = new pg.Client({ connectionString: servers.primary.adminUrl });
  standby = new pg.Client({ connectionString: servers.replicas[0]?.adminUrl });
  await Promise.all([primary.connect(), standby.connect()]);
});
afterAll(async () => {
  await Promise.all([primary.end(), standby.end()]);
  for (const replica of servers.replicas) await replica.stop();
  await servers.primary.stop();
});

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

type World = { gateway: Gateway; database: Database; proxy: NetworkProxy };

const stateOf = ({ replicas }: Database): ReplicaState | undefined => replicas.report()[0]?.state;

const waitForState = (database: Database, state: ReplicaState) =>
  expect.poll(() => stateOf(database), { timeout: WAIT_MS, interval: 20 }).toBe(state);

const NOWHERE = 'postgresql://127.0.0.1:1/none';

const open = async ({
  replicaUrl = servers.replicas[0]?.adminUrl ?? '',
  isDown = false,
} = {}): Promise<World> => {
  const proxy = await startNetworkProxy(replicaUrl);
  cleanUps.push(proxy.close);
  if (isDown) proxy.redirectTo(NOWHERE);
  const database = await openDatabase({
    dataDir: 'memory://',
    databaseUrl: servers.primary.adminUrl,
    replicaUrls: [proxy.url],
  });
  cleanUps.push(database.close);
  const gateway = await startGateway(database, { RATE_LIMIT_POINTS: '0' });
  cleanUps.push(gateway.stop);
  return { gateway, database, proxy };
};

const openInUse = async (): Promise<World> => {
  const world = await open();
  await waitForState(world.database, 'in-use');
  return world;
};

const pauseReplay = async () => {
  await standby.query('select pg_wal_replay_pause()');
  cleanUps.push(() => standby.query('select pg_wal_replay_resume()'));
};

const delayReplay = async (ms: number) => {
  const set = async (value: string) => {
    await standby.query(`alter system set recovery_min_apply_delay = '${value}'`);
    await standby.query('select pg_reload_conf()');
  };
  await set(`${ms}ms`);
  cleanUps.push(() => set('0'));
};

const addEvent = async (feature: string): Promise<number> => {
  const { rows } = await primary.query<{ id: number }>(
    "insert into events (type, created_by, feature_name, data) values ('feature-updated', 'someone', $1, '{}') returning id",
    [feature],
  );
  return rows[0]?.id ?? 0;
};

const call = { token: tokenOf(1) };
const countEvents = async (gateway: Gateway, feature?: string): Promise<number> => {
  const filter = feature ? `(filter: { featureName: { is: "${feature}" } })` : '';
  const { data, errors } = await gateway.graphql(`{ events${filter} { totalCount } }`, {}, call);
  expect(errors).toBeUndefined();
  return data.events.totalCount;
};
const clone = (gateway: Gateway, newName: string) =>
  gateway.graphql(
    'mutation ($input: CloneFeatureInput!) { cloneFeature(input: $input) { __typename } }',
    { input: { featureName: 'original', newName, targetProjectId: 'default' } },
    call,
  );
const findFeature = async (gateway: Gateway, name: string) => {
  const { data } = await gateway.graphql(
    'query ($name: String!) { feature(name: $name) { name } }',
    { name },
    call,
  );
  return data.feature;
};

describe('reads', () => {
  const countOverRest = async (gateway: Gateway, feature: string): Promise<number> => {
    const path = `/api/admin/search/events?feature=IS:${feature}`;
    return (await gateway.rest(path, call)).body.total;
  };

  test.each([
    ['graphql', countEvents],
    ['rest', countOverRest],
  ])('over %s are answered by a replica that is less than a second behind', async (name, count) => {
    const { gateway, database } = await openInUse();
    // A slow machine can take longer than a second.
    for (let attempt = 1; ; attempt += 1) {
      const feature = `behind-${name}-${attempt}`;
      await pauseReplay();
      await addEvent(feature);
      const found = await count(gateway, feature);
      if (found !== 0 && attempt < 5) {
        await standby.query('select pg_wal_replay_resume()');
        await waitForState(database, 'in-use');
        continue;
      }
      expect(found).toBe(0);
      await waitForState(database, 'lagging');
      expect(await count(gateway, feature)).toBe(1);
      await standby.query('select pg_wal_replay_resume()');
      await waitForState(database, 'in-use');
      expect(await count(gateway, feature)).toBe(1);
      return;
    }
  });

  test('need credentials that are valid on the primary', async () => {
    const { gateway } = await openInUse();
    await pauseReplay();
    await primary.query(
      "insert into personal_access_tokens (secret, description, user_id, expires_at) values ('user:late', 'late', 1, now() + interval '1 day')",
    );
    const late = { token: 'user:late' };
    expect((await gateway.graphql('{ viewer { kind } }', {}, late)).status).toBe(200);
    await primary.query("delete from personal_access_tokens where secret = 'user:late'");
    expect((await gateway.graphql('{ viewer { kind } }', {}, late)).status).toBe(401);
  });
});

test('plans of clones are read from the primary, because a replica rejects every clone', async () => {
  const { gateway } = await openInUse();
  const { data, errors } = await gateway.graphql(
    `{ clonePlan(input: { featureName: "original", newName: "planned", targetProjectId: "default" }) {
      wouldSucceed refusals { message } } }`,
    {},
    call,
  );
  expect(errors).toBeUndefined();
  expect(data.clonePlan).toEqual({ wouldSucceed: true, refusals: [] });
});

describe('what was returned to a caller is visible on the replica', () => {
  test('after its own write', async () => {
    const { gateway } = await openInUse();
    await delayReplay(APPLY_DELAY_MS);
    for (const name of ['copy-1', 'copy-2', 'copy-3']) {
      const { data } = await clone(gateway, name);
      expect(data.cloneFeature.__typename).toBe('CloneFeaturePayload');
      expect(await findFeature(gateway, name)).toEqual({ name });
    }
  });

  test('even if the replica no longer replays', async () => {
    const { gateway, database } = await openInUse();
    await pauseReplay();
    await clone(gateway, 'copy-paused');
    expect(stateOf(database)).toBe('lagging');
    expect(await findFeature(gateway, 'copy-paused')).toEqual({ name: 'copy-paused' });
  });

  test('up to the watermark', async () => {
    const { gateway } = await openInUse();
    await delayReplay(APPLY_DELAY_MS);
    const id = await addEvent('watermark');
    const { data } = await gateway.graphql('{ eventLog { settledId } }', {}, call);
    expect(data.eventLog.settledId).toBe(id);
    expect(await countEvents(gateway, 'watermark')).toBe(1);
  });

  test('as a live event', async () => {
    const { gateway } = await openInUse();
    await delayReplay(APPLY_DELAY_MS);
    const stream = await openEventStream(
      gateway.url,
      'subscription { events { node { id } } }',
      {},
      call,
    );
    cleanUps.push(stream.close);
    await addEvent('live');
    await stream.next();
    expect(await countEvents(gateway, 'live')).toBe(1);
  });
});

test('totals stay exact beside writers', async () => {
  const { gateway, database } = await openInUse();
  const before = (await primary.query('select count(*)::int as count from events')).rows[0].count;
  const writers = await Promise.all(
    [1, 2].map(async () => {
      const client = new pg.Client({ connectionString: servers.primary.adminUrl });
      await client.connect();
      cleanUps.push(() => client.end());
      return client;
    }),
  );
  let added = 0;
  let isWriting = true;
  const write = async (client: pg.Client, pauseMs: number) => {
    while (isWriting) {
      // IDs are drawn in another order than they are committed.
      await client.query('begin');
      await client.query(
        "insert into events (type, created_by, data) values ('feature-updated', 'writer', '{}')",
      );
      await delay(pauseMs);
      await client.query('commit');
      added += 1;
    }
  };
  const writing = writers.map((client, index) => write(client, 5 + 20 * index));
  const history: { at: number; added: number }[] = [];
  const until = performance.now() + 4_000;
  let counted = 0;
  while (performance.now() < until) {
    const at = performance.now();
    history.push({ at, added });
    const total = await countEvents(gateway);
    const oldest = history.findLast((entry) => entry.at <= at - 1_000)?.added ?? 0;
    expect(total).toBeGreaterThanOrEqual(before + oldest);
    expect(total).toBeLessThanOrEqual(before + added + writers.length);
    counted += 1;
  }
  isWriting = false;
  await Promise.all(writing);
  expect(counted).toBeGreaterThan(20);
  await database.replicas.catchUp();
  expect(await countEvents(gateway)).toBe(before + added);
});

test('deleted events leave the cached totals', async () => {
  const { gateway, database } = await openInUse();
  await addEvent('deleted');
  await database.replicas.catchUp();
  const total = await countEvents(gateway);
  // A session reports its deletions when it ends.
  const other = new pg.Client({ connectionString: servers.primary.adminUrl });
  await other.connect();
  await other.query("delete from events where feature_name = 'deleted'");
  await other.end();
  await expect
    .poll(() => countEvents(gateway), { timeout: WAIT_MS, interval: 200 })
    .toBe(total - 1);
});

describe('a replica', () => {
  const askFor = async (gateway: Gateway, ms: number) => {
    const outcomes: { total: number; ms: number }[] = [];
    const until = performance.now() + ms;
    const running: Promise<unknown>[] = [];
    while (performance.now() < until) {
      const startedAt = performance.now();
      const asked = countEvents(gateway, 'original').then((total) =>
        outcomes.push({ total, ms: performance.now() - startedAt }),
      );
      running.push(asked);
      await delay(50);
    }
    await Promise.all(running);
    return outcomes;
  };

  test('that no longer responds is replaced by the primary, and used again later', async () => {
    const { gateway, database, proxy } = await openInUse();
    const asking = askFor(gateway, 4_000);
    await delay(500);
    proxy.redirectTo(NOWHERE);
    proxy.freeze();
    const slowest = Math.max(...(await asking).map(({ ms }) => ms));
    // The deadline of a statement is 17 s.
    expect(slowest).toBeLessThan(8_000);
    expect(stateOf(database)).toBe('unreachable');
    const { text } = await gateway.rest('/metrics');
    expect(text).toMatch(/^flaggraph_replica_in_use\{replica="[^"]+"\} 0$/m);
    proxy.redirectTo(servers.replicas[0]?.adminUrl ?? '');
    await waitForState(database, 'in-use');
  });

  test('that is unreachable at startup is used as soon as it responds', async () => {
    const { gateway, database, proxy } = await open({ isDown: true });
    expect(await countEvents(gateway, 'original')).toBe(0);
    expect(stateOf(database)).toBe('unreachable');
    proxy.redirectTo(servers.replicas[0]?.adminUrl ?? '');
    await waitForState(database, 'in-use');
  });

  test('that is not a replica, or follows another primary, is not used', async () => {
    const { adminUrl } = inject('postgres');
    const { database, gateway } = await open({ replicaUrl: adminUrl });
    await waitForState(database, 'not-a-replica');
    expect(await countEvents(gateway, 'original')).toBe(0);

    const foreign = await startReplica(async () => undefined);
    cleanUps.push(foreign.stop);
    await waitForState(
      (await open({ replicaUrl: foreign.adminUrl })).database,
      'of-another-primary',
    );

    const own = servers.replicas[0]?.adminUrl ?? '';
    const doctor = await runDoctor(
      {
        DATABASE_URL: servers.primary.adminUrl,
        DATABASE_REPLICA_URLS: [own, adminUrl, foreign.adminUrl, NOWHERE].join(),
      },
      '--json',
    );
    const { recommendations } = JSON.parse(doctor.text) as { recommendations: string[] };
    const reasons = recommendations.filter((text) => text.startsWith('The replica'));
    expect(reasons.map((text) => text.replace(/^The replica \S+ is not used: /, ''))).toEqual([
      'the server is not a replica, or does not report how far it has replayed.',
      'it replicates another server than the one of DATABASE_URL.',
      expect.stringMatching(
        /^it cannot be reached, or has not replicated the tables\. .*\bECONNREFUSED\b/,
      ),
    ]);
  });
});

test('a promoted replica is not used any more', async () => {
  const { gateway, database } = await openInUse();
  await standby.query('select pg_promote()');
  await waitForState(database, 'not-a-replica');
  await addEvent('promoted');
  expect(await countEvents(gateway, 'promoted')).toBe(1);
});
