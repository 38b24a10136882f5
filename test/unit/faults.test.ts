import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exactlyOnce } from '../../faults/src/clients/follower.js';
import { framingFault } from '../../faults/src/clients/raw.js';
import { createRandom } from '../../faults/src/random.js';
import { createScope } from '../../faults/src/scope.js';
import { type FaultProxy, startFaultProxy } from '../../faults/src/servers/fault-proxy.js';

describe('the framing checker', () => {
  const faultOf = (headers: [string, string][], body: string, status = 200) =>
    framingFault(
      { status, headers, body: Buffer.from(body), milliseconds: 1, isOpen: false },
      false,
    );

  test('accepts one Content-Length or well-formed chunks', () => {
    expect(faultOf([['content-length', '2']], 'ok')).toBeNull();
    expect(faultOf([['transfer-encoding', 'chunked']], '2\r\nok\r\n0\r\n\r\n')).toBeNull();
    expect(faultOf([], '', 304)).toBeNull();
  });

  test.each<[string, [string, string][], string]>([
    [
      'several framings',
      [
        ['content-length', '2'],
        ['transfer-encoding', 'chunked'],
      ],
      'ok',
    ],
    [
      'several framings',
      [
        ['content-length', '2'],
        ['content-length', '2'],
      ],
      'ok',
    ],
    ['wrong Content-Length', [['content-length', '3']], 'ok'],
    ['malformed chunks', [['transfer-encoding', 'chunked']], '2\r\nok\r\n'],
    ['malformed chunks', [['transfer-encoding', 'chunked']], '2\r\nok\r\n0\r\n\r\nmore'],
    ['no framing', [], 'ok'],
  ])('reports %s', (fault, headers, body) => {
    expect(faultOf(headers, body)).toBe(fault);
  });
});

describe('the delivery checker', () => {
  const received = (...marks: string[]) => ({
    marks,
    endings: [],
    isOpen: () => true,
    stop: async () => undefined,
  });

  test('reports lost and repeated events', () => {
    expect(exactlyOnce(received('a', 'b'), ['a', 'b'])).toEqual([]);
    expect(exactlyOnce(received('a', 'a'), ['a', 'b'])).toEqual(['lost', 'repeated']);
  });

  test('ignores events of a timeline that did not survive', () => {
    expect(exactlyOnce(received('a', 'gone'), ['a'])).toEqual([]);
  });
});

test('the same seed yields the same values', () => {
  const sequence = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 5 }, () => random.text(8));
  };
  expect(sequence(1)).toEqual(sequence(1));
  expect(sequence(1)).not.toEqual(sequence(2));
});

describe('the TCP proxy', () => {
  const scope = createScope();
  let proxy: FaultProxy;

  beforeAll(async () => {
    const echo = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    scope.onClose(() => echo.close());
    proxy = await startFaultProxy(scope, (echo.address() as AddressInfo).port);
  });
  afterAll(() => scope.close());

  const open = async (): Promise<Socket> => {
    const socket = connect(proxy.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const echoOf = async (socket: Socket, text: string): Promise<string> => {
    socket.write(text);
    const [chunk] = await once(socket, 'data');
    return String(chunk);
  };

  test('silences established connections and serves new ones', async () => {
    const old = await open();
    expect(await echoOf(old, 'before')).toBe('before');
    proxy.freeze();
    let hasReceived = false;
    old.on('data', () => {
      hasReceived = true;
    });
    old.on('close', () => {
      hasReceived = true;
    });
    old.write('after');
    const next = await open();
    expect(await echoOf(next, 'new')).toBe('new');
    await delay(100);
    expect(hasReceived).toBe(false);
    expect(proxy.frozenCount()).toBe(1);
    old.destroy();
    next.destroy();
    await expect.poll(() => proxy.openCount()).toBe(0);
  });

  test('delays responses and keeps their order', async () => {
    const socket = await open();
    proxy.setDelay(80);
    const startedAt = performance.now();
    const echoed = echoOf(socket, 'slow');
    await delay(40);
    proxy.setDelay(0);
    socket.write('quick');
    expect(await echoed).toMatch(/^slow/);
    expect(performance.now() - startedAt).toBeGreaterThan(70);
    socket.destroy();
  });

  test('cuts a connection after a number of bytes', async () => {
    const socket = await open();
    proxy.cutAfter(3);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const closed = once(socket, 'close').catch(() => undefined);
    socket.on('error', () => undefined);
    socket.write('abcdef');
    await closed;
    proxy.stopCutting();
    expect(received).toBe('abc');
  });

  test('half-closes connections', async () => {
    const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
    expect(await echoOf(socket, 'x')).toBe('x');
    const ended = once(socket, 'end');
    proxy.halfClose();
    await ended;
    expect(socket.writable).toBe(true);
    socket.destroy();
  });
});
