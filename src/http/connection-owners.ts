import type { Socket } from 'node:net';

/** Owners of the connections on which valid credentials were sent. */
const known = new WeakMap<Socket, string>();

export const markKnown = (socket: Socket, owner: string): void => {
  known.set(socket, owner);
};

/** Whose turn a connection uses, judging by its last request with valid credentials. */
export const ownerOf = (socket: Socket): string =>
  known.get(socket) ?? `address ${socket.remoteAddress}`;

export type UnknownClients = {
  /** To be called for a new connection. */
  open(socket: Socket): void;
  /** To be called after the last response on a connection. */
  rest(socket: Socket): void;
  /** To be called for each request. */
  resume(socket: Socket): void;
  close(socket: Socket): void;
};

/** Closes the oldest of these connections, unless valid credentials were sent on it. */
const closeOldest = (sockets: Set<Socket>): void => {
  const [oldest] = sockets;
  if (!oldest) return;
  sockets.delete(oldest);
  if (!known.has(oldest)) oldest.destroy();
};

/**
 * Bounds the connections of unknown clients. Of idle ones, the one that is idle for longest is closed: when a client
 * closes thousands of connections at once, the event loop is blocked until Node has closed all of them. In total, the
 * oldest connection of the address with the most is closed, because each holds up to 80 KB of input.
 */
export const boundUnknownClients = (max: { idle: number; total: number }): UnknownClients => {
  const idle = new Set<Socket>();
  const byAddress = new Map<string, Set<Socket>>();
  const addressOf = new WeakMap<Socket, string>();
  let total = 0;

  const remove = (socket: Socket): void => {
    const address = addressOf.get(socket);
    const sockets = address === undefined ? undefined : byAddress.get(address);
    if (address === undefined || !sockets?.delete(socket)) return;
    total -= 1;
    if (sockets.size === 0) byAddress.delete(address);
  };
  const largest = (): Set<Socket> =>
    [...byAddress.values()].reduce(
      (most, next) => (next.size > most.size ? next : most),
      new Set(),
    );
  const add = (socket: Socket): void => {
    const address = socket.remoteAddress ?? '';
    addressOf.set(socket, address);
    byAddress.set(address, (byAddress.get(address) ?? new Set()).add(socket));
    total += 1;
    if (total > max.total) closeSome();
  };
  const closeSome = (): void => {
    for (const oldest of largest()) {
      if (total <= max.total) return;
      remove(oldest);
      if (!known.has(oldest)) oldest.destroy();
    }
  };
  const rest = (socket: Socket): void => {
    if (known.has(socket)) remove(socket);
    if (known.has(socket) || socket.destroyed) return;
    idle.add(socket);
    if (idle.size > max.idle) closeOldest(idle);
  };
  return {
    open: (socket) => {
      add(socket);
      rest(socket);
    },
    rest,
    resume: (socket) => idle.delete(socket),
    close: (socket) => {
      idle.delete(socket);
      remove(socket);
    },
  };
};
