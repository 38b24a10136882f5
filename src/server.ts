import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { App } from './app.js';
import type { Config } from './config/config.js';
import type { Logger } from './observability/logger.js';

const DRAIN_LIMIT_MS = 10_000;

export type RunningServer = {
  /** Address of the server without its base path. */
  url: string;
  /** Takes no new work, finishes what is under way, and resolves when all is done or time is up. */
  stop: () => Promise<void>;
};

/** A request that is no HTTP still gets an answer in the shape of all others. */
const refuse = (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const [line, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The address or the headers are too long.']
      : ['400 Bad Request', 'This is not a well-formed HTTP request.'];
  const id = randomUUID();
  const body = JSON.stringify({ id, name: 'BadDataError', message, details: [{ message }] });
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
};

const stopServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const giveUp = setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT_MS);
    server.close(() => {
      clearTimeout(giveUp);
      resolve();
    });
    server.closeIdleConnections();
  });

export const startServer = async (
  app: App,
  { host, port, requestTimeoutMs }: Pick<Config, 'host' | 'port' | 'requestTimeoutMs'>,
  logger: Logger,
): Promise<RunningServer> => {
  const underWay = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    underWay.add(response);
    response.on('close', () => underWay.delete(response));
    app.handle(request, response).catch((error: unknown) => {
      logger.error({ err: error }, 'an answer could not be sent');
      response.destroy();
    });
  });
  server.requestTimeout = requestTimeoutMs;
  server.headersTimeout = Math.min(requestTimeoutMs, 20_000);
  server.on('clientError', refuse);

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    stop: async () => {
      app.drain();
      // A connection kept alive after its last answer would hold up the end for seconds.
      for (const response of underWay) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      await stopServer(server);
    },
  };
};
