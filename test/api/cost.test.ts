import { expect, test } from 'vitest';
import { OPERATION_LIMITS } from '../../src/graphql/use-operation-limits.js';
import { describeDemoOnBothDatabases } from '../testkit/app.js';
import { openEventStream } from '../testkit/event-stream.js';
import { stopClock } from '../testkit/stop-clock.js';

stopClock();

const ASKED = { 'x-graphql-cost': 'true' };
const VIEWER = '{ viewer { name } }';
const PROJECTS = `{ projects(first: 10) { nodes { id members features(first: 5) { totalCount nodes {
  name environments { enabled strategies { name } } events(first: 2) { nodes { id } } } } } } }`;
const TOO_MUCH =
  '{ projects(first: 1000) { nodes { features(first: 1000) { nodes { events(first: 1000) { nodes { id } } } } } } }';

const QUERIES = [
  VIEWER,
  '{ events(first: 20) { totalCount nodes { id label feature { name } } } }',
  '{ events(first: 20, filter: { text: "checkout" }) { nodes { id changes { path } } } }',
  '{ feature(name: "welcome-tour") { name timeline(environment: "production") { __typename } } }',
  '{ project(id: "web-shop") { health { activeCount } cleanUp: features { nodes { name } } } }',
  '{ integrations { id events(first: 3) { nodes { id } } } }',
  PROJECTS,
  'mutation { cloneFeature(input: { feature: "welcome-tour", name: "tour-2", dryRun: true }) { __typename } }',
];

describeDemoOnBothDatabases('the cost of an operation', ({ gateway, statementsOf }) => {
  const ask = async (
    query: string,
    { way = '', headers = ASKED as Record<string, string> } = {},
  ) => {
    const { status, body } = await gateway().rest(`/graphql${way}`, { body: { query }, headers });
    return { status, ...body };
  };
  const costOf = async (query: string) => (await ask(query)).extensions.cost;

  test.each(QUERIES)('is told with the statements that were sent: %s', async (query) => {
    // What is remembered of the log is learnt by whoever asks first.
    await ask(query);
    for (const way of ['', '?way=long']) {
      let answer = await ask(query);
      const statements = await statementsOf(async () => {
        answer = await ask(query, { way });
      });
      expect(answer.errors).toBeUndefined();
      expect(answer.extensions).toEqual({
        cost: {
          cost: expect.any(Number),
          limit: OPERATION_LIMITS.cost,
          statements: statements.length,
          rows: expect.any(Number),
        },
      });
      expect(answer.extensions.cost.cost).toBeGreaterThan(0);
      expect(answer.extensions.cost.cost).toBeLessThan(OPERATION_LIMITS.cost);
      expect(answer.extensions.cost.rows).toBeGreaterThan(0);
    }
  });

  test.each([
    ['{ events(first: 1) { nodes { id $ } } }', 'changes { path }', 10],
    ['{ events(first: 1) { nodes { id } $ } }', 'totalCount', 20],
    ['{ events(first: 1) { nodes { id } $ } }', 'totalCountUpTo(max: 1) { count }', 5],
    [
      '{ feature(name: "welcome-tour") { name $ } }',
      'asOf(time: "2026-01-01T00:00:00Z") { stale }',
      200,
    ],
    [
      '{ feature(name: "welcome-tour") { name $ } }',
      'timeline(environment: "production") { state }',
      50,
    ],
    [
      '{ feature(name: "welcome-tour") { name $ } }',
      'timeline(environment: "production", last: 500) { state }',
      500,
    ],
    ['{ integration(id: 1) { id $ } }', 'stats { deliveries }', 20],
    ['{ integration(id: 1) { id $ } }', 'explain(eventId: 1) { wouldBeSent }', 20],
    ['{ project(id: "web-shop") { id $ } }', 'activity { count }', 30],
    [
      '{ project(id: "web-shop") { health { score $ } } }',
      'cleanUp(first: 1) { nodes { weight } }',
      100,
    ],
    ['{ viewer { name } $ }', 'cleanUp(first: 1) { nodes { weight } }', 1_000],
    ['{ viewer { name } $ }', 'eventActivity { count }', 300],
    [
      '{ viewer { name } $ }',
      'events(first: 1, filter: { not: { text: "x" } }) { nodes { id } }',
      10_000,
    ],
  ])('is that of the work behind a field, in %s: %s', async (query, field, least) => {
    const [without, whole] = [
      await costOf(query.replace('$', '')),
      await costOf(query.replace('$', field)),
    ];
    expect(whole.cost - without.cost).toBeGreaterThanOrEqual(least);
  });

  test('counts the statements of a change', async () => {
    let answer = await ask(VIEWER);
    const statements = await statementsOf(async () => {
      answer = await ask(
        'mutation { cloneFeature(input: { feature: "welcome-tour", name: "tour-3" }) { __typename } }',
      );
    });
    expect(answer.data.cloneFeature.__typename).toBe('CloneFeaturePayload');
    expect(answer.extensions.cost.statements).toBe(statements.length);
  });

  test('is not told to those who do not ask', async () => {
    for (const headers of [{}, { 'x-graphql-cost': '0' }, { 'x-graphql-cost': 'false' }]) {
      for (const way of ['', '?way=long']) {
        expect(await ask(VIEWER, { headers, way })).not.toHaveProperty('extensions');
      }
    }
    const { status, errors } = await ask(VIEWER, { headers: { 'x-graphql-cost': 'maybe' } });
    expect([status, errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(errors[0].message).toContain('X-GraphQL-Cost');
  });

  test('is told to a GET as well', async () => {
    const search = new URLSearchParams({ query: VIEWER });
    const { body } = await gateway().rest(`/graphql?${search}`, { headers: ASKED });
    expect(body.extensions.cost).toEqual(await costOf(VIEWER));
  });

  test('counts rows one by one, also where they come as one value', async () => {
    const { rows: ofToken } = await costOf(VIEWER);
    const page = (first: number) => `{ events(first: ${first}) { nodes { id } } }`;
    const [few, many] = [await costOf(page(10)), await costOf(page(50))];
    // One more than asked for, to see whether a page follows.
    expect([few.rows - ofToken, many.rows - ofToken]).toEqual([11, 51]);
    expect(many.statements).toBe(few.statements);
    expect(many.cost).toBeGreaterThan(few.cost);
  });

  test('is told of what is refused for it', async () => {
    const { statements } = await costOf(VIEWER);
    for (const way of ['', '?way=long']) {
      const { status, errors, data, extensions } = await ask(TOO_MUCH, { way });
      expect([status, data]).toEqual([400, undefined]);
      expect(errors[0].extensions.code).toBe('LIMIT_EXCEEDED');
      expect(extensions.cost.cost).toBeGreaterThan(OPERATION_LIMITS.cost);
      expect(errors[0].message).toContain(String(extensions.cost.cost));
      expect(extensions.cost.statements).toBeLessThanOrEqual(statements);
    }
  });

  test('is nothing for the schema itself, and unknown for what is no operation', async () => {
    expect(await costOf('{ __schema { queryType { name } } }')).toMatchObject({ cost: 0 });
    for (const query of ['{ nothing }', '{ viewer']) {
      expect(await ask(query)).not.toHaveProperty('extensions');
    }
  });

  test('is that of the request alone, whatever others ask at the same time', async () => {
    const alone = [await costOf(VIEWER), await costOf(PROJECTS)];
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const isAsked = index % 3 !== 0;
        const query = index % 2 === 0 ? VIEWER : PROJECTS;
        return { index, isAsked, answer: await ask(query, isAsked ? {} : { headers: {} }) };
      }),
    );
    for (const { index, isAsked, answer } of answers) {
      expect(answer.data).toBeTruthy();
      expect(answer.extensions?.cost).toEqual(isAsked ? alone[index % 2] : undefined);
    }
  });

  test('is not told with the events of a subscription, which has no end', async () => {
    const { data } = await gateway().graphql('{ events(first: 2) { edges { cursor } } }');
    const after = data.events.edges.at(-1).cursor;
    const stream = await openEventStream(
      gateway().url,
      'subscription ($after: String) { events(after: $after) { cursor } }',
      { after },
      { headers: ASKED },
    );
    expect(await stream.next()).toEqual({ data: { events: { cursor: expect.any(String) } } });
    await stream.close();
  });
});
