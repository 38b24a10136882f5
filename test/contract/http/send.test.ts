import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { type HttpResponse, send } from '../../../src/http/send.js';

const BIG = Buffer.alloc(30_000_000, 'x');
const sockets: Socket[] = [];
const ends: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  for (const end of ends) await end();
});

const open = (port: number): Socket => {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  return socket;
};

const closed = (socket: Socket) =>
  new Promise<void>((resolve) => socket.on('close', () => resolve()));

// They mostly wait.
describe.concurrent('a response', () => {
  /** Serves one response with short timeouts. */
  const serve = async (result: HttpResponse, stallTimeoutMs: number) => {
    const server = createServer((request, response) => {
      send(request, response, result, { stallTimeoutMs }).catch(() => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(
      () =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    );
    return (server.address() as AddressInfo).port;
  };
  const response = { status: 200, headers: { 'content-type': 'text/plain' }, body: BIG };

  /** Counts the bytes that a paused socket still receives before its end. */
  const readRest = async (socket: Socket): Promise<number> => {
    let received = 0;
    const socketClosed = closed(socket);
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await socketClosed;
    return received;
  };

  test.each(['identity', 'br', 'gzip'])('that is not read is discarded (%s)', async (encoding) => {
    // Compressed, it must still exceed the buffers of the kernel.
    const noise = Buffer.from(Array.from({ length: 400_000 }, () => Math.random()).join(''));
    const body = encoding === 'identity' ? BIG : Buffer.concat([noise, noise, noise]);
    // Longer than half of the timeout: Node's own timeout would allow twice as much.
    const port = await serve({ ...response, body }, 2_000);
    const socket = open(port);
    socket.pause();
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\n\r\n`);
    // A paused socket does not notice its end until it reads.
    await delay(3_000);
    const received = await readRest(socket);
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(body.length / 2);
  });

  test('that is small and not read is discarded too', async () => {
    const body = Buffer.alloc(60_000, 'x');
    const port = await serve({ ...response, body }, 2_000);
    const socket = open(port);
    socket.pause();
    // More than the buffers of the kernel can hold.
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500));
    await delay(3_000);
    const received = await readRest(socket);
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan((500 * body.length) / 2);
  });

  test('that is read slowly is sent completely', async () => {
    const port = await serve(response, 1_000);
    const socket = open(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 2);
    });
    await closed(socket);
    expect(received).toBeGreaterThan(BIG.length);
  });
});
