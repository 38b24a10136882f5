import { createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { sendLive } from '../../../src/http/send-live.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const PIECE = 64 * 1024;

/** Serves an endless stream and counts the chunks read from it. */
const serve = async (stallTimeoutMs: number, pieceBytes = PIECE) => {
  const state = { pieces: 0, isCancelled: false };
  server = createServer((_request, response) => {
    const stream = {
      read: async () => {
        state.pieces += 1;
        await delay(1);
        return state.isCancelled ? null : new Uint8Array(pieceBytes).fill(97);
      },
      cancel: () => {
        state.isCancelled = true;
      },
    };
    sendLive(
      response,
      { status: 200, headers: {}, stream, closeMessage: 'FAREWELL' },
      { stallTimeoutMs },
    );
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, state };
};

const call = (port: number) => {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: gateway\r\n\r\n');
  return socket;
};

test('disconnects a client that does not read, with a message and a small buffer', async () => {
  const { port, state } = await serve(300);
  const socket = call(port);
  socket.pause();
  await expect.poll(() => state.isCancelled).toBe(true);
  expect(state.pieces * PIECE).toBeLessThan(20_000_000);

  let text = '';
  socket.on('data', (chunk) => {
    text = (text + chunk).slice(-100);
  });
  socket.resume();
  await expect.poll(() => text).toContain('FAREWELL');
  socket.destroy();
});

test('sends a disconnected client the rest of the current chunk, then the message', async () => {
  const size = 3_000_001;
  const { port, state } = await serve(300, size);
  const chunks: Buffer[] = [];
  const message = new Promise<string>((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1' }, (response) => {
      response.pause();
      const read = async () => {
        await expect.poll(() => state.isCancelled).toBe(true);
        for await (const chunk of response) chunks.push(chunk);
        return Buffer.concat(chunks).toString();
      };
      read().then(resolve, reject);
    });
    request.on('error', reject);
  });
  const [letters = '', ...rest] = (await message).split('FAREWELL');
  expect(rest).toEqual(['']);
  expect(letters.length).toBeGreaterThan(0);
  expect(letters.length % size).toBe(0);
});

test('serves a client that reads slowly but steadily, however long a single chunk takes', async () => {
  const stallTimeoutMs = 2_000;
  const { port, state } = await serve(stallTimeoutMs, 100_000_000);
  const socket = call(port);
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), 10);
  });
  await delay(2 * stallTimeoutMs);
  const before = bytes;
  await expect.poll(() => bytes).toBeGreaterThan(before);
  expect(state).toEqual({ pieces: 1, isCancelled: false });
  socket.destroy();
});

test('stops reading the stream when the client disconnects', async () => {
  const { port, state } = await serve(10_000);
  const socket = call(port);
  await expect.poll(() => state.pieces).toBeGreaterThan(0);
  socket.destroy();
  await expect.poll(() => state.isCancelled).toBe(true);
});

/** Serves one chunk, then fails. */
const serveInterrupted = async () => {
  server = createServer((_request, response) => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      if (reads > 1) throw new Error('interrupted');
      return new Uint8Array(3_000_001).fill(97);
    };
    sendLive(response, { status: 200, headers: {}, stream: { read, cancel: () => undefined } });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

test('closes an interrupted response after its last whole chunk, but before its end', async () => {
  const port = await serveInterrupted();
  const socket = call(port);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  expect(text.match(/a{10,}/g)?.join('').length).toBe(3_000_001);
  expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false);

  const response = await fetch(`http://127.0.0.1:${port}`);
  await expect(response.arrayBuffer()).rejects.toThrow('terminated');
});

test('disconnects a client that does not read without a message if there is none', async () => {
  let isCancelled = false;
  server = createServer((_request, response) => {
    const stream = {
      read: async () => new Uint8Array(PIECE),
      cancel: () => {
        isCancelled = true;
      },
    };
    sendLive(response, { status: 200, headers: {}, stream }, { stallTimeoutMs: 300 });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const socket = call((server.address() as AddressInfo).port);
  socket.on('error', () => undefined);
  socket.pause();
  await expect.poll(() => isCancelled).toBe(true);
  socket.resume();
  await expect.poll(() => socket.destroyed).toBe(true);
});
