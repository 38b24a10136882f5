import { setTimeout as delay } from 'node:timers/promises';
import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, subscriptionExchange, gql as urqlGql } from '@urql/core';
import { createClient, type Client as SocketClient } from 'graphql-ws';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Prisma } from '../../../src/data/db.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, type Gateway, startGateway } from '../../testkit/app.js';

const FOLLOW = 'subscription Follow { events { cursor node { id summary } } }';
const VIEWER = 'query WhoAmI { viewer { authorName } }';
const CLONE = `mutation Clone($input: CloneFeatureInput!) {
  cloneFeature(input: $input) { __typename }
}`;

type Followed = { events: { node: { id: number } } };

const clients: SocketClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
});

const createSocket = (url: string): SocketClient => {
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: DEMO_TOKENS.admin },
    retryAttempts: 1_000,
    // Also while the gateway cannot be reached.
    shouldRetry: () => true,
    retryWait: () => delay(50),
  });
  clients.push(client);
  return client;
};

describeWithDemo('clients over a WebSocket', ({ gateway, database }) => {
  const record = async (): Promise<number> => {
    const [row] = await database().client.$queryRaw<[{ id: number }]>(Prisma.sql`
      insert into events (type, created_by, project, feature_name, data)
      values ('feature-updated', 'somebody', 'default', 'followed', '{}') returning id`);
    return row.id;
  };
  const isFollowed = ({ rest }: Gateway = gateway()) =>
    expect.poll(async () => (await rest('/metrics')).text).toMatch(/^flaggraph_live_streams 1$/m);

  test('Apollo Client runs queries and mutations, and follows events', async () => {
    const apollo = new ApolloClient({
      link: new GraphQLWsLink(createSocket(gateway().url)),
      cache: new InMemoryCache(),
    });
    const { data } = await apollo.query<{ viewer: { authorName: string } }>({ query: gql(VIEWER) });
    expect(data?.viewer.authorName).toBe('demo-admin');
    const received: number[] = [];
    const subscription = apollo
      .subscribe<Followed>({ query: gql(FOLLOW) })
      .subscribe(({ data: followed }) => {
        if (followed) received.push(followed.events.node.id);
      });
    await isFollowed();
    const ids = [await record(), await record()];
    await expect.poll(() => received).toEqual(ids);
    subscription.unsubscribe();
    const input = { featureName: 'welcome-tour', newName: 'cloned-over-a-socket' };
    const cloned = await apollo.mutate<{ cloneFeature: { __typename: string } }>({
      mutation: gql(CLONE),
      variables: { input },
    });
    expect(cloned.data?.cloneFeature.__typename).toMatch(/^Clone/);
  });

  test('urql follows events', async () => {
    const socket = createSocket(gateway().url);
    const urql = new Client({
      url: `${gateway().url}/graphql`,
      preferGetMethod: false,
      exchanges: [
        subscriptionExchange({
          enableAllOperations: true,
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (sink) => ({
              unsubscribe: socket.subscribe(
                { query, variables: variables as Record<string, unknown> },
                sink as Parameters<typeof socket.subscribe>[1],
              ),
            }),
          }),
        }),
      ],
    });
    const viewer = await urql.query(urqlGql(VIEWER), {}).toPromise();
    expect(viewer.data).toMatchObject({ viewer: { authorName: 'demo-admin' } });
    const received: number[] = [];
    const { unsubscribe } = urql
      .subscription<Followed>(urqlGql(FOLLOW), {})
      .subscribe(({ data }) => {
        if (data) received.push(data.events.node.id);
      });
    await isFollowed();
    const id = await record();
    await expect.poll(() => received).toEqual([id]);
    unsubscribe();
  });

  test('the client of graphql-ws subscribes again when the gateway has restarted', async () => {
    const first = await startGateway(database());
    const received: number[] = [];
    const unsubscribe = createSocket(first.url).subscribe<Followed>(
      { query: FOLLOW },
      {
        next: ({ data }) => data && received.push(data.events.node.id),
        error: () => undefined,
        complete: () => received.push(-1),
      },
    );
    await isFollowed(first);
    await first.stop();
    const second = await startGateway(database(), { PORT: new URL(first.url).port });
    await isFollowed(second);
    const id = await record();
    await expect.poll(() => received).toEqual([id]);
    unsubscribe();
    await second.stop();
  });
});
