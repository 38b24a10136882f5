import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import {
  createSocketSession,
  type SessionOptions,
} from '../../../src/http/websocket/socket-session.js';
import { SOCKET_SETTINGS } from '../../../src/socket-handler.js';
import { describeWithDemo } from '../../testkit/app.js';
import {
  connectGraphqlSocket,
  type GraphqlSocket,
  openGraphqlSocket,
} from '../../testkit/graphql-socket.js';

const VIEWER = '{ viewer { authorName } }';
const PAGE = '{ events(first: 1000) { nodes { id data preData } } }';

const sockets: GraphqlSocket[] = [];
const connections: Socket[] = [];
let server: Server | undefined;
afterEach(() => {
  for (const { socket } of sockets.splice(0)) socket.terminate();
  for (const connection of connections.splice(0)) connection.destroy();
  server?.closeAllConnections();
  server?.close();
});
const connect = async (...args: Parameters<typeof connectGraphqlSocket>) => {
  const socket = await connectGraphqlSocket(...args);
  sockets.push(socket);
  return socket;
};

/** Frames of a client, which are masked. */
const frameOf = (opcode: number, payload: Buffer): Buffer => {
  const mask = randomBytes(4);
  const masked = Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length]), mask, masked]);
};

/** A WebSocket without a library: nothing is read or answered unless the test does it. */
const openRaw = async (url: string): Promise<Socket> => {
  const socket = connectTcp(Number(new URL(url).port), '127.0.0.1');
  connections.push(socket);
  socket.on('error', () => undefined);
  socket.write(
    'GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n` +
      'Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
  );
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  expect(String(chunk)).toContain('101 Switching Protocols');
  return socket;
};

/** Serves sessions with these operations. Returns the address. */
const serveSessions = async (
  own: Pick<SessionOptions, 'operate'> & Partial<SessionOptions>,
): Promise<string> => {
  const sockets = new WebSocketServer(SOCKET_SETTINGS);
  server = createServer();
  server.on('upgrade', (request, connection, head) =>
    sockets.handleUpgrade(request, connection, head, (socket) => {
      const closed = new AbortController();
      socket.on('close', () => closed.abort());
      socket.on('error', () => undefined);
      const options: SessionOptions = {
        shape: { depth: 10, values: 100 },
        signal: closed.signal,
        connect: async () => undefined,
        tooMany: () => '[{"message":"too many"}]',
        waitMs: () => 0,
        inTurn: async (_bytes, handle) => handle(),
        onStall: () => () => undefined,
        onClose: () => undefined,
        stallTimeoutMs: 30_000,
        ...own,
      };
      const session = createSocketSession(socket, options);
      socket.on('message', (data) => session.receive({ kind: 'message', data: data as Buffer }));
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Operations that send 64 KiB again and again. */
const serveEndless = async (stallTimeoutMs: number) => {
  const state = { sent: 0, stalls: 0, isEnded: false };
  const url = await serveSessions({
    operate: async ({ next, ending }) => {
      while (!ending.signal.aborted) {
        await next(Buffer.alloc(65_536, '1'));
        state.sent += 1;
        await nextTurn();
      }
      state.isEnded = true;
    },
    onStall: () => {
      state.stalls += 1;
      return () => undefined;
    },
    stallTimeoutMs,
  });
  return { url, state };
};

test('a connection can have 100 operations at a time', async () => {
  const url = await serveSessions({
    operate: async ({ ending: { signal } }) => {
      if (!signal.aborted) await once(signal, 'abort');
    },
  });
  const socket = await connect(url);
  for (let index = 0; index <= 100; index += 1) socket.subscribe(String(index), VIEWER);
  expect(await socket.next()).toEqual({
    id: '100',
    type: 'error',
    payload: [{ message: 'too many' }],
  });
  const ping = async () => {
    socket.send({ type: 'ping' });
    expect(await socket.next()).toMatchObject({ type: 'pong' });
  };
  socket.send({ id: '7', type: 'complete' });
  await ping();
  socket.subscribe('one more', VIEWER);
  await ping();
});

test('a client that does not read is disconnected, with a small buffer', async () => {
  const { url, state } = await serveEndless(300);
  const socket = await connect(url);
  socket.socket.pause();
  socket.subscribe('1', '');
  await expect.poll(() => state.isEnded).toBe(true);
  expect(state.sent * 65_536).toBeLessThan(20_000_000);
  expect(state.stalls).toBeGreaterThan(0);
});

test('a client that reads slowly keeps its connection', async () => {
  const { url, state } = await serveEndless(1_000);
  const socket = await connect(url);
  socket.subscribe('1', '');
  for (let turn = 0; turn < 20; turn += 1) {
    socket.socket.pause();
    await delay(100);
    socket.socket.resume();
    await delay(20);
  }
  expect(state.isEnded).toBe(false);
  expect(socket.socket.readyState).toBe(socket.socket.OPEN);
});

describeWithDemo('limits of WebSockets', ({ gateway, withGateway }) => {
  test('cost points are those of the caller, over HTTP and WebSockets together', async () => {
    await withGateway(
      { RATE_LIMIT_POINTS: '20000', RATE_LIMIT_WINDOW_MS: '60000' },
      async (limited) => {
        const expensive = '{ events(first: 1000) { nodes { id type createdAt label } } }';
        const socket = await connect(limited.url);
        const types: string[] = [];
        for (let index = 0; index < 8; index += 1) {
          socket.send({
            id: String(index),
            type: 'subscribe',
            payload: { query: expensive, variables: { index } },
          });
          const message = await socket.next();
          types.push(message?.payload[0]?.extensions.code ?? message?.type);
          if (message?.type === 'next') await socket.next();
        }
        expect([types[0], types.at(-1)]).toEqual(['next', 'RATE_LIMITED']);
        expect((await limited.graphql(expensive)).status).toBe(429);
        const other = await connect(limited.url, { init: { token: DEMO_TOKENS.viewer } });
        other.subscribe('1', expensive);
        expect((await other.next())?.type).toBe('next');
      },
    );
  });

  test('responses arrive whole, however large, and equal those of HTTP', async () => {
    const socket = await connect(gateway().url);
    socket.subscribe('1', PAGE);
    const [message] = await socket.take(2);
    const http = await gateway().graphql(PAGE);
    expect(JSON.stringify(message?.payload.data).length).toBeGreaterThan(131_072);
    expect(message?.payload.data).toEqual(http.data);
  });

  test('a client can have 50 WebSockets', async () => {
    await withGateway({}, async ({ url }) => {
      const init = { token: DEMO_TOKENS.viewer };
      for (let index = 0; index < 50; index += 1) await connect(url, { init });
      const excess = await openGraphqlSocket(url, { init });
      expect(await excess.closed).toMatchObject({
        code: 1013,
        reason: expect.stringContaining('50'),
      });
      await connect(url);
      sockets[0]?.close();
      await expect
        .poll(async () => {
          const next = await openGraphqlSocket(url, { init });
          sockets.push(next);
          return (await next.next())?.type;
        })
        .toBe('connection_ack');
    });
  });

  test('connections without connection_init are closed, and others are accepted meanwhile', async () => {
    await withGateway({}, async ({ url }) => {
      const silent = await Promise.all(
        Array.from({ length: 20 }, () => openGraphqlSocket(url, { init: null })),
      );
      const honest = await connect(url);
      honest.subscribe('1', VIEWER);
      expect((await honest.next())?.type).toBe('next');
      const codes = await Promise.all(silent.map(async ({ closed }) => (await closed).code));
      expect(new Set(codes)).toEqual(new Set([4408]));
    });
  });

  test('thousands of frames in one packet do not block others', async () => {
    const raw = await openRaw(gateway().url);
    const token = JSON.stringify({
      type: 'connection_init',
      payload: { token: DEMO_TOKENS.viewer },
    });
    raw.write(frameOf(1, Buffer.from(token)));
    await once(raw, 'data');
    const started = performance.now();
    raw.write(Buffer.concat(Array.from({ length: 20_000 }, () => frameOf(9, Buffer.alloc(0)))));
    await delay(50);
    const { status } = await gateway().graphql(VIEWER);
    expect(status).toBe(200);
    expect(performance.now() - started).toBeLessThan(5_000);
    raw.destroy();
    await expect
      .poll(async () => (await gateway().rest('/metrics')).text)
      .toMatch(/^flaggraph_websockets 0$/m);
  });

  test('connections that are closed for their pings take no more time, and are soon gone', async () => {
    await withGateway({}, async ({ url, rest }) => {
      const floods = await Promise.all(Array.from({ length: 20 }, () => openRaw(url)));
      const closing = floods.map((flood) => once(flood, 'data'));
      const pings = Buffer.concat(Array(12_000).fill(frameOf(9, Buffer.alloc(0))));
      for (const flood of floods) flood.write(pings);
      for (const [frame] of await Promise.all(closing)) expect((frame as Buffer)[0]).toBe(0x88);
      const before = performance.eventLoopUtilization();
      await delay(500);
      expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
      for (const flood of floods) flood.destroy();
      await expect
        .poll(async () => (await rest('/metrics')).text, { timeout: 5_000 })
        .toMatch(/^flaggraph_websockets 0$/m);
    });
  });

  test('unmasked, fragmented without end or otherwise malformed frames close the connection', async () => {
    const unmasked = await openRaw(gateway().url);
    unmasked.write(Buffer.from([0x81, 0x02, 0x7b, 0x7d]));
    const reserved = await openRaw(gateway().url);
    reserved.write(Buffer.from([0xf1, 0x80, 0, 0, 0, 0]));
    const endless = await openRaw(gateway().url);
    const continuation = frameOf(0, Buffer.alloc(0));
    const first = frameOf(1, Buffer.from('{'));
    continuation[0] = 0;
    first[0] = 1;
    endless.write(Buffer.concat([first, ...Array.from({ length: 2_000 }, () => continuation)]));
    for (const socket of [unmasked, reserved, endless]) {
      if (!socket.closed) await once(socket.resume(), 'close');
    }
    expect((await gateway().rest('/livez')).status).toBe(200);
  });

  test('operations that exceed the memory limit are rejected, and the connection stays open', async () => {
    await withGateway(
      { MAX_ANSWER_BYTES: '1048576', MAX_BYTES_IN_FLIGHT: '1048576' },
      async ({ url }) => {
        const socket = await connect(url);
        socket.subscribe(
          'large',
          PAGE.replace('id', 'id summary label project { name } feature { name description }'),
        );
        const message = await socket.next();
        expect(JSON.stringify(message)).toMatch(/"code":"(PAYLOAD_TOO_LARGE|OVERLOADED)"/);
        socket.subscribe('small', VIEWER);
        await expect.poll(async () => (await socket.next())?.id).toBe('small');
      },
    );
  });
});
