import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { AttackOptions, AttackResult, RunAttack } from './attack.js';

const PROTOCOL = 'graphql-transport-ws';

const connect = async (url: string): Promise<WebSocket | null> => {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, PROTOCOL);
  socket.on('error', () => undefined);
  await Promise.race([
    once(socket, 'open').catch(() => undefined),
    new Promise((resolve) => socket.once('close', resolve)),
  ]);
  return socket.readyState === WebSocket.OPEN ? socket : null;
};

const authenticate = (socket: WebSocket, token: string | undefined): void =>
  socket.send(JSON.stringify({ type: 'connection_init', payload: { token } }));

type OnSocket = (socket: WebSocket, options: AttackOptions, signal: AbortSignal) => Promise<void>;

/** Runs loops of WebSockets, and counts how they were closed. */
const onSockets =
  (run: OnSocket): RunAttack =>
  async (options, signal) => {
    const { url, loops = 20 } = options;
    const responses: AttackResult['responses'] = {};
    const count = (name: string) => {
      responses[name] = (responses[name] ?? 0) + 1;
    };
    const repeat = async () => {
      while (!signal.aborted) {
        const socket = await connect(url);
        count(socket ? 'open' : 'refused');
        socket?.once('close', (code) => count(`closed ${code}`));
        if (socket) await run(socket, options, signal);
        else await delay(100);
        socket?.terminate();
      }
    };
    await Promise.all(Array.from({ length: loops }, repeat));
    return { responses };
  };

/** Opens WebSockets and leaves without a message. */
const handshakes = onSockets(async () => undefined);

/** Never sends connection_init. */
const silentSockets = onSockets(async (socket) => {
  await Promise.race([once(socket, 'close'), delay(10_000)]);
});

/** Sends pings as fast as the connection takes them. */
const socketPings = onSockets(async (socket, { token }, signal) => {
  authenticate(socket, token);
  await once(socket, 'message').catch(() => undefined);
  while (!signal.aborted && socket.readyState === WebSocket.OPEN) {
    for (let sent = 0; sent < 100 && socket.bufferedAmount < 1_000_000; sent += 1) {
      socket.ping();
      socket.send('{"type":"ping"}');
    }
    await delay(1);
  }
});

/** Starts small operations without waiting for their results. */
const socketOperations = onSockets(async (socket, { token }, signal) => {
  authenticate(socket, token);
  await once(socket, 'message').catch(() => undefined);
  for (let id = 0; !signal.aborted && socket.readyState === WebSocket.OPEN; id += 1) {
    const payload = { query: '{ viewer { kind } }' };
    socket.send(JSON.stringify({ type: 'subscribe', id: String(id), payload }));
    if (id % 100 === 0 || socket.bufferedAmount > 1_000_000) await delay(1);
  }
});

/** Requests large pages and does not read them. */
const nonReadingWebSockets = onSockets(async (socket, { token }, signal) => {
  authenticate(socket, token);
  await once(socket, 'message').catch(() => undefined);
  socket.pause();
  for (let id = 0; id < 20; id += 1) {
    const query = `query Q${id} { events(first: 1000) { nodes { data preData } } }`;
    socket.send(JSON.stringify({ type: 'subscribe', id: String(id), payload: { query } }));
  }
  while (!signal.aborted && socket.readyState === WebSocket.OPEN) await delay(100);
});

const LARGE_PING = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(1_000_000) } });

/** Sends pings of almost a megabyte. */
const largePings = onSockets(async (socket, { token }, signal) => {
  authenticate(socket, token);
  await once(socket, 'message').catch(() => undefined);
  while (!signal.aborted && socket.readyState === WebSocket.OPEN) {
    if (socket.bufferedAmount === 0) socket.send(LARGE_PING);
    await delay(5);
  }
});

export const WEB_SOCKETS = {
  largePings,
  handshakes,
  silentSockets,
  socketPings,
  socketOperations,
  nonReadingWebSockets,
} satisfies Record<string, RunAttack>;
