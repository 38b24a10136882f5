import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type NetworkProxy = {
  /** The same database, reached through the proxy. */
  url: string;
  /** Stops forwarding on open connections without closing them; new ones work. */
  freeze(): void;
  /** Delays bytes in either direction from now on. */
  slowDown(delayMs: number): void;
  /** Delays the end of a connection after its last bytes from now on. */
  closeLate(delayMs: number): void;
  /** Routes new connections to another server from now on. */
  redirectTo(databaseUrl: string): void;
  /** Connections that are open and not frozen. */
  openCount(): number;
  /** Chunks of bytes sent to the server so far: at least one per statement. */
  sentCount(): number;
  close(): Promise<void>;
};

/** A proxy to a PostgreSQL server that simulates network failures. */
export const startNetworkProxy = async (databaseUrl: string): Promise<NetworkProxy> => {
  const links = new Set<{ sockets: readonly Socket[]; isFrozen: boolean }>();
  let target = new URL(databaseUrl);
  let delayMs = 0;
  let closeDelayMs = 0;
  let sent = 0;

  const server = createServer((client) => {
    const backend = connect(Number(target.port || 5432), target.hostname);
    const link = { sockets: [client.setNoDelay(), backend.setNoDelay()], isFrozen: false };
    links.add(link);
    const forward = (from: Socket, to: Socket) => {
      const pass = (chunk: Buffer) => {
        if (!link.isFrozen && to.writable) to.write(chunk);
      };
      from.on('data', (chunk) => {
        if (delayMs === 0) pass(chunk);
        else setTimeout(pass, delayMs, chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        if (link.isFrozen) return;
        links.delete(link);
        if (closeDelayMs === 0) to.destroy();
        else setTimeout(() => to.destroy(), closeDelayMs);
      });
    };
    client.on('data', () => {
      sent += 1;
    });
    forward(client, backend);
    forward(backend, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    freeze: () => {
      for (const link of links) link.isFrozen = true;
    },
    slowDown: (ms) => {
      delayMs = ms;
    },
    closeLate: (ms) => {
      closeDelayMs = ms;
    },
    redirectTo: (other) => {
      target = new URL(other);
    },
    openCount: () => [...links].filter(({ isFrozen }) => !isFrozen).length,
    sentCount: () => sent,
    close: async () => {
      for (const { sockets } of links) for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
