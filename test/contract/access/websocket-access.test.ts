import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AttachedGateway, attachGateway } from '../../testkit/attached-gateway.js';
import { addCloneWorld, addFeature, CLONE_TOKENS, PEOPLE } from '../../testkit/clone-world.js';
import {
  connectGraphqlSocket,
  type GraphqlSocket,
  openGraphqlSocket,
  refusedHandshake,
} from '../../testkit/graphql-socket.js';
import { addSession, SESSION_SECRET, sessionCookie } from '../../testkit/unleash-sessions.js';

const VIEWER = '{ viewer { userId } }';
const PARTNER = 'https://partner.example';

let attached: AttachedGateway;
const sockets: GraphqlSocket[] = [];
beforeAll(async () => {
  attached = await attachGateway(
    async (client) => {
      await addCloneWorld(client);
      await addFeature(client, { name: 'source', project: 'shop' });
    },
    {
      settings: { UNLEASH_SECRET: SESSION_SECRET, CORS_ORIGINS: PARTNER, TRUSTED_PROXIES: '1' },
    },
  );
});
afterEach(() => {
  for (const { socket } of sockets.splice(0)) socket.terminate();
});
afterAll(() => attached.close());

const url = () => attached.gateway.url;
const signIn = async (userId: number) =>
  sessionCookie(await addSession(attached.database.client, userId));
const viewerOf = async (socket: GraphqlSocket) => {
  sockets.push(socket);
  socket.subscribe('1', VIEWER);
  return (await socket.next())?.payload.data.viewer.userId;
};

test('accepts the sign-in cookie of a page of the same origin', async () => {
  const cookie = await signIn(PEOPLE.ann);
  const origins: Record<string, string>[] = [
    { origin: url() },
    { origin: 'https://flags.example', host: 'flags.example' },
    { origin: PARTNER, 'sec-fetch-site': 'same-origin' },
    {},
  ];
  for (const headers of origins) {
    const socket = await connectGraphqlSocket(url(), {
      init: {},
      headers: { cookie, ...headers },
    });
    expect([headers, await viewerOf(socket)]).toEqual([headers, PEOPLE.ann]);
  }
});

test('does not accept the cookie of a page of another origin, even of CORS_ORIGINS', async () => {
  const cookie = await signIn(PEOPLE.ann);
  const socket = await openGraphqlSocket(url(), { init: {}, headers: { cookie, origin: PARTNER } });
  expect((await socket.closed).code).toBe(4401);
  const headers = { cookie, origin: 'https://evil.example' };
  expect((await refusedHandshake(url(), { headers })).status).toBe(403);
  const site = { cookie, origin: PARTNER, 'sec-fetch-site': 'cross-site' };
  const sent = await openGraphqlSocket(url(), { init: {}, headers: site });
  expect((await sent.closed).code).toBe(4401);
});

test('accepts tokens from pages of CORS_ORIGINS', async () => {
  const socket = await connectGraphqlSocket(url(), {
    init: { authorization: CLONE_TOKENS.vic },
    headers: { origin: PARTNER },
  });
  expect(await viewerOf(socket)).toBe(PEOPLE.vic);
});

test('prefers the token of connection_init to the header and the cookie', async () => {
  const cookie = await signIn(PEOPLE.ann);
  const headers = { cookie, authorization: 'user:unknown', origin: url() };
  const socket = await connectGraphqlSocket(url(), {
    init: { Authorization: `Bearer ${CLONE_TOKENS.vic}` },
    headers,
  });
  expect(await viewerOf(socket)).toBe(PEOPLE.vic);
});

test('closes the connection after the session has ended', async () => {
  const sid = await addSession(attached.database.client, PEOPLE.ann);
  const socket = await connectGraphqlSocket(url(), {
    init: {},
    headers: { cookie: sessionCookie(sid), origin: url() },
  });
  expect(await viewerOf(socket)).toBe(PEOPLE.ann);
  await socket.next();
  await attached.database.client.$executeRawUnsafe(
    `DELETE FROM unleash_session WHERE sid = '${sid}'`,
  );
  socket.subscribe('2', VIEWER);
  expect((await socket.closed).code).toBe(4401);
});

test('requires the permission of a mutation', async () => {
  const query =
    'mutation Copy($input: CloneFeatureInput!) { cloneFeature(input: $input) { __typename } }';
  const socket = await connectGraphqlSocket(url(), { init: { token: CLONE_TOKENS.vic } });
  sockets.push(socket);
  const input = { featureName: 'source', newName: 'by-vic' };
  socket.subscribe('1', query, { input });
  const message = await socket.next();
  expect(JSON.stringify(message)).toMatch(/FORBIDDEN|Error"/);
  const copy = await attached.database.client.feature.findUnique({ where: { name: 'by-vic' } });
  expect(copy).toBeNull();
});

test('logs the client address that the proxy reports', async () => {
  const socket = await connectGraphqlSocket(url(), {
    init: { token: CLONE_TOKENS.vic },
    headers: { 'x-forwarded-for': '203.0.113.7', 'x-request-id': 'handshake-1' },
  });
  await viewerOf(socket);
  const lines = () =>
    attached.gateway.log
      .map((line) => JSON.parse(line))
      .filter((line) => line.socketId === 'handshake-1');
  await expect.poll(lines).toHaveLength(1);
  expect(lines()[0]).toMatchObject({ ip: '203.0.113.7', method: 'WEBSOCKET' });
});
