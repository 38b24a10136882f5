import { idsExchange, keys, resolvers, schema } from '@flaggraph/client/graphcache';
import { type AnyVariables, Client, type DocumentInput, fetchExchange, gql } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, type Gateway } from '../../testkit/app.js';
import { expectSilence } from './console-spy.js';

// biome-ignore lint/suspicious/noExplicitAny: results of queries without generated types.
type Data = any;
type Document = DocumentInput<Data, AnyVariables>;

const byEdges = gql`
  query ByEdges($filter: EventFilter, $first: Int, $after: String, $last: Int, $before: String) {
    events(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { id label } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`;
const byNodes = gql`
  query ByNodes($filter: EventFilter, $first: Int, $after: String, $last: Int, $before: String) {
    events(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes { id summary }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      totalCount
    }
  }
`;

const projectAlone = gql`query ProjectAlone { project(id: "web-shop") { name description } }`;
const projectInList = gql`
  query ProjectInList { projects(filter: { id: { is: "web-shop" } }) { nodes { name description } } }
`;
const mixedNodes = gql`
  query MixedNodes($ids: [ID!]!) {
    nodes(ids: $ids) { nodeId ... on Feature { name } ... on Event { label } ...ProjectName }
  }
  fragment ProjectName on Project { name }
`;

const createUrql = ({ url }: Gateway, token: string = DEMO_TOKENS.admin) => {
  const requests: string[] = [];
  const client = new Client({
    url: `${url}/graphql`,
    preferGetMethod: false,
    fetch: async (address, init) => {
      requests.push(JSON.parse(String(init?.body)).operationName);
      return fetch(address, init);
    },
    fetchOptions: { headers: { authorization: token } },
    exchanges: [idsExchange, cacheExchange({ keys, resolvers, schema }), fetchExchange],
  });
  return { client, requests };
};
type Urql = ReturnType<typeof createUrql>;

/** A component that shows a query. Only complete results count. */
const mount = ({ client }: Urql, query: Document, variables: AnyVariables = {}) => {
  let current: { data?: Data; error?: Error | undefined; stale?: boolean } = {};
  const { unsubscribe } = client.query(query, variables).subscribe((result) => {
    current = result;
  });
  const settled = async (): Promise<Data> => {
    await expect
      .poll(() => [current.data !== undefined, current.stale, current.error])
      .toEqual([true, false, undefined]);
    return current.data;
  };
  return { settled, unmount: unsubscribe };
};

const idsOf = ({ events }: Data): number[] =>
  events.nodes
    ? events.nodes.map(({ id }: Data) => id)
    : events.edges.map(({ node }: Data) => node.id);

describeWithDemo('Graphcache, configured by the client package', ({ gateway, database }) => {
  expectSilence();
  const idsFromGateway = async (args: string): Promise<number[]> => {
    const { data } = await gateway().graphql(`{ events(${args}) { nodes { id } } }`);
    return idsOf(data);
  };
  const show = async (urql: Urql, query: Document, variables: AnyVariables): Promise<Data> => {
    const component = mount(urql, query, variables);
    const data = await component.settled();
    component.unmount();
    return data;
  };

  describe.each([
    ['edges', byEdges],
    ['nodes', byNodes],
  ])('paging by %s', (_name, query) => {
    test('keeps every page of a list, forwards', async () => {
      const urql = createUrql(gateway());
      let data = await show(urql, query, { first: 3 });
      for (let page = 0; page < 3; page++) {
        data = await show(urql, query, { first: 3, after: data.events.pageInfo.endCursor });
      }
      expect(idsOf(data)).toEqual(await idsFromGateway('first: 12'));
      expect(data.events.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
      expect(idsOf(await show(urql, query, { first: 3 }))).toEqual(idsOf(data));
      expect(urql.requests).toHaveLength(4);
    });

    test('keeps every page of a list, backwards', async () => {
      const urql = createUrql(gateway());
      let data = await show(urql, query, { last: 3 });
      for (let page = 0; page < 3; page++) {
        data = await show(urql, query, { last: 4, before: data.events.pageInfo.startCursor });
      }
      expect(idsOf(data)).toEqual(await idsFromGateway('last: 15'));
      expect(data.events.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    });

    test('reaches the end of a filtered list with pages of different sizes', async () => {
      const urql = createUrql(gateway());
      const filter = { projectId: { is: 'mobile' } };
      let data = await show(urql, query, { filter, first: 2 });
      for (let page = 1; data.events.pageInfo.hasNextPage; page++) {
        const after = data.events.pageInfo.endCursor;
        data = await show(urql, query, { filter, first: 10 + (page % 7), after });
      }
      const all = await gateway().graphql(
        'query ($filter: EventFilter) { events(first: 1000, filter: $filter) { nodes { id } } }',
        { filter },
      );
      expect(idsOf(data)).toEqual(idsOf(all.data));
    });
  });

  test('does not join pages of a list that changed in between', async () => {
    const urql = createUrql(gateway());
    const first = await show(urql, byNodes, { first: 3 });
    const second = await show(urql, byNodes, { first: 3, after: first.events.pageInfo.endCursor });
    expect(idsOf(second)).toHaveLength(6);
    // A page of another size ends elsewhere: the page above does not follow it.
    const other = await show(urql, byNodes, { first: 2 });
    expect(idsOf(other)).toEqual(await idsFromGateway('first: 2'));
    const next = await show(urql, byNodes, { first: 2, after: other.events.pageInfo.endCursor });
    expect(idsOf(next)).toEqual(await idsFromGateway('first: 4'));
  });

  test('shows a change of an object in every component, although none selects its ID', async () => {
    const urql = createUrql(gateway());
    const component = mount(urql, projectAlone);
    const { project } = await component.settled();
    const { client } = database();
    const rename = (description: string | null) =>
      client.project.update({ where: { id: 'web-shop' }, data: { description } });
    await rename('changed');
    await show(urql, projectInList, {});
    await expect.poll(async () => (await component.settled()).project.description).toBe('changed');
    await rename(project.description);
    component.unmount();
  });

  test('reads nodes of several types, whose IDs have different types', async () => {
    const { data } =
      await gateway().graphql(`{ event(id: 7) { nodeId } project(id: "web-shop") { nodeId }
      feature(name: "checkout-one-page") { nodeId } }`);
    const ids = [data.event, data.project, data.feature].map(({ nodeId }) => nodeId);
    const { nodes } = await show(createUrql(gateway()), mixedNodes, { ids });
    expect(nodes).toMatchObject([
      { label: expect.any(String) },
      { name: 'Web shop' },
      { name: 'checkout-one-page' },
    ]);
  });

  test('keeps a list that is null because the caller may not see it', async () => {
    const urql = createUrql(gateway(), DEMO_TOKENS.viewer);
    const query = gql`query A { events(first: 2) { nodes { id deliveries(first: 1) { nodes { id } } } } }`;
    for (let round = 0; round < 2; round++) {
      const { events } = await show(urql, query, {});
      expect(events.nodes.map(({ deliveries }: Data) => deliveries)).toEqual([null, null]);
    }
    expect(urql.requests).toEqual(['A']);
  });

  test('keeps lists of different filters apart', async () => {
    const urql = createUrql(gateway());
    const lists = [
      await show(urql, byNodes, { first: 4, filter: { projectId: { is: 'web-shop' } } }),
      await show(urql, byNodes, { first: 4, filter: { projectId: { is: 'mobile' } } }),
      await show(urql, byNodes, { first: 4 }),
    ];
    expect(new Set(lists.map((data) => String(idsOf(data)))).size).toBe(3);
  });

  test('shows a feature at three times side by side', async () => {
    const urql = createUrql(gateway());
    const text = `query AsOf($time: DateTime!) {
      feature(name: "checkout-one-page") {
        asOf(time: $time) { time environments { environmentName state strategies { strategyId parameters } } }
      }
    }`;
    const { data } = await gateway().graphql(
      '{ feature(name: "checkout-one-page") { events(last: 100) { nodes { createdAt } } } }',
    );
    const times = data.feature.events.nodes.map(({ createdAt }: Data) => createdAt).reverse();
    const shown = [times[1], times[Math.floor(times.length / 2)], times.at(-1)].map((time) => ({
      time,
      ...mount(urql, text, { time }),
    }));
    for (const { settled } of shown) await settled();
    const states = new Set<string>();
    for (const { time, settled } of shown) {
      const expected = await gateway().graphql(text, { time });
      const { asOf } = (await settled()).feature;
      expect(asOf).toMatchObject(expected.data.feature.asOf);
      states.add(JSON.stringify(asOf.environments));
    }
    expect(states.size).toBeGreaterThan(1);
    for (const { unmount } of shown) unmount();
  });

  test.each([
    [
      'objects without an ID in the query',
      gql`query A { feature(name: "welcome-tour") { project { name } createdByUser { name } lifecycle { stage } } }`,
      gql`query B { feature(name: "welcome-tour") { project { mode } createdByUser { imageUrl } lifecycle { enteredStageAt } } }`,
    ],
    [
      'environments and strategies',
      gql`query A { feature(name: "checkout-one-page") { environments { enabled strategies { name constraints { contextName } } } } }`,
      gql`query B { feature(name: "checkout-one-page") { environments { lastSeenAt strategies { title constraints { operator values } } } } }`,
    ],
    [
      'a page of a list by edges and by nodes',
      gql`query A { cleanUp(first: 5) { edges { node { weight feature { name } } } pageInfo { hasNextPage } } }`,
      gql`query B { cleanUp(first: 5) { nodes { reasons { kind } feature { name stale } } totalCount pageInfo { endCursor } } }`,
    ],
  ])('keeps both selections of %s', async (_name, first, second) => {
    const urql = createUrql(gateway());
    const a = mount(urql, first);
    const before = await a.settled();
    const b = mount(urql, second);
    await b.settled();
    expect(await a.settled()).toEqual(before);
    expect(urql.requests).toEqual(['A', 'B']);
    a.unmount();
    b.unmount();
  });
});
