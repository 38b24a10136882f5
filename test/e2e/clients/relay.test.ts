import { getDataID, schemaConfig } from '@flaggraph/client/relay';
import {
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type GraphQLTaggedNode,
  getFragment,
  getPaginationMetadata,
  getPaginationVariables,
  getRefetchMetadata,
  getRequest,
  getSingularSelector,
  getValueAtPath,
  Network,
  RecordSource,
  Store,
  type Variables,
} from 'relay-runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithDemo, type Gateway } from '../../testkit/app.js';
import { readRepository } from '../../testkit/docs-site.js';
import { expectSilence } from './console-spy.js';
import { compileRelayProject } from './relay-project.js';

type Edges<Node> = {
  edges: { node: Node }[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
};

/** Relay's store and network, as an app would set them up; `sent` contains the queries sent. */
const createRelay = (gateway: Gateway) => {
  const sent: { name: string; variables: Variables }[] = [];
  const store = new Store(new RecordSource());
  const environment = new Environment({
    store,
    network: Network.create(async ({ name, text }, variables) => {
      sent.push({ name, variables });
      const { data, errors } = await gateway.graphql(text ?? '', variables);
      expect(errors).toBeUndefined();
      return { data };
    }),
    getDataID,
  });
  const runQuery = async (query: GraphQLTaggedNode, variables: Variables) => {
    await fetchQuery(environment, query, variables).toPromise();
    return environment.lookup(createOperationDescriptor(getRequest(query), variables).fragment)
      .data;
  };
  return { environment, store, sent, ask: runQuery };
};

/** Does what Relay's pagination hook does to load more. */
const createPager = <Data>(
  { environment, ask: runQuery }: ReturnType<typeof createRelay>,
  node: GraphQLTaggedNode,
  owner: unknown,
) => {
  const fragment = getFragment(node);
  const selector = getSingularSelector(fragment, owner);
  if (!selector) throw new Error('The query holds no such fragment.');
  const read = () => environment.lookup(selector).data as Data;
  const { connectionPathInFragmentData, paginationMetadata, paginationRequest } =
    getPaginationMetadata(fragment, 'the test');
  const { identifierInfo } = getRefetchMetadata(fragment, 'the test');
  const loadMore = async (count: number) => {
    const data = read() as Record<string, unknown>;
    const connection = getValueAtPath(data, connectionPathInFragmentData) as Edges<unknown>;
    const variables = getPaginationVariables(
      'forward',
      count,
      connection.pageInfo.endCursor,
      { ...selector.owner.variables, ...selector.variables },
      {},
      paginationMetadata,
    );
    const identified = identifierInfo && {
      [identifierInfo.identifierQueryVariableName]: data[identifierInfo.identifierField],
    };
    await runQuery(paginationRequest, { ...variables, ...identified });
  };
  return { read, loadMore };
};

describeWithDemo('a Relay app', ({ gateway }) => {
  let project: ReturnType<typeof compileRelayProject>;
  beforeAll(() => {
    project = compileRelayProject();
  });
  afterAll(() => project.remove());
  expectSilence();

  test('is configured as documented', () => {
    const page = readRepository('docs/frontend/relay.md');
    const [, documented = ''] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const used = readRepository('test/e2e/clients/relay-project/relay.config.json');
    expect(JSON.parse(documented).schemaConfig).toEqual(schemaConfig);
    expect(JSON.parse(used).schemaConfig).toEqual(schemaConfig);
  });

  test('is compiled against schema.graphql', () => {
    expect(project.output).toContain('Compilation completed');
    expect(project.status).toBe(0);
  });

  test('pages through the events of a project, refetched by its node ID', async () => {
    const relay = createRelay(gateway());
    const root = await relay.ask(project.artifact('eventLogQuery'), { project: 'web-shop' });
    const pager = createPager<{
      name: string;
      nodeId: string;
      events: Edges<{ id: number; summary: string }>;
    }>(relay, project.artifact('eventLog_project'), root?.['project']);
    expect(pager.read().events.edges).toHaveLength(2);

    await pager.loadMore(3);
    await pager.loadMore(4);
    const { data } = await gateway().graphql(
      '{ project(id: "web-shop") { nodeId name events(first: 9) { nodes { id summary } } } }',
    );
    const { name, events } = pager.read();
    expect(name).toBe(data.project.name);
    expect(events.edges.map(({ node }) => ({ id: node.id, summary: node.summary }))).toEqual(
      data.project.events.nodes,
    );
    expect(events.pageInfo.hasNextPage).toBe(true);
    expect(relay.sent.map((query) => query.name)).toEqual([
      'eventLogQuery',
      'eventLogPageQuery',
      'eventLogPageQuery',
    ]);
    expect(relay.sent[2]?.variables).toMatchObject({ count: 4, nodeId: data.project.nodeId });
  });

  test('pages through a filtered list to its end', async () => {
    const relay = createRelay(gateway());
    const filter = { projectId: { is: 'mobile' } };
    const root = await relay.ask(project.artifact('featureListQuery'), { filter });
    const pager = createPager<{ features: Edges<{ name: string }> }>(
      relay,
      project.artifact('featureList_query'),
      root,
    );
    for (let page = 0; page < 20 && pager.read().features.pageInfo.hasNextPage; page++) {
      await pager.loadMore(3);
    }
    const { data } = await gateway().graphql(
      'query ($filter: FeatureFilter) { features(first: 1000, filter: $filter) { nodes { name } } }',
      { filter },
    );
    const names = pager.read().features.edges.map(({ node }) => node.name);
    expect(names.length).toBeGreaterThan(6);
    expect(names).toEqual(data.features.nodes.map(({ name }: { name: string }) => name));
  });

  test('keeps one record per object, whichever query loaded it', async () => {
    const relay = createRelay(gateway());
    await relay.ask(project.artifact('featureListQuery'), { filter: null });
    const { data } = await gateway().graphql('{ features(first: 1) { nodes { nodeId name } } }');
    const [{ nodeId, name }] = data.features.nodes;
    const record = () => relay.store.getSource().get(nodeId);
    expect(record()).toMatchObject({ __typename: 'Feature', name });
    expect(record()).not.toHaveProperty('stale');

    await relay.ask(project.artifact('featureListNodeQuery'), { id: nodeId });
    expect(record()).toMatchObject({ __typename: 'Feature', name, stale: expect.any(Boolean) });
  });

  test('shows a feature at two times side by side', async () => {
    const relay = createRelay(gateway());
    const query = project.artifact('asOfQuery');
    const times = ['2001-01-01T00:00:00.000Z', new Date().toISOString()];
    for (const time of times) await relay.ask(query, { time });
    const shown = times.map((time) => {
      const { fragment } = createOperationDescriptor(getRequest(query), { time });
      const { data, isMissingData } = relay.environment.lookup(fragment);
      expect(isMissingData).toBe(false);
      return (data as { feature: { asOf: { existence: string } } }).feature.asOf.existence;
    });
    expect(shown).toEqual(['UNKNOWN', 'EXISTED']);
  });

  test('keeps both selections of the same objects', async () => {
    const relay = createRelay(gateway());
    const queries = ['asOfStatesQuery', 'asOfSeenQuery'].map((name) => project.artifact(name));
    for (const query of queries) await relay.ask(query, {});
    for (const query of queries) {
      const { fragment } = createOperationDescriptor(getRequest(query), {});
      expect(relay.environment.lookup(fragment).isMissingData).toBe(false);
    }
  });

  test('shows the message of a rejected clone', async () => {
    const relay = createRelay(gateway());
    const input = { featureName: 'welcome-tour', newName: 'checkout-one-page' };
    const result = await new Promise<unknown>((resolve, reject) => {
      commitMutation(relay.environment, {
        mutation: project.artifact('asOfCloneMutation'),
        variables: { input },
        onCompleted: resolve,
        onError: reject,
      });
    });
    expect(result).toMatchObject({
      cloneFeature: { message: expect.stringContaining('checkout-one-page') },
    });
  });
});
