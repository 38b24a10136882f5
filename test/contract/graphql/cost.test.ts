import { expect, test } from 'vitest';
import { OPERATION_LIMITS } from '../../../src/graphql/document-limits.js';
import { describeWithDemo } from '../../testkit/app.js';
import { openEventStream } from '../../testkit/event-stream.js';
import { stopClock } from '../../testkit/stop-clock.js';

stopClock();

const COST_HEADERS = { 'x-graphql-cost': 'true' };
const VIEWER = '{ viewer { name } }';
const PROJECTS = `{ projects(first: 10) { nodes { id members features(first: 5) { totalCount nodes {
  name environments { enabled strategies { name } } events(first: 2) { nodes { id } } } } } } }`;
const TOO_MUCH =
  '{ projects(first: 1000) { nodes { features(first: 1000) { nodes { events(first: 1000) { nodes { id } } } } } } }';

const QUERIES = [
  VIEWER,
  '{ events(first: 20) { totalCount nodes { id label feature { name } } } }',
  '{ events(first: 20, filter: { text: "checkout" }) { nodes { id changes { path } } } }',
  '{ feature(name: "welcome-tour") { name timeline(environmentName: "production") { __typename } } }',
  '{ project(id: "web-shop") { health { activeCount } cleanUp: features { nodes { name } } } }',
  '{ integrations { id deliveries(first: 3) { nodes { id } } } }',
  PROJECTS,
  '{ clonePlan(input: { featureName: "welcome-tour", newName: "tour-2" }) { newName } }',
];

describeWithDemo('the cost of an operation', ({ gateway, statementsOf }) => {
  const runQuery = async (
    query: string,
    { way: search = '', headers = COST_HEADERS as Record<string, string> } = {},
  ) => {
    const { status, body } = await gateway().rest(`/graphql${search}`, {
      body: { query },
      headers,
    });
    return { status, ...body };
  };
  const costOf = async (query: string) => (await runQuery(query)).extensions.cost;

  test.each(QUERIES)('is returned with the number of statements sent: %s', async (query) => {
    // Warms the event-log cache.
    await runQuery(query);
    for (const search of ['', '?way=long']) {
      let response = await runQuery(query);
      const statements = await statementsOf(async () => {
        response = await runQuery(query, { way: search });
      });
      expect(response.errors).toBeUndefined();
      expect(response.extensions).toEqual({
        cost: {
          cost: expect.any(Number),
          limit: OPERATION_LIMITS.cost,
          statements: statements.length,
          rows: expect.any(Number),
        },
      });
      expect(response.extensions.cost.cost).toBeGreaterThan(0);
      expect(response.extensions.cost.cost).toBeLessThan(OPERATION_LIMITS.cost);
      expect(response.extensions.cost.rows).toBeGreaterThan(0);
    }
  });

  test.each([
    ['{ events(first: 1) { nodes { id $ } } }', 'changes { path }', 10],
    ['{ events(first: 1) { nodes { id } $ } }', 'totalCount', 20],
    ['{ events(first: 1) { nodes { id } $ } }', 'totalCountUpTo(max: 1) { count }', 5],
    ['{ events(first: 1) { nodes { id } $ } }', 'totalCountUpTo(max: 100000) { count }', 105],
    ['{ events(first: 1) { nodes { id } $ } }', 'totalCountUpTo(max: -9999999) { count }', 5],
    [
      '{ feature(name: "welcome-tour") { name $ } }',
      'asOf(time: "2026-01-01T00:00:00Z") { stale }',
      1_000,
    ],
    [
      '{ feature(name: "welcome-tour") { name $ } }',
      'compare(from: "2026-01-01T00:00:00Z") { unknown }',
      2_000,
    ],
    [
      '{ feature(name: "welcome-tour") { name $ } }',
      'compareEnvironments(fromName: "development", toName: "production") { unknown }',
      50,
    ],
    ['{ project(id: "web-shop") { health { score $ } } }', 'activeCount', 100],
    ['{ project(id: "web-shop") { health { score $ } } }', 'countsByType { count }', 100],
    ['{ eventFacets { types { count } $ } }', 'features(first: 1) { totalCount }', 200],
    [
      '{ eventFacets { types { count } $ } }',
      'features(first: 1, search: "a") { totalCount }',
      300,
    ],
    [
      '{ feature(name: "welcome-tour") { name $ } }',
      'timeline(environmentName: "production") { state }',
      50,
    ],
    [
      '{ feature(name: "welcome-tour") { name $ } }',
      'timeline(environmentName: "production", last: 500) { state }',
      500,
    ],
    ['{ integration(id: 1) { id $ } }', 'stats { deliveryCount }', 20],
    ['{ integration(id: 1) { id $ } }', 'explain(eventId: 1) { wouldBeSent }', 20],
    ['{ project(id: "web-shop") { id $ } }', 'activity { count }', 30],
    [
      '{ project(id: "web-shop") { health { score $ } } }',
      'cleanUp(first: 1) { nodes { weight } }',
      100,
    ],
    ['{ viewer { name } $ }', 'cleanUp(first: 1) { nodes { weight } }', 1_000],
    ['{ viewer { name } $ }', 'activity { count }', 300],
    [
      '{ viewer { name } $ }',
      'events(first: 1, filter: { not: { text: "x" } }) { nodes { id } }',
      10_000,
    ],
  ])('includes the work of a field, in %s: %s', async (query, field, min) => {
    const [without, full] = [
      await costOf(query.replace('$', '')),
      await costOf(query.replace('$', field)),
    ];
    expect(full.cost - without.cost).toBeGreaterThanOrEqual(min);
  });

  test('counts the statements of a mutation', async () => {
    let response = await runQuery(VIEWER);
    const statements = await statementsOf(async () => {
      response = await runQuery(
        'mutation { cloneFeature(input: { featureName: "welcome-tour", newName: "tour-3" }) { __typename } }',
      );
    });
    expect(response.data.cloneFeature.__typename).toBe('CloneFeaturePayload');
    expect(response.extensions.cost.statements).toBe(statements.length);
  });

  test('is returned on request only', async () => {
    for (const headers of [{}, { 'x-graphql-cost': '0' }, { 'x-graphql-cost': 'false' }]) {
      for (const search of ['', '?way=long']) {
        expect(await runQuery(VIEWER, { headers, way: search })).not.toHaveProperty('extensions');
      }
    }
    const { status, errors } = await runQuery(VIEWER, { headers: { 'x-graphql-cost': 'maybe' } });
    expect([status, errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(errors[0].message).toContain('X-GraphQL-Cost');
  });

  test('is returned for GET requests too', async () => {
    const search = new URLSearchParams({ query: VIEWER });
    const { body } = await gateway().rest(`/graphql?${search}`, { headers: COST_HEADERS });
    expect(body.extensions.cost).toEqual(await costOf(VIEWER));
  });

  test('counts every row, including rows that arrive as one value', async () => {
    const { rows: ofToken } = await costOf(VIEWER);
    const page = (first: number) => `{ events(first: ${first}) { nodes { id } } }`;
    const [few, many] = [await costOf(page(10)), await costOf(page(50))];
    // One row more than requested, to compute hasNextPage.
    expect([few.rows - ofToken, many.rows - ofToken]).toEqual([11, 51]);
    expect(many.statements).toBe(few.statements);
    expect(many.cost).toBeGreaterThan(few.cost);
  });

  test('is returned when an operation is rejected for its cost', async () => {
    const { statements } = await costOf(VIEWER);
    for (const search of ['', '?way=long']) {
      const { status, errors, data, extensions } = await runQuery(TOO_MUCH, { way: search });
      expect([status, data]).toEqual([400, undefined]);
      expect(errors[0].extensions.code).toBe('LIMIT_EXCEEDED');
      expect(extensions.cost.cost).toBeGreaterThan(OPERATION_LIMITS.cost);
      expect(errors[0].message).toContain(String(extensions.cost.cost));
      expect(extensions.cost.statements).toBeLessThanOrEqual(statements);
    }
  });

  test('is zero for introspection, and absent for invalid operations', async () => {
    expect(await costOf('{ __schema { queryType { name } } }')).toMatchObject({ cost: 0 });
    for (const query of ['{ nothing }', '{ viewer']) {
      expect(await runQuery(query)).not.toHaveProperty('extensions');
    }
  });

  test('excludes concurrent requests', async () => {
    const alone = [await costOf(VIEWER), await costOf(PROJECTS)];
    const responses = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const isRequested = index % 3 !== 0;
        const query = index % 2 === 0 ? VIEWER : PROJECTS;
        return {
          index,
          isAsked: isRequested,
          answer: await runQuery(query, isRequested ? {} : { headers: {} }),
        };
      }),
    );
    for (const { index, isAsked: isRequested, answer: response } of responses) {
      expect(response.data).toBeTruthy();
      expect(response.extensions?.cost).toEqual(isRequested ? alone[index % 2] : undefined);
    }
  });

  test('is not part of subscription events', async () => {
    const { data } = await gateway().graphql('{ events(first: 2) { edges { cursor } } }');
    const after = data.events.edges.at(-1).cursor;
    const stream = await openEventStream(
      gateway().url,
      'subscription ($after: String) { events(after: $after) { cursor } }',
      { after },
      { headers: COST_HEADERS },
    );
    expect(await stream.next()).toEqual({ data: { events: { cursor: expect.any(String) } } });
    await stream.close();
  });
});
