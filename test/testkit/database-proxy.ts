import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type DatabaseProxy = {
  /** The same database, reached through the proxy. */
  url: string;
  /** Makes the server unreachable, for open connections too. */
  cut(): Promise<void>;
  /** Makes the server reachable again, at the same address. */
  restore(): Promise<void>;
  /** Forwards everything that was held back. */
  release(): void;
};

type Options = {
  /** Forwards this many bytes of the server before its responses are held back. */
  holdAfter?: number;
};

/** A proxy to a PostgreSQL server that can be interrupted, restored and paused. */
export const startDatabaseProxy = async (
  databaseUrl: string,
  { holdAfter = Number.POSITIVE_INFINITY }: Options = {},
): Promise<DatabaseProxy> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const paused = new Set<() => void>();
  let remaining = holdAfter;
  const listen = async (port: number) => {
    const server = createServer((socket) => {
      const upstream = connect(Number(target.port || 5432), target.hostname);
      for (const end of [socket, upstream]) end.on('error', () => undefined);
      sockets.add(socket).add(upstream);
      socket.pipe(upstream).pipe(socket);
      upstream.on('data', (chunk) => {
        remaining -= chunk.length;
        if (remaining > 0) return;
        upstream.unpipe(socket).pause();
        paused.add(() => upstream.pipe(socket));
      });
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;

  return {
    url: url.href,
    cut: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      await closed;
    },
    restore: async () => {
      server = await listen(port);
    },
    release: () => {
      remaining = Number.POSITIVE_INFINITY;
      for (const forward of paused) forward();
      paused.clear();
    },
  };
};
