import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type DatabaseProxy = {
  /** The same database, reached through the proxy. */
  url: string;
  /** From now on the server is out of reach, for open connections too. */
  cut(): Promise<void>;
  /** The server is back, at the same address. */
  mend(): Promise<void>;
  /** Whatever was held back comes through. */
  release(): void;
};

type Options = {
  /** So many bytes of the server come through before its answers are held back. */
  holdAfter?: number;
};

/** A way to a PostgreSQL server that can be cut, mended and held up. */
export const startDatabaseProxy = async (
  databaseUrl: string,
  { holdAfter = Number.POSITIVE_INFINITY }: Options = {},
): Promise<DatabaseProxy> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const held = new Set<() => void>();
  let left = holdAfter;
  const listen = async (port: number) => {
    const server = createServer((socket) => {
      const onward = connect(Number(target.port || 5432), target.hostname);
      for (const end of [socket, onward]) end.on('error', () => undefined);
      sockets.add(socket).add(onward);
      socket.pipe(onward).pipe(socket);
      onward.on('data', (chunk) => {
        left -= chunk.length;
        if (left > 0) return;
        onward.unpipe(socket).pause();
        held.add(() => onward.pipe(socket));
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
    mend: async () => {
      server = await listen(port);
    },
    release: () => {
      left = Number.POSITIVE_INFINITY;
      for (const letThrough of held) letThrough();
      held.clear();
    },
  };
};
