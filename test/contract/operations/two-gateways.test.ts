import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { type AttachedGateway, attachGateway } from '../../testkit/attached-gateway.js';
import { cloneOverRest } from '../../testkit/clone-calls.js';
import { addCloneWorld, addFeature, CLONE_TOKENS, PEOPLE } from '../../testkit/clone-world.js';
import { openEventStream } from '../../testkit/event-stream.js';
import { addSession, SESSION_SECRET, sessionCookie } from '../../testkit/unleash-sessions.js';

const SETTINGS = { UNLEASH_SECRET: SESSION_SECRET };
const TOKEN = { token: CLONE_TOKENS.ann };

let first: AttachedGateway;
let database: Database;
let second: Gateway;

beforeAll(async () => {
  first = await attachGateway(
    async (client) => {
      await addCloneWorld(client);
      await addFeature(client, { name: 'source', project: 'shop' });
    },
    { settings: SETTINGS },
  );
  // Has its own connection pool and caches, like another process.
  database = await openDatabase({ dataDir: 'memory://', databaseUrl: first.url });
  second = await startGateway(database, SETTINGS, { hasDemo: false });
});
afterAll(async () => {
  await second.stop();
  await database.close();
  await first.close();
});

let requestIndex = 0;
/** The instance that a load balancer without sticky sessions would choose. */
const next = (): Gateway => {
  requestIndex += 1;
  return requestIndex % 2 === 0 ? first.gateway : second;
};

const clone = (gateway: Gateway, name: string, key?: string) =>
  cloneOverRest(gateway, {
    source: 'source',
    name,
    token: CLONE_TOKENS.ann,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

const EVENTS = `query ($first: Int!, $after: String) {
  events(first: $first, after: $after) { totalCount nodes { id } pageInfo { endCursor hasNextPage } }
}`;
const FEATURES = `query ($first: Int!, $after: String) {
  features(first: $first, after: $after) {
    totalCount nodes { id: nodeId name } pageInfo { endCursor hasNextPage }
  }
}`;

type Page = {
  totalCount: number;
  nodes: { id: string; name?: string }[];
  pageInfo: { endCursor: string; hasNextPage: boolean };
};

const readPage = async (
  gateway: Gateway,
  query: string,
  variables: Record<string, unknown>,
): Promise<Page> => {
  const { data } = await gateway.graphql(query, variables, TOKEN);
  return data.events ?? data.features;
};

const pageThrough = async (query: string): Promise<string[]> => {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const { nodes, pageInfo }: Page = await readPage(next(), query, { first: 2, after });
    ids.push(...nodes.map(({ id }) => id));
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  return ids;
};

test('a write on one instance is visible on the other at once, in pages and totals', async () => {
  for (let n = 0; n < 8; n += 1) {
    expect((await clone(next(), `copy-${n}`)).status).toBe(200);
    const { nodes, totalCount } = await readPage(next(), FEATURES, { first: 50 });
    expect(nodes.map(({ name }) => name)).toContain(`copy-${n}`);
    expect(totalCount).toBe(nodes.length);
    const [one, two] = await Promise.all(
      [first.gateway, second].map((gateway) => readPage(gateway, EVENTS, { first: 1 })),
    );
    expect(one).toEqual(two);
  }
});

test.each([
  ['events', EVENTS],
  ['features', FEATURES],
])('a page of %s continues with the cursor of the other instance', async (_field, query) => {
  const { nodes } = await readPage(first.gateway, query, { first: 50 });
  expect(nodes.length).toBeGreaterThan(5);
  expect(await pageThrough(query)).toEqual(nodes.map(({ id }) => id));
});

test('a node is found by the ID from the other instance', async () => {
  const { nodes } = await readPage(first.gateway, FEATURES, { first: 1 });
  const { id, name } = nodes[0] ?? {};
  const found = await second.graphql(
    'query ($id: ID!) { node(id: $id) { nodeId ... on Feature { name } } }',
    { id },
    TOKEN,
  );
  expect(found.data.node).toEqual({ nodeId: id, name });
});

test('ETags are the same on both instances, so clients can revalidate with either', async () => {
  const path = '/api/admin/search/events?limit=2';
  const [one, two] = await Promise.all([first.gateway, second].map((at) => at.rest(path, TOKEN)));
  expect(one?.headers.get('etag')).toMatch(/^W\//);
  expect(two?.headers.get('etag')).toBe(one?.headers.get('etag'));
});

test('a subscription resumes on the other instance without gaps or duplicates', async () => {
  const SUBSCRIPTION =
    'subscription ($after: String) { events(after: $after) { cursor node { id } } }';
  const follow = (gateway: Gateway, after: string | null) =>
    openEventStream(gateway.url, SUBSCRIPTION, { after }, TOKEN);
  const messageOf = (result: { data?: { events: { cursor: string; node: { id: string } } } }) => {
    if (!result.data) throw new Error('The stream has ended.');
    return result.data.events;
  };

  const recorded = async () => (await pageThrough(EVENTS)).toReversed();
  const before = await recorded();
  const stream = await follow(first.gateway, null);
  await clone(next(), 'followed-0');
  const [start] = await stream.take(1);
  const received = [messageOf(start ?? {})];
  await stream.close();

  for (const name of ['followed-1', 'followed-2', 'followed-3']) {
    await clone(next(), name);
    const expected = (await recorded()).slice(before.length);
    const resumed = await follow(next(), received.at(-1)?.cursor ?? null);
    const results = await resumed.take(expected.length - received.length);
    received.push(...results.map(messageOf));
    await resumed.close();
    expect(received.map(({ node }) => node.id)).toEqual(expected);
  }
});

test('an idempotency key returns the same copy on either instance', async () => {
  const one = await clone(next(), 'keyed', 'key-1');
  const two = await clone(next(), 'keyed', 'key-1');
  const without = await clone(next(), 'keyed');
  expect([one.status, two.status, without.status]).toEqual([200, 200, 409]);
  expect(two.body).toEqual(one.body);
});

test('sign-in sessions and sign-outs apply to both instances', async () => {
  const sid = await addSession(database.client, PEOPLE.ann);
  const headers = { cookie: sessionCookie(sid), 'sec-fetch-site': 'same-origin' };
  const readViewer = async () => {
    const { status, data } = await next().graphql(
      '{ viewer { userId } }',
      {},
      { token: null, headers },
    );
    return data?.viewer?.userId ?? status;
  };
  expect([await readViewer(), await readViewer()]).toEqual([PEOPLE.ann, PEOPLE.ann]);
  await database.client.$executeRawUnsafe('DELETE FROM unleash_session WHERE sid = $1', sid);
  expect([await readViewer(), await readViewer()]).toEqual([401, 401]);
});
