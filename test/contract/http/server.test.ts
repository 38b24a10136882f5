import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { loadConfig } from '../../../src/config/config.js';
import { markKnown } from '../../../src/http/connection-owners.js';
import { send } from '../../../src/http/send.js';
import { createLogger } from '../../../src/observability/logger.js';
import { startServer } from '../../../src/server.js';

const sockets: Socket[] = [];
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const end of ends.splice(0)) await end();
});

const open = (port: number): Socket => {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  return socket;
};

/** On each message, connects three times, sends a request on each, counts them in `sent`, and posts each response. */
const CLIENT_THREAD = String.raw`
const { connect } = require('node:net');
const { parentPort, workerData: { port, sent } } = require('node:worker_threads');
parentPort.on('message', () => {
  for (let count = 0; count < 3; count += 1) {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk) => { text += chunk; });
    socket.on('error', () => undefined);
    socket.on('close', () => parentPort.postMessage(text));
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', () => {
      Atomics.add(sent, 0, 1);
      Atomics.notify(sent, 0);
    });
  }
});`;

const closed = (socket: Socket) =>
  new Promise<number>((resolve) => {
    const startedAt = performance.now();
    socket.on('close', () => resolve(performance.now() - startedAt));
  });

describe('the server', () => {
  const logger = createLogger({
    level: 'silent',
    pretty: false,
    destination: { write: () => undefined },
  });
  const start = async (settings: Record<string, string>, app: Partial<App> = {}) => {
    const server = await startServer(
      {
        handle: async (request, response) =>
          send(request, response, { status: 200, headers: {}, body: 'ok' }),
        announceStop: () => undefined,
        drain: () => undefined,
        ...app,
      },
      { ...loadConfig({ PORT: '0', ...settings }), host: '127.0.0.1' },
      logger,
    );
    ends.push(server.stop);
    return { ...server, port: Number(new URL(server.url).port) };
  };
  const request = (url: string, agent: Agent) =>
    new Promise<string>((resolve, reject) => {
      get(url, { agent }, (message: IncomingMessage) => {
        message.resume().on('end', () => resolve(String(message.statusCode)));
      }).on('error', (error: NodeJS.ErrnoException) => reject(error));
    });

  const received = (socket: Socket) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    return () => text;
  };

  test('keeps idle connections for the configured time, which may exceed the header timeout', async () => {
    const { url } = await start({ KEEP_ALIVE_TIMEOUT_MS: '10000', REQUEST_TIMEOUT_MS: '500' });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await request(url, agent)).toBe('200');
    const [socket] = Object.values(agent.freeSockets).flat();
    await delay(4_500);
    expect(await request(url, agent)).toBe('200');
    expect(Object.values(agent.freeSockets).flat()[0]).toBe(socket);
    agent.destroy();
  });

  test('returns 408 when a request does not arrive', async () => {
    const { port } = await start({ REQUEST_TIMEOUT_MS: '200' });
    const socket = open(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    await closed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(text).toContain('"name":"BadDataError"');
  });

  test('rejects requests that are late at the same time by turns', async () => {
    const { port } = await start({ REQUEST_TIMEOUT_MS: '600' });
    const { end } = Socket.prototype;
    let rejected = 0;
    const spy = vi.spyOn(Socket.prototype, 'end').mockImplementation(function (
      this: Socket,
      ...args
    ) {
      if (this.localPort !== port) return end.apply(this, args);
      rejected += 1;
      const until = performance.now() + 1;
      while (performance.now() < until);
      return end.apply(this, args);
    });
    try {
      for (let count = 0; count < 60; count += 1) open(port).write('GET / HTTP/1.1\r\n');
      let most = 0;
      for (const startedAt = performance.now(); rejected < 60; ) {
        expect(performance.now() - startedAt).toBeLessThan(8_000);
        const before = rejected;
        await new Promise((resolve) => setImmediate(resolve));
        most = Math.max(most, rejected - before);
      }
      expect(most).toBeLessThanOrEqual(4);
    } finally {
      spy.mockRestore();
    }
  });

  test('closes connections over the limit', async () => {
    const { url, port } = await start({ MAX_CONNECTIONS: '2' });
    const [first, second] = [open(port), open(port)];
    await delay(200);
    await closed(open(port));
    first.destroy();
    second.destroy();
    await expect.poll(() => request(url, new Agent()).catch(() => 'refused')).toBe('200');
  });

  test('keeps at most 500 idle connections of unknown clients, the latest ones', async () => {
    const { port } = await start(
      {},
      {
        handle: async (request, response) => {
          if (request.url === '/slow') await delay(3_000);
          else markKnown(request.socket, 'a');
          await send(request, response, { status: 200, headers: {}, body: 'ok' });
        },
      },
    );
    const openAndSend = async (path: string) => {
      const socket = open(port);
      const text = received(socket);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await once(socket, 'connect');
      return { socket, text };
    };
    const known = await openAndSend('/known');
    await expect.poll(known.text).toContain('ok');
    const slow = await openAndSend('/slow');
    const silent: Socket[] = [];
    for (let count = 0; count < 510; count += 1) {
      const socket = open(port).resume();
      silent.push(socket);
      await once(socket, 'connect');
    }
    const closedOnes = () => silent.flatMap((socket, index) => (socket.closed ? [index] : []));
    await expect.poll(closedOnes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await expect.poll(slow.text).toContain('ok');
    expect([known.socket.closed, slow.socket.closed]).toEqual([false, false]);
  });

  test('keeps at most 1,000 connections of unknown clients that wait for responses', async () => {
    const { port } = await start(
      {},
      {
        handle: async (request, response) => {
          if (request.url === '/known') markKnown(request.socket, 'a');
          await delay(5_000);
          await send(request, response, { status: 200, headers: {}, body: 'ok' });
        },
      },
    );
    const openAndSend = async (path: string) => {
      const socket = open(port).resume();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await once(socket, 'connect');
      return socket;
    };
    const known = await openAndSend('/known');
    const sockets: Socket[] = [];
    for (let count = 0; count < 1_010; count += 1) sockets.push(await openAndSend('/'));
    const closedOnes = () => sockets.flatMap((socket, index) => (socket.closed ? [index] : []));
    await expect.poll(closedOnes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(known.closed).toBe(false);
  });

  test('continues to serve after it has announced its stop', async () => {
    const steps: string[] = [];
    const server = await start(
      { SHUTDOWN_DELAY_MS: '600' },
      { announceStop: () => steps.push('announced'), drain: () => steps.push('drained') },
    );
    const stopping = server.stop();
    await delay(300);
    expect(steps).toEqual(['announced']);
    const response = await fetch(server.url);
    expect(response.status).toBe(200);
    // Otherwise a load balancer could reuse the connection while it is being closed.
    expect(response.headers.get('connection')).toBe('close');
    await stopping;
    ends.length = 0;
    expect(steps).toEqual(['announced', 'drained']);
  });

  test('responds on a connection that was opened before it stopped listening', async () => {
    const server = await start({});
    const socket = open(server.port);
    const text = received(socket);
    await delay(100);
    ends.length = 0;
    const stopping = server.stop();
    const isConnectionRefused = () =>
      new Promise<boolean>((resolve) => {
        const other = open(server.port);
        other.on('connect', () => resolve(false));
        other.on('error', () => resolve(true));
      });
    while (!(await isConnectionRefused())) await delay(5);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await stopping;
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('responds on connections that wait to be accepted when it stops listening', async () => {
    const sent = new Int32Array(new SharedArrayBuffer(4));
    let client: Worker | undefined;
    const server = await start(
      {},
      {
        drain: () => {
          // The server stops listening 250 ms later.
          setTimeout(() => {
            client?.postMessage('connect');
            for (let count = 0; count < 3; count = Atomics.load(sent, 0)) {
              Atomics.wait(sent, 0, count);
            }
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
          }, 225);
        },
      },
    );
    client = new Worker(CLIENT_THREAD, { eval: true, workerData: { port: server.port, sent } });
    await once(client, 'online');
    const responses: string[] = [];
    client.on('message', (text: string) => responses.push(text));
    ends.length = 0;
    await server.stop();
    await expect.poll(() => responses.length).toBe(3);
    await client.terminate();
    for (const response of responses) expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('waits for requests in flight until their timeout when it stops', async () => {
    const server = await start(
      { REQUEST_TIMEOUT_MS: '12000' },
      {
        handle: async (request, response) => {
          await delay(11_000);
          await send(request, response, { status: 200, headers: {}, body: 'late' });
        },
      },
    );
    const pending = request(server.url, new Agent());
    await delay(100);
    ends.length = 0;
    await server.stop();
    expect(await pending).toBe('200');
  });

  test('handles pipelined requests one at a time, and notifies the current one of a closed connection', async () => {
    let started = 0;
    let ended = 0;
    const { port } = await start(
      {},
      {
        handle: async (_request, response) => {
          started += 1;
          response.on('close', () => {
            ended += 1;
          });
        },
      },
    );
    const socket = open(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10));
    await delay(200);
    expect([started, ended]).toEqual([1, 0]);
    socket.destroy();
    await expect.poll(() => ended, { timeout: 5_000 }).toBe(1);
    expect(started).toBe(1);
  });

  test('closes a connection with too many requests behind a body', async () => {
    const { port } = await start(
      {},
      {
        handle: (request) => {
          request.resume();
          return new Promise(() => undefined);
        },
      },
    );
    const socket = open(port);
    const socketClosed = closed(socket);
    socket.resume().write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n');
    await delay(100);
    socket.write(`ok${'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(30)}`);
    expect(await socketClosed).toBeLessThan(5_000);
  });

  test('rejects a request with too many headers', async () => {
    const { port } = await start({});
    for (const [count, status] of [
      [99, 200],
      [100, 431],
      [1_500, 431],
      [3_000, 431],
    ]) {
      const socket = open(port);
      const text = received(socket);
      const headers = Array.from({ length: count ?? 0 }, (_, index) => `x${index}: 1\r\n`);
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${headers.join('')}\r\n`);
      await expect.poll(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    }
  });

  test('closes a connection with an unknown Expect header', async () => {
    const { port } = await start({});
    const socket = open(port);
    const text = received(socket);
    const socketClosed = closed(socket);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n'.repeat(30));
    expect(await socketClosed).toBeLessThan(5_000);
    expect(text().match(/HTTP\/1\.1 417/g)?.length ?? 0).toBeLessThanOrEqual(1);
  });

  test('closes a connection whose request has no Host header', async () => {
    const { port } = await start({});
    const socket = open(port);
    const text = received(socket);
    const socketClosed = closed(socket);
    socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(30));
    expect(await socketClosed).toBeLessThan(5_000);
    expect(text().match(/HTTP\/1\.1 400/g)?.length ?? 0).toBeLessThanOrEqual(1);
    const single = open(port);
    const response = received(single);
    single.write('GET / HTTP/1.1\r\n\r\n');
    await closed(single);
    expect(response()).toMatch(/^HTTP\/1\.1 400 .*connection: close.*no Host header/is);
    const older = open(port);
    const served = received(older);
    older.write('GET / HTTP/1.0\r\n\r\n');
    await closed(older);
    expect(served()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['two Host headers', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    [
      'chunked HTTP/1.0',
      'POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['another HTTP version', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n'],
  ])('rejects %s, and closes the connection', async (_title, request) => {
    const { port } = await start({});
    const socket = open(port);
    const text = received(socket);
    const socketClosed = closed(socket);
    socket.write(request);
    expect(await socketClosed).toBeLessThan(5_000);
    expect(text()).toMatch(/^HTTP\/1\.1 400 .*connection: close.*BadDataError/is);
  });

  test('skips an empty line before a request, and closes a connection with many', async () => {
    const { port } = await start({});
    const socket = open(port);
    const text = received(socket);
    const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    socket.write(`\r\n${GET}`);
    await expect.poll(text).toMatch(/^HTTP\/1\.1 200 OK/);
    // Headers may also end in a segment of their own.
    socket.write('\r\nGET / HTTP/1.1\r\nHost: a\r\n');
    await delay(100);
    socket.write('\r\n');
    await expect.poll(() => text().match(/200 OK/g)).toHaveLength(2);
    socket.write('\r\n'.repeat(1_000));
    await closed(socket);
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(2);
  });

  test('parses nothing after a malformed request', async () => {
    const { port } = await start({});
    const socket = open(port);
    const text = received(socket);
    socket.write(`B@D\r\n\r\n${'\r\n'.repeat(10_000)}`);
    await expect.poll(text).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    const usage = process.cpuUsage();
    for (let count = 0; count < 20; count += 1) {
      socket.write('\r\n'.repeat(30_000));
      await delay(5);
    }
    const { user, system } = process.cpuUsage(usage);
    // Parsed in slices of four bytes it takes seconds.
    expect(user + system).toBeLessThan(1_000_000);
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test('reads little of what follows a malformed request', async () => {
    const { port } = await start({});
    // Does not end with the server.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket);
    socket.on('error', () => undefined);
    const text = received(socket);
    const socketClosed = closed(socket);
    socket.write('B@D\r\n\r\n');
    await expect.poll(text).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    const block = Buffer.alloc(1_048_576);
    const send = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', send);
    send();
    await socketClosed;
    // Besides what is read, the buffers of both sockets are filled.
    expect(socket.bytesWritten).toBeLessThan(50_000_000);
  });

  test('never writes 100 Continue into another response', async () => {
    const { port } = await start(
      {},
      {
        handle: async (request, response) => {
          for await (const _ of request);
          await delay(20);
          await send(request, response, { status: 200, headers: {}, body: `for ${request.url}` });
        },
      },
    );
    const socket = open(port);
    const text = received(socket);
    const post = (path: string, header = '') =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\n${header}Content-Length: 2\r\n\r\nok`;
    socket.write(post('/one') + post('/two', 'Expect: 100-continue\r\n'));
    await expect.poll(() => text().match(/200 OK/g)).toHaveLength(2);
    expect(text().replace(/HTTP\/1\.1 100 Continue\r\n\r\n/, '')).not.toContain('100 Continue');
    expect(text()).toMatch(/\r\n\r\nfor \/one.*\r\n\r\nfor \/two$/s);
  });

  test('accepts no request after one with an Upgrade header', async () => {
    const urls: (string | undefined)[] = [];
    const { port } = await start(
      {},
      {
        handle: async (request, response) => {
          urls.push(request.url);
          for await (const _ of request);
          await send(request, response, { status: 200, headers: {}, body: 'ok' });
        },
      },
    );
    const socket = open(port);
    const text = received(socket);
    const inner = 'GET /inner HTTP/1.1\r\nHost: a\r\n\r\n';
    const body = inner.repeat(200);
    socket.write(
      `GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n` +
        `POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await closed(socket);
    expect(urls).toEqual(['/upgrade']);
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n.*connection: close/is);
  });

  test('closes a connection whose WebSocket would begin within another response', async () => {
    let opened = 0;
    const nothing = () => undefined;
    const { port } = await start(
      {},
      {
        handle: async (request, response) => {
          response.writeHead(200, { 'content-length': '4' }).write('ok');
          for await (const _ of request);
        },
        sockets: {
          accepts: ({ headers }) => headers.upgrade === 'websocket',
          refusal: () => null,
          open: ({ connection }) => {
            opened += 1;
            connection.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
          },
          size: () => 0,
          drain: nothing,
          terminate: nothing,
        },
      },
    );
    const handshake =
      'GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const socket = open(port);
    const text = received(socket);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx${handshake}`);
    await closed(socket);
    expect([opened, text().includes('101')]).toEqual([0, false]);
    const other = open(port);
    const answer = received(other);
    other.write(handshake);
    await closed(other);
    expect([opened, answer().includes('101')]).toEqual([1, true]);
  });

  test('rejects a Transfer-Encoding other than chunked', async () => {
    const { port } = await start({});
    const socket = open(port);
    const text = received(socket);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n');
    await expect.poll(text).toMatch(/^HTTP\/1\.1 400 Bad Request/);
  });

  test('writes no error after the response to a request with a malformed body', async () => {
    const { port } = await start({});
    const socket = open(port);
    const text = received(socket);
    const socketClosed = closed(socket);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await expect.poll(text).toContain('ok');
    socket.write('no chunk\r\n\r\n');
    await socketClosed;
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test('closes a connection whose body continues after its response', async () => {
    const { port } = await start({});
    const socket = open(port);
    const text = received(socket);
    const socketClosed = closed(socket);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000000\r\n\r\n');
    const sending = setInterval(() => {
      if (!socket.destroyed && socket.writableLength === 0) socket.write(Buffer.alloc(262_144));
    });
    expect(await socketClosed).toBeLessThan(4_500);
    clearInterval(sending);
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(socket.bytesWritten).toBeLessThan(100_000_000);
  });

  test('closes a connection whose body does not end after its response', async () => {
    const { port } = await start({});
    const socket = open(port);
    const socketClosed = closed(socket);
    socket.resume().write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345');
    const ms = await socketClosed;
    expect(ms).toBeGreaterThan(4_000);
    expect(ms).toBeLessThan(7_000);
  });

  test('keeps a connection whose body ends soon after its response', async () => {
    const { port } = await start({});
    const socket = open(port);
    const text = received(socket);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1500000\r\n\r\n');
    await expect.poll(text).toContain('ok');
    socket.write(Buffer.alloc(1_500_000));
    await delay(6_000);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => text().match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  test('writes no error into or instead of a response', async () => {
    const { port } = await start(
      {},
      {
        handle: async (request, response) => {
          request.resume();
          response.writeHead(200, { 'content-length': '20' });
          response.write('half of it');
        },
      },
    );
    const socket = open(port);
    let received = '';
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    const socketClosed = closed(socket);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await expect.poll(() => received).toContain('half of it');
    socket.write('no chunk\r\n\r\n');
    await socketClosed;
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});
