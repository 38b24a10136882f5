import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../../src/graphql/schema/index.js';
import { describeWithDemo } from '../../testkit/app.js';

/** Requests with URL parameters bypass the fast path and are handled by Yoga. */
const LONG_WAY = '?way=long';

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
      'mutation { cloneFeature(input: { feature: "ghost", name: "x" }) { __typename ... on Error { name message } } }',
  },
  { query: '{ viewer { name } }', variables: [] },
  { query: '{ viewer { name } }', variables: 'none' },
  { query: '{ viewer { name } }', operationName: 7 },
  { query: '{ viewer { name } }', extensions: { clientLibrary: { name: 'x' } } },
  { query: '{ viewer { name } }', extensions: [] },
  { query: '{ viewer { name } }', extensions: { persistedQuery: { version: 2 } } },
  { query: '{ viewer { name } }', extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
];
const ACCEPTS = [undefined, '*/*', 'application/json', 'application/graphql-response+json'];
const CALLERS = ['*:*.demo-admin-token', 'user:demo-viewer'];

describeWithDemo('the fast path', ({ gateway }) => {
  const runQuery = async (body: object, accept: string | undefined, token: string, search = '') => {
    const { status, headers, text } = await gateway().rest(`/graphql${search}`, {
      body,
      token,
      headers: accept === undefined ? { accept: '' } : { accept },
    });
    return {
      status,
      type: headers.get('content-type'),
      retryAfter: headers.get('retry-after'),
      text: text.replaceAll(/"id":"[\da-f-]{36}"/g, '"id":"<id>"'),
    };
  };

  test.each(QUERIES)('responds like Yoga: $query', async (body) => {
    for (const accept of ACCEPTS) {
      for (const token of CALLERS) {
        const [short, long] = [
          await runQuery(body, accept, token),
          await runQuery(body, accept, token, LONG_WAY),
        ];
        expect(short).toEqual(long);
      }
    }
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
