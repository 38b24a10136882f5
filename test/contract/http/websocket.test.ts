import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from 'graphql-ws';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Prisma } from '../../../src/data/db.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, startGateway } from '../../testkit/app.js';
import {
  connectGraphqlSocket,
  type GraphqlSocket,
  openGraphqlSocket,
  refusedHandshake,
} from '../../testkit/graphql-socket.js';

const FOLLOW = `subscription Follow($after: String) {
  events(after: $after) { cursor node { id typeName } }
}`;
const VIEWER = 'query Me { viewer { authorName isAdmin } }';

const sockets: GraphqlSocket[] = [];
const clients: Client[] = [];
afterEach(() => {
  for (const { socket } of sockets.splice(0)) socket.terminate();
  for (const client of clients.splice(0)) void client.dispose();
});

const open = async (...args: Parameters<typeof openGraphqlSocket>) => {
  const socket = await openGraphqlSocket(...args);
  sockets.push(socket);
  return socket;
};
const connect = async (...args: Parameters<typeof connectGraphqlSocket>) => {
  const socket = await connectGraphqlSocket(...args);
  sockets.push(socket);
  return socket;
};

describeWithDemo('GraphQL over a WebSocket', ({ gateway, database }) => {
  const url = () => gateway().url;
  const record = async (): Promise<number> => {
    const [row] = await database().client.$queryRaw<[{ id: number }]>(Prisma.sql`
      insert into events (type, created_by, project, feature_name, data)
      values ('feature-updated', 'somebody', 'default', 'followed', '{"n": 1}') returning id`);
    return row.id;
  };
  /** Resolves when there are this many subscriptions. */
  const isFollowed = (count: number, { rest } = gateway()) =>
    expect
      .poll(async () => (await rest('/metrics')).text)
      .toMatch(new RegExp(`^flaggraph_live_streams ${count}$`, 'm'));
  const clientOf = (params: object, target = url()): Client => {
    const client = createClient({
      url: `${target.replace(/^http/, 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { ...params },
      retryAttempts: 0,
    });
    clients.push(client);
    return client;
  };
  const logOf = (operation: string) =>
    gateway()
      .log.map((line) => JSON.parse(line))
      .filter((line) => line.operation === operation && line.method === 'WEBSOCKET');

  test('delivers events to the client of graphql-ws, each once', async () => {
    const events = clientOf({ Authorization: DEMO_TOKENS.admin }).iterate({ query: FOLLOW });
    const next = events.next();
    await isFollowed(1);
    const id = await record();
    expect((await next).value).toMatchObject({
      data: { events: { cursor: expect.any(String), node: { id, typeName: 'feature-updated' } } },
    });
    const second = await record();
    expect((await events.next()).value.data.events.node.id).toBe(second);
    await events.return?.();
    await isFollowed(0);
  });

  test('runs queries and mutations like HTTP, with one log line each', async () => {
    const client = clientOf({ token: DEMO_TOKENS.admin });
    const { value: result } = await client.iterate({ query: VIEWER }).next();
    const http = await gateway().graphql(VIEWER);
    expect(result).toEqual({ data: http.data });
    await expect.poll(() => logOf('Me')).toHaveLength(1);
    expect(logOf('Me')[0]).toMatchObject({
      status: 200,
      path: '/graphql',
      operationType: 'query',
      cost: expect.any(Number),
      ip: '127.0.0.1',
      requestId: expect.any(String),
      socketId: expect.any(String),
      actor: { kind: expect.any(String) },
    });
  });

  test('accepts the token of the Authorization header of the handshake', async () => {
    const headers = { authorization: DEMO_TOKENS.admin };
    const socket = await connect(url(), { headers, init: {} });
    socket.subscribe('1', VIEWER);
    expect(await socket.take(2)).toMatchObject([
      { type: 'next', id: '1', payload: { data: { viewer: { isAdmin: true } } } },
      { type: 'complete', id: '1' },
    ]);
  });

  test.each([
    ['no token', {}, 4401, 'connection_init'],
    ['an unknown token', { Authorization: 'user:unknown' }, 4401, 'unknown or expired'],
  ])('closes a connection with %s', async (_name, init, code, reason) => {
    const socket = await open(url(), { init });
    expect(await socket.closed).toMatchObject({ code, reason: expect.stringContaining(reason) });
  });

  test('sends rejected operations as errors, and keeps the connection open', async () => {
    const socket = await connect(url());
    socket.subscribe('invalid', '{ nothing }');
    expect(await socket.next()).toMatchObject({
      type: 'error',
      id: 'invalid',
      payload: [
        { message: expect.stringContaining('nothing'), extensions: { id: expect.any(String) } },
      ],
    });
    socket.subscribe(
      'expensive',
      '{ projects(first: 1000) { nodes { features(first: 1000) { nodes { events(first: 1000) { nodes { id } } } } } } }',
    );
    expect(await socket.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'LIMIT_EXCEEDED' } }],
    });
    socket.send({ id: 'empty', type: 'subscribe', payload: {} });
    expect(await socket.next()).toMatchObject({ type: 'error', id: 'empty' });
    socket.subscribe('ok', VIEWER);
    expect(await socket.next()).toMatchObject({ type: 'next', id: 'ok' });
  });

  test('rejects subscriptions beyond the limit of the token', async () => {
    const [first, second] = [await connect(url()), await connect(url())];
    for (let index = 0; index < 20; index += 1) first.subscribe(String(index), FOLLOW);
    await isFollowed(20);
    second.subscribe('21', FOLLOW);
    expect(await second.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'LIMIT_EXCEEDED' } }],
    });
    first.send({ type: 'complete', id: '0' });
    await expect
      .poll(async () => {
        second.subscribe(String(Math.random()), FOLLOW);
        await delay(200);
        return (await gateway().rest('/metrics')).text;
      })
      .toContain('flaggraph_live_streams 20');
  });

  test.each([
    ['malformed JSON', '{', 4400],
    ['an unknown type', { type: 'start', id: '1' }, 4400],
    ['a second connection_init', { type: 'connection_init' }, 4429],
    ['an ID that is too long', { type: 'complete', id: 'x'.repeat(201) }, 4400],
    [
      'deeply nested values',
      `{"type":"ping","payload":${'['.repeat(100)}${']'.repeat(100)}}`,
      4400,
    ],
  ])('closes the connection after %s', async (_name, message, code) => {
    const socket = await connect(url());
    socket.send(message);
    expect((await socket.closed).code).toBe(code);
  });

  test('closes the connection when an ID is in use', async () => {
    const socket = await connect(url());
    socket.subscribe('same', FOLLOW);
    socket.subscribe('same', FOLLOW);
    expect((await socket.closed).code).toBe(4409);
  });

  test('closes the connection after subscribe without connection_ack', async () => {
    const socket = await open(url(), { init: null });
    socket.subscribe('1', FOLLOW);
    expect((await socket.closed).code).toBe(4401);
  });

  test('closes the connection without connection_init in time', async () => {
    const socket = await open(url(), { init: null });
    expect((await socket.closed).code).toBe(4408);
  });

  test('closes the connection after many messages or bytes before connection_ack', async () => {
    const pings = await open(url(), { init: null });
    for (let index = 0; index < 6; index += 1) pings.send({ type: 'ping' });
    expect((await pings.closed).code).toBe(4400);
    const pongs = await open(url(), { init: null });
    for (let index = 0; index < 6; index += 1) pongs.socket.pong();
    expect((await pongs.closed).code).toBe(4400);
    const bytes = await open(url(), { init: null });
    bytes.send({ type: 'connection_init', payload: { token: 'x'.repeat(20_000) } });
    expect((await bytes.closed).code).toBe(1013);
  });

  test('closes the connection after a message above 1 MiB', async () => {
    const socket = await connect(url());
    socket.send({ type: 'ping', payload: { text: 'x'.repeat(1_048_576) } });
    expect((await socket.closed).code).toBe(1009);
  });

  test('closes the connection after a long message that starts no operation', async () => {
    const socket = await connect(url());
    socket.send({ type: 'ping', payload: { text: 'x'.repeat(16_000) } });
    expect(await socket.next()).toEqual({ type: 'pong' });
    socket.send({ type: 'ping', payload: { text: 'x'.repeat(17_000) } });
    expect((await socket.closed).code).toBe(4400);
  });

  test('answers pings with their payload', async () => {
    const socket = await connect(url());
    socket.send({ type: 'ping', payload: { n: 1 } });
    expect(await socket.next()).toEqual({ type: 'pong', payload: { n: 1 } });
    socket.socket.ping('frame');
    const data = await new Promise((resolve) => socket.socket.once('pong', resolve));
    expect(String(data)).toBe('frame');
  });

  test.each([
    ['graphql-ws', ['graphql-ws'], 'subscriptions-transport-ws'],
    ['none', [], 'graphql-transport-ws'],
    ['unknown', ['mqtt'], 'graphql-transport-ws'],
    ['several', ['mqtt', 'wamp'], 'graphql-transport-ws'],
  ])('closes with a hint after the subprotocol %s', async (_name, protocols, hint) => {
    const { closed } = await open(url(), { protocols });
    const { code, reason } = await closed;
    expect(code).toBe(4406);
    expect(reason).toContain(hint);
    expect(reason).toMatch(/graphql-transport-ws, of the package graphql-ws\.$/);
  });

  test('accepts a client that offers the legacy subprotocol, too', async () => {
    const protocols = ['graphql-ws', 'graphql-transport-ws'];
    expect((await connect(url(), { protocols })).socket.protocol).toBe('graphql-transport-ws');
  });

  test('returns 426 when a proxy has removed the Upgrade header', async () => {
    const headers = {
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    };
    const { status, body } = await gateway().rest('/graphql', { headers });
    expect([status, body.message]).toEqual([426, expect.stringContaining('proxy')]);
  });

  test('returns 404 for other paths and 403 for other origins', async () => {
    for (const path of ['/', '/nothing', '/readyz', '/api/admin/search/events']) {
      expect([path, (await refusedHandshake(url(), { path })).status]).toEqual([path, 404]);
    }
    const { status, body } = await refusedHandshake(url(), { origin: 'https://evil.example' });
    expect(status).toBe(403);
    expect(JSON.parse(body)).toMatchObject({
      name: 'ForbiddenError',
      message: expect.stringContaining('CORS_ORIGINS'),
    });
    await connect(url(), { origin: url() });
  });

  test('responds to other upgrades as to requests without one', async () => {
    const { status, text } = await new Promise<{ status: number; text: string }>(
      (resolve, reject) => {
        const sent = request(
          `${url()}/graphql`,
          {
            method: 'POST',
            headers: {
              connection: 'Upgrade, HTTP2-Settings',
              upgrade: 'h2c',
              'content-type': 'application/json',
              authorization: DEMO_TOKENS.admin,
            },
          },
          (response) => {
            let text = '';
            response.on('data', (chunk) => {
              text += chunk;
            });
            response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
          },
        );
        sent.on('error', reject);
        sent.end(JSON.stringify({ query: VIEWER }));
      },
    );
    expect([status, JSON.parse(text).data.viewer.isAdmin]).toEqual([200, true]);
  });

  test('slows down a client that floods it with pings, and serves others', async () => {
    const flood = await connect(url());
    for (let index = 0; index < 3_000; index += 1) flood.socket.ping();
    const other = await connect(url(), { init: { token: DEMO_TOKENS.viewer } });
    other.subscribe('1', VIEWER);
    expect(await other.next()).toMatchObject({ type: 'next' });
    let pongs = 0;
    flood.socket.on('pong', () => {
      pongs += 1;
    });
    await delay(1_000);
    expect(pongs).toBeLessThan(2_000);
    expect(flood.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('drops queued operations of a connection that closes, without errors in the log', async () => {
    const queued = await connect(url());
    const other = await connect(url(), { init: { token: DEMO_TOKENS.viewer } });
    other.subscribe('1', VIEWER);
    await other.next();
    const before = gateway().log.length;
    const query = 'query Queued { events(first: 500) { nodes { id data } } }';
    for (let id = 0; id < 100; id += 1) queued.subscribe(String(id), query);
    await queued.next();
    queued.socket.terminate();
    await expect.poll(() => logOf('Queued').length).toBeGreaterThan(0);
    await expect
      .poll(async () => (await gateway().rest('/metrics')).text)
      .toMatch(/^flaggraph_websockets 1$/m);
    await delay(200);
    const lines = gateway()
      .log.slice(before)
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
  });

  test('closes connections on shutdown without complete, so that clients resume', async () => {
    const own = await startGateway(database());
    const socket = await connect(own.url);
    socket.subscribe('1', FOLLOW);
    await isFollowed(1, own);
    const id = await record();
    const delivered = await socket.next();
    expect(delivered?.payload.data.events.node.id).toBe(id);
    const stopped = own.stop();
    expect(await socket.next()).toBeNull();
    expect(await socket.closed).toMatchObject({
      code: 1001,
      reason: expect.stringContaining('last cursor'),
    });
    await stopped;
    const missed = await record();
    const resumed = await connect(url());
    resumed.subscribe('1', FOLLOW, { after: delivered?.payload.data.events.cursor });
    expect((await resumed.next())?.payload.data.events.node.id).toBe(missed);
  });

  test('closes the connection when the token is deleted', async () => {
    const { client } = database();
    await client.$executeRaw(Prisma.sql`
      insert into api_tokens (secret, username, token_name, type, environment)
      values ('*:*.socket-secret', 'socket', 'socket', 'admin', '*')`);
    const init = { token: '*:*.socket-secret' };
    const [live, idle] = [await connect(url(), { init }), await connect(url(), { init })];
    live.subscribe('1', FOLLOW);
    await isFollowed(1);
    await record();
    expect((await live.next())?.type).toBe('next');
    await client.$executeRaw(Prisma.sql`delete from api_tokens where username = 'socket'`);
    expect(await live.next()).toMatchObject({
      type: 'next',
      payload: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    });
    expect((await live.closed).code).toBe(4401);
    idle.subscribe('1', VIEWER);
    expect(await idle.next()).toMatchObject({ type: 'error' });
    expect((await idle.closed).code).toBe(4401);
  });

  test('counts open WebSockets and why they were closed', async () => {
    const metrics = async () => (await gateway().rest('/metrics')).text;
    await expect.poll(metrics).toContain('flaggraph_websockets 0');
    const socket = await connect(url());
    expect(await metrics()).toContain('flaggraph_websockets 1');
    const before = /closed_total\{reason="client"\} (\d+)/.exec(await metrics())?.[1];
    socket.close();
    await expect
      .poll(metrics)
      .toContain(`flaggraph_websockets_closed_total{reason="client"} ${Number(before) + 1}`);
  });
});
