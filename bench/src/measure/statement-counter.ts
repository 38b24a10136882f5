import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type StatementCounter = {
  /** URL of the database through this proxy. */
  url: string;
  /** Statements sent since the last call. */
  take(): number;
  close(): Promise<void>;
};

const HEADER = 5;
const SIMPLE_QUERY = 'Q'.charCodeAt(0);
const EXECUTE = 'E'.charCodeAt(0);

/** Calls back for every statement that a client sends to PostgreSQL, independent of chunk boundaries. */
const createReader = (onStatement: () => void) => {
  let hasStarted = false;
  let rest: Buffer = Buffer.alloc(0);
  return (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      // Only the first message has no type byte before its length.
      const prefix = hasStarted ? 1 : 0;
      if (rest.length < HEADER) return;
      const length = prefix + rest.readInt32BE(prefix);
      if (rest.length < length) return;
      if (hasStarted && (rest[0] === SIMPLE_QUERY || rest[0] === EXECUTE)) onStatement();
      hasStarted = true;
      rest = rest.subarray(length);
    }
  };
};

/** A database proxy that counts statements. */
export const startStatementCounter = async (databaseUrl: string): Promise<StatementCounter> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let count = 0;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const read = createReader(() => {
      count += 1;
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', read);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address ? address.port : 0);

  return {
    url: url.href,
    take: () => {
      const result = count;
      count = 0;
      return result;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
