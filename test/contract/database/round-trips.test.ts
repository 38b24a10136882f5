import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { createMigratedDatabase } from '../../testkit/database.js';
import { type NetworkProxy, startNetworkProxy } from '../../testkit/network-proxy.js';

const ONE_WAY_MS = 100;
const EVENTS = '{ events(first: 10) { nodes { id type createdAt createdBy summary } } }';
const COUNTED = '{ events(first: 10) { totalCount pageInfo { hasNextPage } nodes { id type } } }';
const NOT_COUNTED_BEFORE = (to: number) =>
  `{ events(first: 10, filter: { id: { before: ${to} } }) { totalCount nodes { id feature { name } project { name } } } }`;
const FEATURES =
  '{ features(first: 10) { nodes { name project { name } environments { environment { name } enabled } } } }';
const PROJECT =
  '{ project(id: "default") { name mode features(first: 5) { nodes { name } } events(first: 5) { nodes { id } } } }';

let lastId = 60;
const nextId = () => {
  lastId += 1;
  return lastId;
};

let proxy: NetworkProxy;
let gateway: Gateway;
const cleanUps: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  const { url, drop } = await createMigratedDatabase('demo');
  cleanUps.push(drop);
  proxy = await startNetworkProxy(url);
  cleanUps.push(proxy.close);
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: proxy.url });
  cleanUps.push(database.close);
  gateway = await startGateway(database);
  cleanUps.push(gateway.stop);
});
afterAll(async () => {
  proxy?.slowDown(0);
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const timed = async (request: () => Promise<{ status: number }>): Promise<number> => {
  const startedAt = performance.now();
  const { status } = await request();
  expect(status).toBe(200);
  return performance.now() - startedAt;
};

/** Counts sequential round trips to the database. */
const roundTripsOf = async (request: () => Promise<{ status: number }>): Promise<number> => {
  // Connections are open, and caches are warm.
  await Promise.all([request(), request(), request()]);
  proxy.slowDown(ONE_WAY_MS);
  const times: number[] = [];
  while (times.length < 3) times.push(await timed(request));
  proxy.slowDown(0);
  return Math.floor(Math.min(...times) / (2 * ONE_WAY_MS));
};

describe.each([
  ['admin', DEMO_TOKENS.admin],
  ['viewer', DEMO_TOKENS.viewer],
])('for a %s', (_, token) => {
  test.each([
    ['a page of events', 2, () => gateway.graphql(EVENTS, {}, { token })],
    ['a page of events with its total', 2, () => gateway.graphql(COUNTED, {}, { token })],
    [
      'a page of events with an uncached total, features and projects',
      4,
      () => gateway.graphql(NOT_COUNTED_BEFORE(nextId()), {}, { token }),
    ],
    ['a page of features', 3, () => gateway.graphql(FEATURES, {}, { token })],
    ['a project with features and events', 3, () => gateway.graphql(PROJECT, {}, { token })],
    ['a REST search', 2, () => gateway.rest('/api/admin/search/events?limit=10', { token })],
  ])('%s needs at most %i round trips', async (_name, max, request) => {
    const trips = await roundTripsOf(request);
    expect(trips).toBeLessThanOrEqual(max);
  });
});
