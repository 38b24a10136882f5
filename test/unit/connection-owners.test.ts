import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { boundUnknownClients, markKnown } from '../../src/http/connection-owners.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const create = (max: { idle: number; total: number }) => {
  const unknown = boundUnknownClients(max);
  const connect = (remoteAddress: string): Socket => {
    const socket = {
      remoteAddress,
      destroyed: false,
      destroy: () => {
        socket.destroyed = true;
        unknown.close(socket as unknown as Socket);
      },
    };
    unknown.open(socket as unknown as Socket);
    return socket as unknown as Socket;
  };
  /** Connects and begins a request. */
  const send = (address: string): Socket => {
    const socket = connect(address);
    unknown.resume(socket);
    return socket;
  };
  const closed = (sockets: readonly Socket[]) =>
    sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));
  return { unknown, connect, send, closed };
};

test('new connections of an address replace old ones of many addresses', async () => {
  const { send, closed } = create({ idle: 100, total: 10 });
  const held = Array.from({ length: 10 }, (_, index) => send(`10.0.0.${index}`));
  await vi.advanceTimersByTimeAsync(1_000);
  const page = Array.from({ length: 6 }, () => send('192.0.2.1'));
  expect([closed(held), closed(page)]).toEqual([[0, 1, 2, 3, 4, 5], []]);
});

test('the network with the most old connections loses its oldest', async () => {
  const { send, closed } = create({ idle: 100, total: 6 });
  const honest = [send('192.0.2.1'), send('192.0.2.1')];
  const hostile = [1, 2, 3, 4].map((host) => send(`2001:db8:0:1::${host}`));
  await vi.advanceTimersByTimeAsync(1_000);
  send('192.0.2.2');
  expect([closed(honest), closed(hostile)]).toEqual([[], [0]]);
});

test('with only new connections, the network with the most loses its oldest', () => {
  const { send, closed } = create({ idle: 100, total: 4 });
  const honest = send('192.0.2.1');
  const hostile = Array.from({ length: 5 }, () => send('10.0.0.1'));
  expect([closed([honest]), closed(hostile)]).toEqual([[], [0, 1]]);
});

test('connections with valid credentials are neither counted nor closed', async () => {
  const { unknown, send, closed } = create({ idle: 100, total: 3 });
  const sockets = Array.from({ length: 3 }, () => send('192.0.2.1'));
  for (const socket of sockets) {
    markKnown(socket, 'user');
    unknown.rest(socket);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  const others = Array.from({ length: 4 }, () => send('10.0.0.1'));
  expect([closed(sockets), closed(others)]).toEqual([[], [0]]);
});

test('idle connections are closed, oldest first, once they are a second old', async () => {
  const { connect, closed } = create({ idle: 3, total: 100 });
  const sockets = Array.from({ length: 5 }, () => connect('10.0.0.1'));
  await vi.advanceTimersByTimeAsync(999);
  expect(closed(sockets)).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(closed(sockets)).toEqual([0, 1]);
});
