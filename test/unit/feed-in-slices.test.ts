import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Expected, feedInSlices } from '../../src/http/feed-in-slices.js';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** A server that reports what each connection sends next, as the gateway does. */
const serve = async (listener: RequestListener): Promise<Server> => {
  const server = createServer((request, response) => {
    last.set(request.socket, response);
    response.on('close', () => continueFeeding.get(request.socket)?.());
    listener(request, response);
  });
  const last = new WeakMap<Socket, ServerResponse>();
  const continueFeeding = new WeakMap<Socket, () => void>();
  server.on('connection', (socket) => {
    const expected = (): Expected => {
      const response = last.get(socket);
      const isUnread = response?.req.readableFlowing === null;
      if (response?.req.complete === false) return isUnread ? 'unread body' : 'body';
      return !response || response.closed ? 'request' : 'later request';
    };
    continueFeeding.set(socket, feedInSlices(socket, expected).proceed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

const open = async (listener: RequestListener): Promise<Socket> => {
  const server = await serve(listener);
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  cleanUps.push(
    () => socket.destroy(),
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return socket.on('error', () => undefined);
};

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

test('requests after the one that ended the connection are not parsed', async () => {
  let count = 0;
  const socket = await open((request, response) => {
    count += 1;
    if (count === 20) request.socket.destroy();
    else response.end();
  });
  socket.resume().write(GET.repeat(2_000));
  await once(socket, 'close');
  await delay(50);
  expect(count).toBe(20);
});

test('a request is parsed after the response to the previous one', async () => {
  const urls: string[] = [];
  const responses: ServerResponse[] = [];
  const socket = await open((request, response) => {
    urls.push(request.url ?? '');
    responses.push(response);
  });
  const post = 'POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok';
  socket.resume().write(`${GET}${GET}${post}`);
  for (const [index, expected] of ['/', '/ /', '/ / /1'].entries()) {
    await expect.poll(() => urls.join(' ')).toBe(expected);
    await delay(20);
    expect(urls.join(' ')).toBe(expected);
    responses[index]?.end();
  }
});

test('the event loop runs other work between slices', async () => {
  const rounds: number[] = [];
  let round = 0;
  const socket = await open((_, response) => {
    rounds.push(round);
    response.end();
  });
  socket.resume().write(GET.repeat(500));
  while (rounds.length < 500) {
    await nextTurn();
    round += 1;
  }
  expect(new Set(rounds).size).toBeGreaterThan(4);
});

test('a large body that is read slowly arrives completely', async () => {
  const body = randomBytes(3_000_000);
  const socket = await open(async (request, response) => {
    const hash = createHash('sha256');
    let pieces = 0;
    for await (const chunk of request) {
      hash.update(chunk as Buffer);
      pieces += 1;
      if (pieces % 200 === 0) await delay(1);
    }
    response.end(hash.digest('hex'));
  });
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  expect(await text(socket)).toContain(createHash('sha256').update(body).digest('hex'));
});

test('a client that half-closes after pipelined requests gets every response, in order', async () => {
  const socket = await open((request, response) => {
    setTimeout(() => response.end(`[${request.url}]`), 1);
  });
  const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
  const requests = paths.map((path, index) => {
    const last = index === paths.length - 1 ? 'Connection: close\r\n' : '';
    return `GET ${path} HTTP/1.1\r\nHost: a\r\n${last}\r\n`;
  });
  socket.write(requests.join(''));
  const received = await text(socket);
  expect(received.match(/\[[^\]]+\]/g)).toEqual(paths.map((path) => `[${path}]`));
});

test('a client that reads its responses late gets all of them', async () => {
  const filler = 'x'.repeat(20_000);
  const socket = await open((request, response) => response.end(`${filler}[${request.url}]`));
  socket.pause();
  const paths = Array.from({ length: 300 }, (_, index) => `/${index}`);
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  await delay(200);
  let received = '';
  for await (const chunk of socket) {
    received += String(chunk);
    if (received.endsWith(`[${paths.at(-1)}]`)) break;
  }
  expect(received.match(/\[[^\]]+\]/g)).toEqual(paths.map((path) => `[${path}]`));
});

test('many connections that send tiny chunks share the time of one turn', async () => {
  const CONNECTIONS = 60;
  const SLICE_OF_CHUNKS = Math.floor(2_048 / '1\r\n \r\n'.length);
  let received = 0;
  const listener: RequestListener = (request) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
  };
  const server = await serve(listener);
  cleanUps.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (let index = 0; index < CONNECTIONS; index += 1) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    cleanUps.push(() => socket.destroy());
    socket.on('error', () => undefined).write(head + '1\r\n \r\n'.repeat(10_000));
  }
  let max = 0;
  for (let before = 0; received < CONNECTIONS * 10_000; before = received) {
    await nextTurn();
    max = Math.max(max, received - before);
  }
  expect(max).toBeLessThan((CONNECTIONS * SLICE_OF_CHUNKS) / 4);
});

const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const CHUNK = '1\r\nx\r\n';

test.each([
  ['with its headers', (socket: Socket, body: string) => socket.write(CHUNKED + body)],
  [
    'after its headers',
    async (socket: Socket, body: string) => {
      socket.write(CHUNKED);
      await delay(50);
      socket.write(body);
    },
  ],
])('a large body that arrives %s is parsed when it is read', async (_how, write) => {
  let buffered = -1;
  const socket = await open(async (request, response) => {
    await delay(200);
    buffered = request.readableLength;
    response.end(String((await text(request)).length));
  });
  await write(socket, `${CHUNK.repeat(20_000)}0\r\n\r\n`);
  const [received] = await once(socket, 'data');
  expect(String(received)).toMatch(/\r\n20000$|\r\n5\r\n20000/);
  // Not more than fits into the slice of the headers.
  expect(buffered).toBeLessThan(2_048 / CHUNK.length);
});

test('new requests go before bodies', async () => {
  const CONNECTIONS = 100;
  let complete = 0;
  const server = await serve((request, response) => {
    if (request.method === 'GET') return response.end(String(complete));
    request.resume().on('end', () => {
      complete += 1;
    });
    return response.flushHeaders();
  });
  cleanUps.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  const openSocket = () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    cleanUps.push(() => socket.destroy());
    return socket;
  };
  const honest = openSocket();
  await once(honest, 'connect');
  for (let index = 0; index < CONNECTIONS; index += 1) {
    openSocket().write(`${CHUNKED}${CHUNK.repeat(5_000)}0\r\n\r\n`);
  }
  await delay(20);
  honest.write(GET);
  const [received] = await once(honest, 'data');
  expect(Number(/\d+$/.exec(String(received))?.[0])).toBeLessThan(CONNECTIONS / 4);
  await expect.poll(() => complete, { timeout: 10_000 }).toBe(CONNECTIONS);
});

const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';
const CHUNKED_POST = `${CHUNKED}3\r\nabc\r\n0\r\n\r\n`;

test.each([
  ['two requests', GET + GET, 0],
  ['a request after a body', POST + GET, POST.length - 3],
  ['a request after a chunked body', CHUNKED_POST + GET, CHUNKED_POST.length - 13],
  ['a body after a body', POST + POST, POST.length - 3],
  ['an empty line after a body', `${POST}\r\n${GET}`, POST.length - 3],
])('%s can be cut into packets anywhere', async (_title, sent, firstCut) => {
  const server = await serve(async (request, response) => {
    response.end(request.headers.host === 'a' ? await text(request) : 'wrong host');
  });
  cleanUps.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  const exchange = async (cut: number): Promise<string> => {
    const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1');
    cleanUps.push(() => socket.destroy());
    let received = '';
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        received += chunk;
      });
    // The body arrives separately, so that its end and the next request can share a packet.
    for (const [from, to] of [
      [0, firstCut],
      [firstCut, cut],
      [cut, sent.length],
    ] as const) {
      if (to > from) socket.write(sent.slice(from, to));
      await delay(20);
    }
    const statuses = () => (received.match(/HTTP\/1\.1 \d+/g) ?? []).join();
    await expect.poll(statuses, { timeout: 2_000 }).toBe('HTTP/1.1 200,HTTP/1.1 200');
    return received;
  };
  const cuts = Array.from(
    { length: sent.length - firstCut - 1 },
    (_, index) => firstCut + 1 + index,
  );
  const all = await Promise.all(cuts.map(exchange));
  expect(all.filter((received) => received.includes('wrong host'))).toEqual([]);
});

test('what arrives byte by byte is read at intervals', async () => {
  let reads = 0;
  const body = 'x'.repeat(200);
  const socket = await open(async (request, response) => {
    request.on('data', () => {
      reads += 1;
    });
    await once(request, 'end');
    response.end('ok');
  });
  socket.setNoDelay();
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`);
  const answered = once(socket, 'data');
  for (const byte of body) {
    socket.write(byte);
    await delay(2);
  }
  expect(String(await answered)).toContain('200 OK');
  expect(reads).toBeLessThan(30);
});
