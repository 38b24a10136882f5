import { ApolloClient, gql, HttpLink, NetworkStatus, type ObservableQuery } from '@apollo/client';
import { createCache } from '@flaggraph/client/apollo';
import { describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, type Gateway } from '../../testkit/app.js';
import { expectSilence } from './console-spy.js';

// biome-ignore lint/suspicious/noExplicitAny: results of queries without generated types.
type Data = any;

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

const createApollo = (
  { url }: Gateway,
  cache = createCache(),
  token: string = DEMO_TOKENS.admin,
) => {
  const requests: string[] = [];
  const client = new ApolloClient({
    cache,
    link: new HttpLink({
      uri: `${url}/graphql`,
      headers: { authorization: token },
      fetch: async (address, init) => {
        requests.push(JSON.parse(String(init?.body)).operationName);
        return fetch(address, init);
      },
    }),
  });
  return { client, requests };
};

/** A component that shows a query: what it displays, and whether it is still loading. */
const mount = (
  { client }: ReturnType<typeof createApollo>,
  query: Data,
  variables: Record<string, unknown> = {},
) => {
  const observable: ObservableQuery<Data> = client.watchQuery<Data>({
    query,
    variables,
    fetchPolicy: 'cache-first',
    nextFetchPolicy: 'cache-first',
  });
  const subscription = observable.subscribe(() => undefined);
  const settled = async (): Promise<Data> => {
    await expect
      .poll(() => observable.getCurrentResult())
      .toMatchObject({ networkStatus: NetworkStatus.ready, dataState: 'complete' });
    return observable.getCurrentResult().data;
  };
  return { observable, settled, unmount: () => subscription.unsubscribe() };
};

const idsOf = ({ events }: Data): number[] =>
  events.nodes
    ? events.nodes.map(({ id }: Data) => id)
    : events.edges.map(({ node }: Data) => node.id);

describeWithDemo('the cache of Apollo Client, configured by the client package', ({ gateway }) => {
  expectSilence();
  const idsFromGateway = async (args: string): Promise<number[]> => {
    const { data } = await gateway().graphql(`{ events(${args}) { nodes { id } } }`);
    return idsOf(data);
  };

  describe.each([
    ['edges', byEdges],
    ['nodes', byNodes],
  ])('paging by %s', (_name, query) => {
    test('keeps every page of a list, forwards', async () => {
      const list = mount(createApollo(gateway()), query, { first: 3 });
      await list.settled();
      for (let page = 0; page < 3; page++) {
        const { pageInfo } = (await list.settled()).events;
        await list.observable.fetchMore({ variables: { after: pageInfo.endCursor } });
      }
      const data = await list.settled();
      expect(idsOf(data)).toEqual(await idsFromGateway('first: 12'));
      expect(data.events.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
      list.unmount();
    });

    test('keeps every page of a list, backwards', async () => {
      const list = mount(createApollo(gateway()), query, { last: 3 });
      await list.settled();
      for (let page = 0; page < 3; page++) {
        const { pageInfo } = (await list.settled()).events;
        await list.observable.fetchMore({ variables: { before: pageInfo.startCursor, last: 4 } });
      }
      const data = await list.settled();
      expect(idsOf(data)).toEqual(await idsFromGateway('last: 15'));
      expect(data.events.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
      list.unmount();
    });

    test('reaches the end of a filtered list with pages of different sizes', async () => {
      const filter = { projectId: { is: 'mobile' } };
      const list = mount(createApollo(gateway()), query, { filter, first: 2 });
      for (let page = 1; (await list.settled()).events.pageInfo.hasNextPage; page++) {
        const { pageInfo } = (await list.settled()).events;
        await list.observable.fetchMore({
          variables: { after: pageInfo.endCursor, first: 2 + (page % 7) },
        });
      }
      const { data } = await gateway().graphql(
        'query ($filter: EventFilter) { events(first: 1000, filter: $filter) { nodes { id } } }',
        { filter },
      );
      expect(idsOf(await list.settled())).toEqual(idsOf(data));
      list.unmount();
    });

    test('starts again with the first page after a refetch', async () => {
      const list = mount(createApollo(gateway()), query, { first: 3 });
      const { pageInfo } = (await list.settled()).events;
      await list.observable.fetchMore({ variables: { after: pageInfo.endCursor } });
      expect(idsOf(await list.settled())).toHaveLength(6);
      await list.observable.refetch();
      expect(idsOf(await list.settled())).toEqual(await idsFromGateway('first: 3'));
      list.unmount();
    });
  });

  test('keeps lists of different filters apart, whatever the order of their keys', async () => {
    const apollo = createApollo(gateway());
    const shop = mount(apollo, byNodes, {
      first: 4,
      filter: { projectId: { is: 'web-shop' }, type: { is: 'FEATURE_CREATED' } },
    });
    const mobile = mount(apollo, byNodes, { first: 4, filter: { projectId: { is: 'mobile' } } });
    const all = mount(apollo, byNodes, { first: 4, filter: null });
    const lists = [await shop.settled(), await mobile.settled(), await all.settled()];
    expect(new Set(lists.map((data) => String(idsOf(data)))).size).toBe(3);

    const again = mount(apollo, byNodes, {
      first: 4,
      filter: { type: { is: 'FEATURE_CREATED' }, projectId: { is: 'web-shop' } },
    });
    expect(idsOf(await again.settled())).toEqual(idsOf(lists[0]));
    expect(apollo.requests).toHaveLength(3);
    for (const list of [shop, mobile, all, again]) list.unmount();
  });

  test('does not shorten a list for a component that shows only its first items', async () => {
    const apollo = createApollo(gateway());
    const list = mount(apollo, byEdges, { first: 6 });
    await list.settled();
    await apollo.client.query({
      query: byEdges,
      variables: { first: 2 },
      fetchPolicy: 'network-only',
    });
    const data = await list.settled();
    expect(idsOf(data)).toEqual(await idsFromGateway('first: 6'));
    expect(data.events.pageInfo.endCursor).toBe(data.events.edges[5].cursor);

    const widget = mount(
      apollo,
      gql`query Widget { events(first: 2) @connection(key: "newest") { nodes { id } } }`,
    );
    expect(idsOf(await widget.settled())).toHaveLength(2);
    widget.unmount();
    list.unmount();
  });

  test.each([
    ['other fields', 'first: 3', 'nodes { createdBy } pageInfo { hasNextPage endCursor }'],
    ['no end', 'first: 3', 'nodes { createdBy }'],
    ['larger pages', 'first: 50', 'nodes { createdBy } pageInfo { hasNextPage }'],
    ['the other end', 'last: 3', 'nodes { createdBy } pageInfo { startCursor }'],
    ['edges', 'first: 3', 'edges { node { createdBy } } pageInfo { endCursor }'],
  ])('keeps the pages of a list beside a component with %s', async (_name, args, selection) => {
    const apollo = createApollo(gateway());
    const list = mount(apollo, byNodes, { first: 3 });
    for (let page = 0; page < 3; page++) {
      const { pageInfo } = (await list.settled()).events;
      await list.observable.fetchMore({ variables: { after: pageInfo.endCursor } });
    }
    const before = await list.settled();
    expect(idsOf(before)).toHaveLength(12);
    const other = mount(apollo, gql(`query Other { events(${args}) { ${selection} } }`));
    await other.settled();
    expect(await list.settled()).toEqual(before);
    expect(apollo.requests).toHaveLength(5);
    other.unmount();
    list.unmount();
  });

  test('loads a list again for a component that requests more of it', async () => {
    const apollo = createApollo(gateway());
    const few = mount(apollo, byNodes, { first: 3 });
    expect(idsOf(await few.settled())).toHaveLength(3);
    const many = mount(apollo, byNodes, { first: 30 });
    expect(idsOf(await many.settled())).toEqual(await idsFromGateway('first: 30'));
    const filter = { projectId: { is: 'mobile' }, type: { is: 'FEATURE_ARCHIVED' } };
    const whole = mount(apollo, byNodes, { first: 100, filter });
    expect(idsOf(await whole.settled()).length).toBeLessThan(50);
    // Everything is known.
    const again = mount(apollo, byNodes, { first: 500, filter });
    await again.settled();
    expect(apollo.requests).toHaveLength(3);
    for (const list of [few, many, whole, again]) list.unmount();
  });

  test('ignores a page that arrives after its list was replaced', async () => {
    const apollo = createApollo(gateway());
    const list = mount(apollo, byNodes, { first: 3 });
    const { pageInfo } = (await list.settled()).events;
    await list.observable.fetchMore({ variables: { after: pageInfo.endCursor } });
    const { endCursor } = (await list.settled()).events.pageInfo;
    await list.observable.refetch();
    await list.observable.fetchMore({ variables: { after: endCursor } });
    expect(idsOf(await list.settled())).toEqual(await idsFromGateway('first: 3'));
    list.unmount();
  });

  test('shows a feature at three times side by side', async () => {
    const apollo = createApollo(gateway());
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
      ...mount(apollo, gql(text), { time }),
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
    expect(apollo.requests).toHaveLength(shown.length);
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
      'figures of a project',
      gql`query A { project(id: "web-shop") { health { score } stats { createdCurrentWindow } featureNaming { pattern } } }`,
      gql`query B { project(id: "web-shop") { health { staleCount } stats { archivedCurrentWindow } featureNaming { example } } }`,
    ],
    [
      'the newest event',
      gql`query A { eventLog { newest { label } canSettle } }`,
      gql`query B { eventLog { newest { summary createdByUser { name } } settledId } }`,
    ],
    [
      'a page of a list by edges and by nodes',
      gql`query A { cleanUp(first: 5) { edges { node { weight feature { name } } } pageInfo { hasNextPage } } }`,
      gql`query B { cleanUp(first: 5) { nodes { reasons { kind } feature { name stale } } totalCount pageInfo { endCursor } } }`,
    ],
    [
      'the same items of a list, with and without cursors',
      gql`query A { cleanUp(first: 5) { edges { cursor node { weight feature { name } } } pageInfo { endCursor } } }`,
      gql`query B { cleanUp(first: 5) { edges { node { reasons { kind } feature { name } } } pageInfo { hasNextPage } counts { kind count } } }`,
    ],
    [
      'counts of a list',
      gql`query A { cleanUp(first: 5) { counts { kind } } }`,
      gql`query B { cleanUp(first: 5) { counts { count } totalCount } }`,
    ],
  ])('keeps both selections of %s', async (_name, first, second) => {
    const apollo = createApollo(gateway());
    const a = mount(apollo, first);
    const before = await a.settled();
    const b = mount(apollo, second);
    await b.settled();
    expect(await a.settled()).toEqual(before);
    expect(apollo.requests).toEqual(['A', 'B']);
    a.unmount();
    b.unmount();
  });

  test('keeps two selections of the reasons that prevent a clone', async () => {
    const apollo = createApollo(gateway());
    const plan = (name: string, selection: string) =>
      gql(`query ${name} {
        clonePlan(input: { featureName: "checkout-one-page", newName: "checkout-one-page" }) { ${selection} }
      }`);
    const a = mount(apollo, plan('A', 'refusals { id message }'));
    const [{ message }] = (await a.settled()).clonePlan.refusals;
    const b = mount(apollo, plan('B', 'refusals { id name } newName'));
    await b.settled();
    expect((await a.settled()).clonePlan.refusals).toMatchObject([{ message }]);
    expect(apollo.requests).toEqual(['A', 'B']);
    a.unmount();
    b.unmount();
  });

  test('reads nodes of several types, whose IDs have different types', async () => {
    const { data } =
      await gateway().graphql(`{ event(id: 7) { nodeId } project(id: "web-shop") { nodeId }
      feature(name: "checkout-one-page") { nodeId } }`);
    const ids = [data.event, data.project, data.feature].map(({ nodeId }) => nodeId);
    const { client } = createApollo(gateway());
    const query = gql`
      query MixedNodes($ids: [ID!]!) {
        nodes(ids: $ids) { nodeId ... on Feature { name } ... on Event { label } ...ProjectName }
      }
      fragment ProjectName on Project { name }
    `;
    const { data: found, error } = await client.query<Data>({ query, variables: { ids } });
    expect(error).toBeUndefined();
    expect(found?.nodes.map(({ __typename }: Data) => __typename)).toEqual([
      'Event',
      'Project',
      'Feature',
    ]);
    expect(Object.keys(client.cache.extract() as object)).toContain('Event:7');
  });

  test('keeps a list that is null because the caller may not see it', async () => {
    const apollo = createApollo(gateway(), createCache(), DEMO_TOKENS.viewer);
    const query = gql`query A { events(first: 2) { nodes { id deliveries(first: 1) { nodes { id } } } } }`;
    for (let round = 0; round < 2; round++) {
      const list = mount(apollo, query);
      const { events } = await list.settled();
      expect(events.nodes.map(({ deliveries }: Data) => deliveries)).toEqual([null, null]);
      list.unmount();
    }
    expect(apollo.requests).toEqual(['A']);
  });

  test('shows a change of an object in every component', async () => {
    const apollo = createApollo(gateway());
    const page = mount(apollo, gql`query A { feature(name: "welcome-tour") { name description } }`);
    await page.settled();
    const { data } = await apollo.client.query<Data>({
      query: gql`query B { features(filter: { name: { is: "welcome-tour" } }) { nodes { id name } } }`,
    });
    const [{ id }] = data.features.nodes;
    const cache = apollo.client.cache;
    cache.modify({
      id: cache.identify({ __typename: 'Feature', id }) ?? '',
      fields: { description: () => 'changed' },
    });
    await expect.poll(async () => (await page.settled()).feature.description).toBe('changed');
    page.unmount();
  });
});
