import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createAuthenticate } from '../../../src/auth/authenticate.js';
import type { DomainError } from '../../../src/domain/errors.js';
import { DEFAULT_CLONE_LIMITS } from '../../../src/domain/features/clone-limits.js';
import { createOperations } from '../../../src/domain/operations.js';
import { createGraphqlServer } from '../../../src/graphql/graphql-server.js';
import { schema } from '../../../src/graphql/schema/index.js';
import { describeWithDemo } from '../../testkit/app.js';

const QUERIES: readonly {
  query: string;
  variables?: unknown;
  operationName?: unknown;
  extensions?: unknown;
}[] = [
  { query: '{ viewer { name kind } }' },
  { query: '{ events(first: 3) { totalCount nodes { id label } pageInfo { endCursor } } }' },
  { query: 'query A { viewer { name } } query B { viewer { kind } }', operationName: 'B' },
  { query: 'query A { viewer { name } } query B { viewer { kind } }' },
  { query: 'query A { viewer { name } }', operationName: 'C' },
  { query: 'query ($n: Int) { events(first: $n) { nodes { id } } }', variables: { n: 2 } },
  { query: 'query ($n: Int) { events(first: $n) { nodes { id } } }', variables: { n: 'two' } },
  { query: 'query ($n: Int!) { events(first: $n) { nodes { id } } }', variables: null },
  { query: '{ events(first: 0) { nodes { id } } }' },
  { query: '{ a: event(id: 1) { id } events(first: 2000) { nodes { id } } }' },
  { query: '{ project(id: "\\u0000") { name } feature(name: "welcome-tour") { name } }' },
  { query: '{ integrations { nodes { id } } }' },
  { query: '{ __schema { queryType { name } } }' },
  { query: '{ nothing }' },
  { query: '{ viewer ' },
  { query: '' },
  {
    query:
      '{ projects(first: 1000) { nodes { features(first: 1000) { nodes { events(first: 1000) { nodes { id } } } } } } }',
  },
  { query: 'subscription { events { id } }' },
  {
    query:
      'mutation { cloneFeature(input: { featureName: "ghost", newName: "x" }) { __typename ... on Error { name message } } }',
  },
  { query: '{ viewer { name } }', variables: [] },
  { query: '{ viewer { name } }', variables: 'none' },
  { query: '{ viewer { name } }', operationName: 7 },
  { query: '{ viewer { name } }', extensions: { clientLibrary: { name: 'x' } } },
  { query: '{ viewer { name } }', extensions: [] },
  { query: '{ viewer { name } }', extensions: { persistedQuery: { version: 2 } } },
  { query: '{ viewer { name } }', extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
];
const ACCEPTS = [
  undefined,
  '*/*',
  'application/*',
  'application/json',
  'application/graphql-response+json',
  // Apollo Client and urql.
  'application/graphql-response+json,application/json;q=0.9',
  'application/graphql-response+json, application/json, text/event-stream',
  'text/event-stream, application/json',
];
const CALLERS = ['*:*.demo-admin-token', 'user:demo-viewer'];

describeWithDemo('operation requests', ({ gateway, database }) => {
  const partsOf = (status: number, headers: Headers, text: string) => ({
    status,
    type: headers.get('content-type'),
    retryAfter: headers.get('retry-after'),
    // Requests that are malformed have other messages.
    text: text
      .replaceAll(/"id":"[\da-f-]{36}"/g, '"id":"<id>"')
      .replace(
        /"message":"(?:[^"\\]|\\.)*"(?=,"extensions":\{"code":"BAD_REQUEST")/,
        '"message":""',
      ),
  });
  const run = async (body: object, accept: string | undefined, token: string) => {
    const { status, headers, text } = await gateway().rest('/graphql', {
      body,
      token,
      headers: accept === undefined ? { accept: '' } : { accept },
    });
    return partsOf(status, headers, text);
  };
  /** The same plugins with Yoga's own handling of requests. */
  const createReference = () => {
    const { client } = database();
    const limits = DEFAULT_CLONE_LIMITS;
    const server = createGraphqlServer({
      client,
      operations: createOperations(database(), { adminUiUrl: 'http://localhost:4242', limits }),
      reportError: (error) => error as DomainError,
    });
    const authenticate = createAuthenticate(database());
    return async (body: object, accept: string | undefined, token: string) => {
      const credentials = { kind: 'token' as const, value: token };
      const actor = await authenticate({ credentials, hasCookie: false, ip: null });
      const response = await server.fetch(
        'http://gateway/graphql',
        {
          method: 'POST',
          headers: { accept: accept ?? '*/*', 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
        { actor },
      );
      return partsOf(response.status, response.headers, await response.text());
    };
  };

  test.each(QUERIES)('get the response of Yoga: $query', async (body) => {
    const runReference = createReference();
    for (const accept of ACCEPTS) {
      // Yoga would send an endless stream.
      if (body.query.startsWith('subscription') && accept?.includes('event-stream')) continue;
      for (const token of CALLERS) {
        const expected = await runReference(body, accept, token);
        // The gateway adds a body to this response.
        if (expected.status === 406) expect((await run(body, accept, token)).status).toBe(406);
        else expect(await run(body, accept, token)).toEqual(expected);
      }
    }
  });

  test.each([
    ['{ viewer { kind } }', 200, undefined],
    [
      'mutation { cloneFeature(input: { featureName: "a", newName: "b" }) { __typename } }',
      405,
      'POST',
    ],
    ['{ viewer', 400, undefined],
  ])('are accepted in the URL of a GET unless they write: %s', async (query, status, allow) => {
    const accept = 'application/graphql-response+json';
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    const response = await gateway().rest(path, { headers: { accept } });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
    expect(response.headers.get('allow') ?? undefined).toBe(allow);
  });

  test('get variables and the name of the operation from the URL of a GET', async () => {
    const search = new URLSearchParams({
      query: 'query A { __typename } query B($n: Int) { events(first: $n) { nodes { id } } }',
      operationName: 'B',
      variables: '{"n":2}',
    });
    const { body } = await gateway().rest(`/graphql?${search}`);
    expect(body.data.events.nodes).toHaveLength(2);
  });

  describe('for a page of events', () => {
    const { Event: type } = schema.getTypeMap();
    const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
    const plain = fields.filter(
      ({ args, type: kind }) => args.length === 0 && isLeafType(getNamedType(kind)),
    );

    test('returns each field alone as among all others', async () => {
      const names = [...plain.map(({ name }) => name), 'tags'];
      expect(names).toContain('summary');
      const selectionOf = (name: string) => (name === 'tags' ? 'tags { type value }' : name);
      const query = (selection: string) => `{ events(first: 200) { nodes { ${selection} } } }`;
      const whole = await gateway().graphql(query(names.map(selectionOf).join(' ')));
      for (const name of names) {
        const { data } = await gateway().graphql(query(selectionOf(name)));
        expect(data.events.nodes).toEqual(
          whole.data.events.nodes.map((node: Record<string, unknown>) => ({ [name]: node[name] })),
        );
      }
    });

    test('returns the same in fragments, under aliases and below edges', async () => {
      const { data } = await gateway().graphql(
        `{ a: events(first: 50) { edges { node { ...more } } } b: events(first: 50) { nodes { x: data id } } }
         fragment more on Event { id ... on Event { data } }`,
      );
      const a = data.a.edges.map(({ node }: { node: { id: number; data: unknown } }) => node);
      const b = data.b.nodes.map(({ x, id }: { x: unknown; id: number }) => ({ id, data: x }));
      expect(a).toEqual(b);
      expect(a.some((event: { data: unknown }) => event.data !== null)).toBe(true);
    });
  });
});
