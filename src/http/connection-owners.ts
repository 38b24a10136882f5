import type { Socket } from 'node:net';

/** Owners of the connections on which valid credentials were sent. */
const known = new WeakMap<Socket, string>();

export const markKnown = (socket: Socket, owner: string): void => {
  known.set(socket, owner);
};

/** Whose turn a connection uses, judging by its last request with valid credentials. */
export const ownerOf = (socket: Socket): string =>
  known.get(socket) ?? `address ${socket.remoteAddress}`;

export type IdleConnections = {
  /** To be called for a new connection, and after the last response on a connection. */
  add(socket: Socket): void;
  /** To be called for each request, and for a closed connection. */
  delete(socket: Socket): void;
};

/**
 * Bounds the idle connections of unknown clients, and closes the one that is idle for longest. When a client closes
 * thousands of connections at once, the event loop is blocked until Node has closed all of them.
 */
export const boundUnknownClients = (maxIdle: number): IdleConnections => {
  const idle = new Set<Socket>();
  return {
    add: (socket) => {
      if (known.has(socket) || socket.destroyed) return;
      idle.add(socket);
      if (idle.size <= maxIdle) return;
      const [longest] = idle;
      if (!longest) return;
      idle.delete(longest);
      if (!known.has(longest)) longest.destroy();
    },
    delete: (socket) => idle.delete(socket),
  };
};
