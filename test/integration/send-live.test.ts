import { createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { sendLive } from '../../src/http/send-live.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const PIECE = 64 * 1024;

/** Serves an endless stream and counts what is asked of it. */
const serve = async (patienceMs: number, pieceBytes = PIECE) => {
  const told = { pieces: 0, isCancelled: false };
  server = createServer((_request, response) => {
    const stream = {
      read: async () => {
        told.pieces += 1;
        await delay(1);
        return told.isCancelled ? null : new Uint8Array(pieceBytes).fill(97);
      },
      cancel: () => {
        told.isCancelled = true;
      },
    };
    sendLive(response, { status: 200, headers: {}, stream, farewell: 'FAREWELL' }, { patienceMs });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, told };
};

const call = (port: number) => {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: gateway\r\n\r\n');
  return socket;
};

test('who does not read is sent away with a message, and little is kept for him', async () => {
  const { port, told } = await serve(300);
  const socket = call(port);
  socket.pause();
  await expect.poll(() => told.isCancelled).toBe(true);
  expect(told.pieces * PIECE).toBeLessThan(20_000_000);

  let text = '';
  socket.on('data', (chunk) => {
    text = (text + chunk).slice(-100);
  });
  socket.resume();
  await expect.poll(() => text).toContain('FAREWELL');
  socket.destroy();
});

test('who is sent away gets the piece that was begun, and then the message', async () => {
  const size = 3_000_001;
  const { port, told } = await serve(300, size);
  const chunks: Buffer[] = [];
  const message = new Promise<string>((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1' }, (response) => {
      response.pause();
      const read = async () => {
        await expect.poll(() => told.isCancelled).toBe(true);
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

test('who reads slowly but steadily is served, however long a single piece takes him', async () => {
  const patienceMs = 2_000;
  const { port, told } = await serve(patienceMs, 100_000_000);
  const socket = call(port);
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), 10);
  });
  await delay(2 * patienceMs);
  const before = bytes;
  await expect.poll(() => bytes).toBeGreaterThan(before);
  expect(told).toEqual({ pieces: 1, isCancelled: false });
  socket.destroy();
});

test('when the caller goes, nothing more is asked for', async () => {
  const { port, told } = await serve(10_000);
  const socket = call(port);
  await expect.poll(() => told.pieces).toBeGreaterThan(0);
  socket.destroy();
  await expect.poll(() => told.isCancelled).toBe(true);
});
